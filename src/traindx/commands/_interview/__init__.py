"""The interview on a screen: arrow keys, plain typing, piped answers, and a file that keeps it."""
