"""Small adapters to other tools that read loss curves, for comparison on the same curves and files.

One file a tool: `NAME`, `CLAIMS` (what it says it finds, in our labels) and `say(curves)`; tools that read files
themselves also have `say_of_file(path)`. A tool that is not installed is skipped with a line. Install them anywhere on
the path, for instance `pip install --no-deps --target DIR runmedic sk-autod training-doctor trainpulse gradsnitch
ruptures`, and add DIR to PYTHONPATH.
"""
