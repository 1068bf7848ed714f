"""The options of verbs that measure a checkpoint on a batch."""

from __future__ import annotations

import argparse
from pathlib import Path

from ._script import add_in_place


def add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", required=True, metavar="M", help="package.module:factory, an exported program (.pt2) or TorchScript"
    )
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help="weights for the factory: .pt or .safetensors")
    parser.add_argument("--data", type=Path, required=True, metavar="D", help="a batch: .pt, .npz or .safetensors")
    parser.add_argument("--train-mode", action="store_true", help="measure in train mode (default: eval mode)")
    parser.add_argument(
        "--trust-pickle", action="store_true", help="also load files that can run code (only for files of your own)"
    )
    add_in_place(parser)
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the layers into FILE (needs matplotlib)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default: text)")
