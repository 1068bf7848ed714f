"""`results.txt` of early YOLOv5 versions: up to fifteen columns per row, without a header."""

from __future__ import annotations

import re

from ...record import Run
from ..options import Options
from ..rows.collector import Collector, number
from ..rows.runs import runs_from_rows
from ..source import Source

KIND = "yolov5"
_ROW = re.compile(r"^\s*(\d+)/\d+\s+[\d.]+G((?:\s+[-+.\deEnaif]+){10,13})\s*$")
_NAMES = (
    "train/box_loss train/obj_loss train/cls_loss train/total_loss targets image_size precision recall mAP50 mAP50-95 "
    "val/box_loss val/obj_loss val/cls_loss"
)


def sniff(source: Source) -> float:
    lines = [line for line in source.text_head.splitlines() if line.strip()][:5]
    return 0.95 if lines and all(_ROW.match(line) for line in lines[:4]) else 0.0


def read(source: Source, options: Options) -> list[Run]:
    collector, names = Collector(), _NAMES.split()
    for line in source.lines():
        if found := _ROW.match(line):
            cells = dict(zip(names, map(number, found[2].split()), strict=False))
            collector.add({"epoch": float(found[1]), **{k: v for k, v in cells.items() if v is not None}})
    return runs_from_rows(collector.table(), source.name, KIND, options)
