"""Options that several verbs share, defined once."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..reports import format_names
from ._findings import THRESHOLDS


def add_format(parser: argparse.ArgumentParser) -> None:
    """--format and -o; see `_output.deliver`."""
    parser.add_argument(
        "--format",
        choices=format_names(),
        help="how to print the diagnosis (default: by the suffix of the -o file, else text)",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write to FILE instead of the terminal")
    parser.add_argument(
        "--why", action="store_true", help="show how every sign changes every hypothesis, and shorten no list"
    )


def add_fail_on(parser: argparse.ArgumentParser) -> None:
    """--fail-on and the baseline; see `_findings`."""
    parser.add_argument(
        "--fail-on",
        choices=THRESHOLDS,
        default="never",
        help="exit with 1 if there is a finding at least this severe (default: never)",
    )
    parser.add_argument("--baseline", type=Path, metavar="FILE", help="do not fail on the findings that FILE accepts")
    parser.add_argument(
        "--write-baseline", type=Path, metavar="FILE", help="write FILE, which accepts all current findings"
    )


def add_log_columns(parser: argparse.ArgumentParser) -> None:
    """--map and --step; see `readers.Options`."""
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="NAME=COLUMN",
        help="read the log's COLUMN as loss, val_loss, accuracy, lr … (may be repeated)",
    )
    parser.add_argument("--step", metavar="COLUMN", help="the log's column that counts steps")
