"""Deeper looks at a model, a batch and a loss. Most take `loss()`, a function that computes the loss again. All leave
the model's weights, gradients and modes and the random state as they were, bit for bit."""
