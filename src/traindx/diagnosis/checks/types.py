"""An answer of the check, and the report that holds them all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ...record import Run
    from ..types import Diagnosis

# passed; failed; doubtful: worth a look, not a fault by itself; unasked: could not be tested, not counted as passed
Status = Literal["passed", "failed", "doubtful", "unasked"]


@dataclass(frozen=True)
class Answer:
    """One question's answer. `id` is stable; `text` is a sentence for people."""

    id: str
    group: str
    status: Status
    text: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class CheckReport:
    """All answers, the run that they rest on, and its diagnosis."""

    source: str
    answers: Sequence[Answer]
    run: Run
    diagnosis: Diagnosis

    def of(self, status: Status) -> list[Answer]:
        return [answer for answer in self.answers if answer.status == status]

    @property
    def passed(self) -> bool:
        """Nothing failed; questions that could not be tested do not count as passed, nor as failed."""
        return not self.of("failed")

    def __repr__(self) -> str:
        counts = {status: len(self.of(status)) for status in ("passed", "failed", "doubtful", "unasked")}
        told = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        return f"<CheckReport of {self.source}: {told or 'no answers'}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """In IPython and in a notebook: the report, as `print` shows it."""
        printer.text(repr(self) if cycle else str(self))

    def __str__(self) -> str:
        # Imported late: renderers are downstream of this room, but people print a report.
        from ...reports.check import page

        return page(self)

    def __getitem__(self, answer_id: str) -> Answer:
        return next(answer for answer in self.answers if answer.id == answer_id)
