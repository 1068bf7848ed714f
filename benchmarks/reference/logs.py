"""Logs of healthy runs: public ones with a label, and made ones of known truth."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.curves.__main__ import healthy_runs
from benchmarks.curves.courses import TUNE
from benchmarks.curves.healthy import KINDS
from benchmarks.textbook import generate
from traindx.readers import ReaderError, principal, read
from traindx.record import Run

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / "benchmarks" / "reallogs" / "manifest.tsv"
SHARED = Path(os.environ.get("TRAINDX_SHARED", ROOT.parent / "shared"))
HEALTHY = "healthy"
SEEDS = 1  # of each kind of made curve and each length


def logs() -> Iterator[tuple[str, str, Run]]:
    """(source, host, run) of every healthy log."""
    yield from _public()
    yield from _textbook()
    for kind in KINDS:
        for _, run in healthy_runs(kind, TUNE, SEEDS):
            yield "made curves", f"curves/{kind.name}", run


def _public() -> Iterator[tuple[str, str, Run]]:
    """Logs labelled healthy, without the repositories that are set aside."""
    aside = {entry["repo"].lower() for entry in _table(MANIFEST) if entry["half"] == "unseen"}
    for index in sorted(SHARED.glob("reallogs*/index.tsv")):
        for entry in _table(index):
            repo = entry.get("repo_or_url") or entry.get("repo") or ""
            if entry["label"] == HEALTHY and repo.lower() not in aside and entry.get("half") != "unseen":
                try:
                    yield "public logs", repo, principal(read(str(index.parent / entry["local_path"])))
                except ReaderError:
                    continue


def _textbook() -> Iterator[tuple[str, str, Run]]:
    with TemporaryDirectory() as folder:
        for case in generate(folder, "open", 0):
            if case.condition == HEALTHY:
                try:
                    yield "textbook logs", f"textbook/{case.family}", principal(read(str(Path(folder) / case.files[0])))
                except ReaderError:
                    continue


def _table(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
