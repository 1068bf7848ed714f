"""The variants of each host. Each module has the name of its host and defines HOST and VARIANTS."""
