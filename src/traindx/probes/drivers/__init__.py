"""What a probe does inside the user's script. Each module defines `begin(options) -> Part`."""
