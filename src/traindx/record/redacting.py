"""Removes from a run what its owner may not want to share: values of arguments, paths, messages, source code.

It keeps what a diagnosis needs: numbers, the names of layers, parameters and classes, and the base name of the file and
the line number of source lines.
"""

from __future__ import annotations

import ntpath
import re
from collections.abc import Mapping
from typing import Any

from .run import Run, RunBuilder
from .vocabulary import MASK

# Fields that hold names of the program's parts (layers, classes, functions, operations, columns of a log): these stay.
_NAMES = frozenset(
    """
    name names class type fn op ops function module param output dataset sampler grad_fn last_activation tail custom
    optimizer observer kind mode_layers train_off shared columns unread_validation networks differing never facts
    dtype activations autocast param_dtypes
    """.split()  # noqa: SIM905
)
# Mappings that hold whatever the user puts into them. In these only known words stay, whatever a field is called.
_USERS = frozenset(("groups", "settings", "config"))
# Words that traindx or torch writes itself, in any field.
_WORDS = frozenset(
    """
    yes no none zero train eval mean sum batchmean weight bias norm embedding other value values probabilities tokens
    step steps end epoch row data loops num_training_steps time goal diverged loader inputs loop input target
    forward
    loss backward weights learnt falling stuck unknown same seed different true false nan inf -inf min max rel abs
    strong_wolfe triangular triangular2 exp_range cos linear constant reflect replicate circular zeros valid
    relu gelu tanh fan_in fan_out stopped ok killed exception cpu cuda mps xpu nccl gloo mpi ucc xccl
    Linux Darwin Windows macOS
    """.split()  # noqa: SIM905
) | {"class ids", "not finite", "certain answers", "the targets' own entropy", "the targets themselves"}
_KNOWN = re.compile(
    r"(cuda|mps|xpu):\d{1,3}|(b?float|u?int|fp|bf)\d{1,3}|exit -?\d{1,20}|signal SIG[A-Z0-9+]{1,12}"
    r"|\d{1,4}(\.\d{1,4}){1,3}(a|b|rc|\.?dev)?\d{0,8}(\+(cpu|cu\d{1,4}|git[0-9a-f]{1,12}|rocm[\d.]{1,8}))?"
    r"|[+-]?\d{1,9}(\.\d{0,12})?([eE][+-]?\d{1,3})?"
)
# What a name looks like. Spaces stand in the names of observers, and in "(unused)"; `*` and `/` in those of columns.
_NAME = re.compile(r"[\w.<>()\[\]*/ :'$%#+-]{1,200}")
_TOKEN = re.compile(
    r"(?=\S*\d)(?=\S*[A-Za-z])[A-Za-z0-9+=_-]{24,}|[0-9a-f]{32,}|\b(sk-|hf_|gh[opsu]_|xox|AKIA|AIza|eyJ)"
)
_FOLDERS = re.compile(r"(?<![\w.*])(?:~|[A-Za-z]:)?[/\\][^\s'\",;:()<>]+")
_ADDRESS = re.compile(r"\S+@\S+|\b\w+://\S+")
# What is known of a distributed job, apart from where it runs.
_OF_THE_JOB = (
    "rank", "world_size", "group", "wrapper", "through", "past", "past_site", "averaged", "weights_averaged",
)  # fmt: skip


def redacted(run: Run, *, keep_source: bool = False) -> Run:
    """Return the run without private data. Its curves, tables and steps are the same."""
    builder = RunBuilder(base_name(run.source), run.kind).measurements_of(run)
    for key, value in run.facts.items():
        builder.fact(_name(key), _fact(key, value, keep_source))
    for event in run.events:
        builder.event(_name(event.kind), event.step, **_parts("", event.data, keep_source))
    return builder.build()


def base_name(path: str) -> str:
    """Return the last part of a path of any operating system; "" for a drive or a root folder alone."""
    return ntpath.basename(path.replace("/", "\\").rstrip("\\"))


def _fact(key: str, value: Any, keep_source: bool) -> Any:
    if key == "script" and isinstance(value, Mapping):
        argv = value.get("argv")
        words = [_argument(word) for word in argv] if isinstance(argv, list) else []
        return {"path": base_name(str(value.get("path") or "")), "argv": words, "module": value.get("module") is True}
    if key == "platform":
        return _string(key, re.split(r"[- ]", str(value))[0])  # the rest may contain the host name
    if key == "not_visible":
        return []  # sentences that quote the script's names
    if key == "distributed" and isinstance(value, Mapping):
        value = {name: value[name] for name in _OF_THE_JOB if name in value}
    return _inside(key, value, keep_source)


def _argument(word: Any) -> str:
    """Return the name of an option without its value."""
    if not isinstance(word, str) or not re.match(r"--?[A-Za-z]", word):
        return MASK
    name, equals, _ = word.partition("=")
    return f"{name}={MASK}" if equals else name


def _inside(key: str, value: Any, keep_source: bool) -> Any:
    """Return the value of a field with every text in it masked that is neither a name nor a known word."""
    if isinstance(value, Mapping):
        if "file" in value and "line" in value:
            return _site(value, keep_source)
        return _parts(key, value, keep_source)
    if isinstance(value, list):
        return [_inside(key, part, keep_source) for part in value]
    return _string(key, value) if isinstance(value, str) else value


def _parts(key: str, value: Mapping[str, Any], keep_source: bool) -> dict[str, Any]:
    held = key if key in _USERS or key == "columns" else None  # what holds for these fields holds for all within
    return {_name(name): _inside(held or name, part, keep_source) for name, part in value.items()}


def _string(key: str, text: str) -> str:
    """Return a text as it may be shared: the one rule for all of them."""
    if not text or text in _WORDS or _KNOWN.fullmatch(text):
        return text
    return _name(text) if key in _NAMES else MASK


def _name(text: str) -> str:
    """Return a name without folders; masked if it does not look like one."""
    short = _FOLDERS.sub(lambda found: base_name(found.group()), text)
    return MASK if _ADDRESS.search(text) or _TOKEN.search(short) or not _NAME.fullmatch(short) else short


def _site(site: Mapping[str, Any], keep_source: bool) -> dict[str, Any]:
    function = site.get("function")
    return {
        "file": base_name(str(site["file"])),
        "line": site["line"] if isinstance(site["line"], int) else 0,
        "function": _name(function) if isinstance(function, str) and function else None,
        "text": str(site.get("text") or "") if keep_source else "",
    }
