"""What runs in a child process of the server: a verb of the command line, or one of the readings below.

Without `mcp`: a child starts in a fraction of a second.
"""

from .entry import main as main
