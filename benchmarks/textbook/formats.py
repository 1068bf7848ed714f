"""The log formats: what each can carry, and which of them are held back."""

from __future__ import annotations

from .writers.base import Format
from .writers.events import write_events
from .writers.hub import write_hf_lines, write_hf_state
from .writers.tables import (
    write_arrows,
    write_csv,
    write_json_list,
    write_jsonl,
    write_keras_history,
    write_lightning,
    write_markdown,
    write_tsv,
    write_yolo,
)
from .writers.texts import write_fairseq, write_keras_bar, write_meters, write_nanogpt, write_plain

EPOCH = frozenset({"epoch"})
STEP = frozenset({"step"})
EVALS = frozenset({f"val_{m}" for m in ("loss", "acc", "f1", "recall", "wer", "bleu", "ppl", "r2", "map")})
KERAS_CARRIES = EVALS | {"loss", "acc", "r2", "lr"}
HUB_CARRIES = EVALS | {"loss", "lr", "grad_norm"}
FAIRSEQ_CARRIES = EVALS | {"loss", "acc", "lr", "grad_norm", "loss_scale"}
METER_CARRIES = frozenset({"loss", "acc", "val_loss", "val_acc", "data_time", "batch_time"})
ARROW_CARRIES = frozenset({"loss", "acc", "val_loss", "val_acc", "lr", "grad_norm", "val_f1", "val_wer", "val_bleu"})
YOLO_CARRIES = frozenset({"loss", "val_loss", "val_map", "lr"})

_ALL = (
    Format("csv", "csv", write_csv),
    Format("tsv", "tsv", write_tsv),
    Format("jsonl", "jsonl", write_jsonl),
    Format("json-list", "json", write_json_list),
    Format("keras-history", "json", write_keras_history, EPOCH, KERAS_CARRIES),
    Format("keras-bar", "log", write_keras_bar, EPOCH, KERAS_CARRIES, tail=True),
    Format("nanogpt", "log", write_nanogpt, STEP, frozenset({"loss", "val_loss", "batch_time"}), tail=True, decimals=4),
    Format("hf-state", "json", write_hf_state, carries=HUB_CARRIES),
    Format("hf-lines", "log", write_hf_lines, carries=HUB_CARRIES, tail=True),
    Format("lightning", "csv", write_lightning),
    Format("plain", "log", write_plain, tail=True),
    Format("meters", "log", write_meters, STEP, METER_CARRIES, tail=True),
    Format("fairseq", "log", write_fairseq, carries=FAIRSEQ_CARRIES, tail=True, decimals=4),
    Format("yolo", "csv", write_yolo, EPOCH, YOLO_CARRIES, decimals=5, tasks=frozenset({"regression", "detection"})),
    Format("arrows", "txt", write_arrows, carries=ARROW_CARRIES, max_rows=60, full_rows=True),
    Format("markdown", "md", write_markdown, max_rows=400),
    Format("tensorboard", "tfevents", write_events),
)
FORMATS: dict[str, Format] = {f.name: f for f in _ALL}
