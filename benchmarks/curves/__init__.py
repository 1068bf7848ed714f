"""Curves of known truth: how often each sign finds its fault at each effect size, and how often it is wrong."""
