"""The interview in a terminal: arrow keys, typing, piped answers, and a file that keeps it."""
