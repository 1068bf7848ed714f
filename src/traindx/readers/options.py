"""What a user can say about a log whose column names traindx does not recognise, and the errors of reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import PlainError


class ReaderError(PlainError):
    """A log cannot be read. `str(error)` is one line that says why."""


class UnexpectedContentError(ReaderError):
    """A reader failed with an exception of another kind. Only this file is refused; other files are still read."""


class NotThisFormatError(ReaderError):
    """The file looked like this format but is not of it. The next format that may fit is tried."""


# Short names for `--map train=Le`. The names of the record (`loss/train`) are accepted as well.
SHORT_NAMES = {
    "train": "loss/train",
    "loss": "loss/train",
    "train_loss": "loss/train",
    "val": "loss/validation",
    "val_loss": "loss/validation",
    "validation": "loss/validation",
    "validation_loss": "loss/validation",
    "lr": "lr",
    "grad_norm": "grad_norm",
    "train_accuracy": "accuracy/train",
    "accuracy": "accuracy/validation",
    "val_accuracy": "accuracy/validation",
    "epoch": "epoch",
}


@dataclass(frozen=True)
class Options:
    """`columns` maps a name of the record to the log's column; `step` is the log's column that counts steps.

    >>> Options.of(["train=Le"], step="Eit").columns
    {'loss/train': 'Le'}
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    step: str | None = None

    @classmethod
    def of(cls, pairs: list[str], step: str | None = None) -> Options:
        """Make the options from command-line words such as `train=Le`."""
        columns = {}
        for pair in pairs:
            meaning, equals, column = pair.partition("=")
            if not equals or not column or not _canonical(meaning):
                raise ReaderError(f"--map {pair!r} is not NAME=COLUMN, with NAME one of {', '.join(SHORT_NAMES)}")
            columns[_canonical(meaning)] = column
        return cls(columns, step)

    @classmethod
    def of_columns(cls, columns: Mapping[str, str]) -> Options:
        """Make the options from a mapping such as `{"train": "Le"}`."""
        for meaning in columns:
            if not _canonical(meaning):
                raise ReaderError(f"{meaning!r} is not one of {', '.join(SHORT_NAMES)}")
        return cls({_canonical(meaning): column for meaning, column in columns.items()})


def _canonical(meaning: str) -> str:
    """Return the record's name for a meaning, or "" if the meaning is unknown."""
    canonical = SHORT_NAMES.get(meaning, meaning)
    return canonical if canonical in SHORT_NAMES.values() else ""
