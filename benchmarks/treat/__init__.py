"""Trials over the zoo: what is cured, what it costs, and what is called cured that is not."""
