"""What is measured. Each file is a theme and defines `QUANTITIES`."""
