"""Size, direction and noise of the gradient."""
