"""Makes the files that the ingest benchmarks read."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np

TAGS = ["train/loss", "train/grad_norm", "lr", "val/loss"]


def event_file(path: Path, scalars: int, tags: list[str] | None = None) -> Path:
    """A TensorBoard event file as SummaryWriter writes it, without the slowness of doing so one call at a time.

    Checksums are real: other readers verify them.
    """
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

    tags = tags or TAGS
    with path.open("wb") as file:

        def write(event: Event) -> None:
            data = event.SerializeToString()
            length = struct.pack("<Q", len(data))
            file.write(length + struct.pack("<I", masked_crc32c(length)))
            file.write(data + struct.pack("<I", masked_crc32c(data)))

        write(Event(wall_time=0.0, file_version="brain.Event:2"))
        for i in range(scalars):
            step, tag = divmod(i, len(tags))
            value = 2.0 * math.exp(-step / 50_000) + 0.01 * ((i * 2654435761) % 1000) / 1000
            summary = Summary(value=[Summary.Value(tag=tags[tag], simple_value=value)])
            write(Event(wall_time=1.7e9 + i * 1e-3, step=step, summary=summary))
    return path


def columns(rows: int) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    step = np.arange(rows)
    noise = np.random.default_rng(0).normal(0, 0.05, (3, rows))
    return {
        "step": step,
        "epoch": step // 1000,
        "loss": np.round(2 * np.exp(-step / 50_000) + noise[0], 6),
        "grad_norm": np.round(np.abs(1 + noise[1]), 6),
        "lr": np.round(1e-3 * (1 + noise[2]), 8),
    }
