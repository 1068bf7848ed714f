"""Tiny stand-in: a rule tokenizer."""
