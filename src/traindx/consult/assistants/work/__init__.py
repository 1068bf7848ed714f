"""What runs in a child process of the server: a command of the command line, or a module of `readings/`.

It does not import `mcp`, so that a child starts in a fraction of a second.
"""

from .entry import main as main
