"""What the loss is given, what it starts at, and where non-finite numbers arise."""
