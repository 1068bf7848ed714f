"""Print the script that completes verbs, options, causes and files in your shell.

bash:  traindx completion bash \\
         > ~/.local/share/bash-completion/completions/traindx
zsh:   traindx completion zsh > ~/.zfunc/_traindx
       (a folder in fpath: fpath+=~/.zfunc before compinit in ~/.zshrc)
fish:  traindx completion fish > ~/.config/fish/completions/traindx.fish

The script is complete: pressing TAB does not start Python. Print it again
after an update of traindx.
"""

from __future__ import annotations

import argparse

from ._say import say

HELP = "print the completion script for bash, zsh or fish"
NAMES = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=NAMES, help="the shell that you use")


def run(arguments: argparse.Namespace) -> int:
    from ._completion import SHELLS, all_verbs

    say(SHELLS[arguments.shell](all_verbs()), end="")
    return 0
