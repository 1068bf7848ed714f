"""Runs a script as `python` does, under observation: the program, the import of torch, and how the process ended."""

from .running import Ending as Ending
from .running import Program as Program
from .running import ScriptError as ScriptError
from .running import find_program as find_program
from .running import run_program as run_program
from .running import run_script as run_script
