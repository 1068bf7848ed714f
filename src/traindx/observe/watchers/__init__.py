"""One file for each thing that is watched. Each defines a class `Watcher(session)` with a `name`, methods named
after moments (`hook_points/moments.py`), and optionally `finish()`. `ORDER` decides who gets a moment first."""
