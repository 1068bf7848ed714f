"""One module a log format: `KIND`, `sniff(source) -> float` and `read(source, options) -> list[Run]`."""
