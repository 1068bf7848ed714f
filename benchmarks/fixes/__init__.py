"""Applies every fix of the zoo literally and runs the result."""
