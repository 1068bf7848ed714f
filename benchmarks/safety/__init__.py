"""Attacks on traindx from outside: damaged and hostile input of every kind."""
