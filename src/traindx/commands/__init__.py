"""The verbs of the command line. Each verb is one file, and the file's name is the verb.

A verb's module defines `HELP` (one line for the overview), `configure(parser)` and `run(arguments) -> exit code`;
its docstring is what `traindx VERB --help` shows. Heavy imports belong inside `run`.
"""
