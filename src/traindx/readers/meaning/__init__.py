"""Finds what columns mean: which are the training loss, the validation loss, the learning rate of the record."""
