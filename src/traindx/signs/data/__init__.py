"""What the batches hold: scales, labels, order, overlap, leaks."""
