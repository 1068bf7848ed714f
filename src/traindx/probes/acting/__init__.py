"""Building blocks of drivers: limits on steps and time, learning rates, pinned batches, the roles of loaders."""
