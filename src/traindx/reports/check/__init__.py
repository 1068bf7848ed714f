"""The report of a check: ticks, crosses, and what could not be answered."""
