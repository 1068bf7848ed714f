"""What the optimizer does with the gradient: steps against weights, decay, settings."""
