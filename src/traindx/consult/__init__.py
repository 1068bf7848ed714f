"""The interview and the assistants' door: the same signs and the same diagnosis, asked for instead of measured."""
