"""Signs that scalar series alone can show: the course of the loss, of the validation loss, the learning rate and the
norms."""
