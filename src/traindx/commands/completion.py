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
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ._say import say
from ._verbs import Parser, find_verb, verb_help, verb_names

PROGRAM = "traindx"


@dataclass(frozen=True)
class Option:
    names: tuple[str, ...]
    help: str
    takes_value: bool
    choices: tuple[str, ...]  # of its value; files if empty


@dataclass(frozen=True)
class Verb:
    name: str
    help: str
    options: tuple[Option, ...]
    words: tuple[str, ...]  # possible arguments; files if empty


def all_verbs() -> list[Verb]:
    helps = Verb("help", "explain a verb", (), verb_names())
    return [*(_verb(name) for name in verb_names()), helps]


def _verb(name: str) -> Verb:
    module = find_verb(name)
    parser = Parser(prog=f"{PROGRAM} {name}", description=None)
    module.configure(parser)
    known: Callable[[str], Sequence[str]] = getattr(module, "words", lambda _: ())
    actions = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    options = tuple(
        Option(
            tuple(action.option_strings),
            " ".join((action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%").split()),
            action.nargs != 0,
            tuple(map(str, action.choices or known(action.option_strings[-1]))) if action.nargs != 0 else (),
        )
        for action in actions
        if action.option_strings
    )
    given = [str(choice) for action in actions if not action.option_strings for choice in action.choices or ()]
    return Verb(name, verb_help(name), options, (*given, *known("")))


def bash(verbs: Sequence[Verb]) -> str:
    names = " ".join(verb.name for verb in verbs)
    values, arguments = [], []
    for verb in verbs:
        for option in verb.options:
            if option.takes_value:
                places = "|".join(f"{verb.name}:{name}" for name in option.names)
                reply = f'COMPREPLY=($(compgen -W "{" ".join(option.choices)}" -- "$cur"))' if option.choices else ":"
                values.append(f"    {places}) {reply}; return ;;")
        options = " ".join(name for option in verb.options for name in option.names)
        arguments.append(f'    {verb.name}) options="{options}" words="{" ".join(verb.words)}" ;;')
    return "\n".join(
        [
            f"# bash completion for {PROGRAM}; {PROGRAM} completion bash printed it",
            f"_{PROGRAM}() {{",
            '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" verb="${COMP_WORDS[1]}"',
            "  local options= words=",
            "  COMPREPLY=()",
            '  if [[ "$cur" == "=" ]]; then cur=""',
            '  elif [[ "$prev" == "=" ]]; then prev="${COMP_WORDS[COMP_CWORD-2]}"; fi',
            "  if ((COMP_CWORD == 1)); then",
            f'    COMPREPLY=($(compgen -W "{names} --help --version" -- "$cur")); return',
            "  fi",
            '  case "$verb:$prev" in',
            *values,
            "  esac",
            '  case "$verb" in',
            *arguments,
            "  esac",
            '  if [[ "$cur" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$cur"))',
            '  elif [[ -n "$words" ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); fi',
            "}",
            # If the reply is empty, bash completes files.
            f"complete -o bashdefault -o default -F _{PROGRAM} {PROGRAM}",
            "",
        ]
    )


def zsh(verbs: Sequence[Verb]) -> str:
    described = "\n".join(f"    {_quoted(f'{verb.name}:{verb.help}')}" for verb in verbs)
    cases = []
    for verb in verbs:
        specs = [_zsh_option(name, option) for option in verb.options for name in option.names]
        specs.append(_quoted(f"*:argument:({' '.join(verb.words)})") if verb.words else "'*:file:_files'")
        cases.append(f"    {verb.name}) _arguments {' '.join(specs)} ;;")
    return "\n".join(
        [
            f"#compdef {PROGRAM}",
            f"# zsh completion for {PROGRAM}; {PROGRAM} completion zsh printed it",
            f"_{PROGRAM}() {{",
            f"  local -a verbs=(\n{described}\n  )",
            "  if ((CURRENT == 2)); then _describe verb verbs; return; fi",
            "  shift words",
            "  ((CURRENT--))",
            "  case $words[1] in",
            *cases,
            "  esac",
            "}",
            f'if [[ "$funcstack[1]" == _{PROGRAM} ]]; then _{PROGRAM} "$@"; else compdef _{PROGRAM} {PROGRAM}; fi',
            "",
        ]
    )


def _zsh_option(name: str, option: Option) -> str:
    told = re.sub(r"([\[\]:\\])", r"\\\1", option.help)
    if not option.takes_value:
        return _quoted(f"{name}[{told}]")
    value = f"({' '.join(option.choices)})" if option.choices else "_files"
    return _quoted(f"{name}{'=' if name.startswith('--') else ''}[{told}]:value:{value}")


def fish(verbs: Sequence[Verb]) -> str:
    lines = [
        f"# fish completion for {PROGRAM}; {PROGRAM} completion fish printed it",
        f"complete -c {PROGRAM} -f",
        f"complete -c {PROGRAM} -n __fish_use_subcommand -l help -d 'explain the verbs'",
        f"complete -c {PROGRAM} -n __fish_use_subcommand -l version -d 'print the version'",
    ]
    for verb in verbs:
        lines.append(f"complete -c {PROGRAM} -n __fish_use_subcommand -a {verb.name} -d {_quoted(verb.help)}")
    for verb in verbs:
        start = f"complete -c {PROGRAM} -n '__fish_seen_subcommand_from {verb.name}'"
        lines.append(f"{start} -a {_quoted(' '.join(verb.words))}" if verb.words else f"{start} -F")
        for option in verb.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            value = "" if not option.takes_value else " -r -F"
            if option.choices:
                value = f" -x -a {_quoted(' '.join(option.choices))}"
            lines.append(f"{start} {names} -d {_quoted(option.help)}{value}")
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    """The text in single quotes. An apostrophe, which zsh and fish escape differently, becomes a typographic one."""
    return "'" + text.replace("'", "\u2019") + "'"


SHELLS: dict[str, Callable[[Sequence[Verb]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
HELP = "print the completion script for bash, zsh or fish"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=tuple(SHELLS), help="the shell that you use")


def run(arguments: argparse.Namespace) -> int:
    say(SHELLS[arguments.shell](all_verbs()), end="")
    return 0
