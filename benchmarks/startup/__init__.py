"""What there is to wait for before traindx does anything."""
