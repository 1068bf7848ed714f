"""What lines of free text say: names, numbers, tables, progress bars, evaluations."""
