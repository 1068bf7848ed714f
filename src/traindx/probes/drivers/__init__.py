"""What a probe does inside the user's script. Each module defines `KIND` and `begin(options) -> Part`."""
