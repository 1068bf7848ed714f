"""The command line: `traindx VERB …`. Each verb is a file of `commands/`; only the chosen one is imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches

from . import __version__
from .commands._say import say
from .commands._verbs import Parser, find_verb, suggestion, verb_help, verb_names
from .errors import PlainError

ENDED_BY_PIPE = 141  # what a shell reports for a program that a closed pipe ended (128 + SIGPIPE)
INTERRUPTED = 130  # the same for Ctrl-C (128 + SIGINT)
USAGE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    return ending_quietly(lambda: _dispatch(words))


def ending_quietly(work: Callable[[], int]) -> int:
    """The exit code of `work`; a reader who left (`| head`) or Ctrl-C ends it without a traceback."""
    try:
        code = work()
        with suppress(AttributeError, ValueError):  # a script under `run` may have replaced or closed stdout
            sys.stdout.flush()  # here, so that a reader who left is noticed while we can still keep quiet
        return code
    except BrokenPipeError:
        # Python flushes stdout once more at exit and would complain about the pipe again.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ENDED_BY_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED


def _dispatch(words: list[str]) -> int:
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if not words or words[0] in ("-h", "--help"):
        say(_overview())
        return 0
    if words[0] in ("-V", "--version"):
        say(f"traindx {__version__}")
        return 0
    verb, *rest = words
    if verb.startswith("-"):
        near = get_close_matches(verb, ("--help", "--version"), n=1)
        hint = f"did you mean {near[0]}?" if near else "before a verb there are --help and --version"
        return _refuse(f"traindx: there is no option {verb}: {hint}")
    if verb not in verb_names():
        return _refuse(f"traindx: {suggestion(verb)}")
    module = find_verb(verb)
    parser = Parser(prog=f"traindx {verb}", description=module.__doc__)
    module.configure(parser)
    try:
        arguments = parser.parse(rest)
    except SystemExit as finished:  # --help, or a usage error that has been told
        return int(finished.code or 0)
    try:
        return int(module.run(arguments))
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return _refuse(f"traindx {verb}: this needs torch, which is not installed here: pip install torch")
    except PlainError as error:
        return _refuse(f"traindx {verb}: {error}")


def _refuse(message: str) -> int:
    say(" ".join(message.split()), sys.stderr)
    return USAGE


def _overview() -> str:
    verbs = {name: verb_help(name) for name in verb_names()}
    column = max(map(len, verbs), default=0)
    return "\n".join(
        [
            "usage: traindx VERB ...",
            "",
            "Tells you why a neural network is not training, proves it by experiment, and",
            "says which line to change.",
            "",
            *(f"  {name:<{column}}  {text}" for name, text in verbs.items()),
            "",
            "traindx VERB --help explains a verb; traindx --version prints the version.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
