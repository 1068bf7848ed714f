"""Whether this is a case of training dynamics at all."""
