"""Excuses: what makes another sign harmless in this run, measured as signs of their own.

A sign says what it found, whatever may explain it. An excuse names the signs that mean less where it holds
(`excuses`); diagnosis counts those less and says why, as evidence against the causes that rest on them.
"""
