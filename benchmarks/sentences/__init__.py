"""Collects every sentence that recorded patients can produce, for reading."""
