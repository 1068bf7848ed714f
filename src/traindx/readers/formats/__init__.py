"""One module per log format: `KIND`, `sniff(source) -> float` and `read(source, options) -> list[Run]`."""
