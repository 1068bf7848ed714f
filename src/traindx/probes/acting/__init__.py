"""What drivers are made of: limits on steps and time, learning rates, pinned batches, the roles of loaders."""
