"""How often a similar solved case has the cause of the run at hand."""
