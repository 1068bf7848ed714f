"""Numbered messages for viewers, kept since the report before last so that a viewer can catch up."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

MOST_KEPT = 2000


@dataclass(frozen=True)
class Message:
    number: int
    kind: str  # full, points, report, alert or state
    content: dict[str, Any]


class Hub:
    """One publisher, many waiting viewers. `boot` distinguishes this server's numbers from those of an earlier one."""

    def __init__(self) -> None:
        self.boot = token_hex(4)
        self._condition = threading.Condition()
        self._messages: list[Message] = []
        self._number = 0
        self._complete: tuple[int, dict[str, Any]] | None = None

    def publish(self, kind: str, content: dict[str, Any]) -> None:
        with self._condition:
            self._number += 1
            self._messages = [*self._messages[-MOST_KEPT + 1 :], Message(self._number, kind, content)]
            self._condition.notify_all()

    def complete(self, report: dict[str, Any]) -> None:
        """Store the whole report, with which new viewers start. Drop the messages before the previous report."""
        with self._condition:
            before = self._complete[0] if self._complete else 0
            self._complete = (self._number, report)
            self._messages = [message for message in self._messages if message.number > before]
            self._condition.notify_all()

    def latest(self, wait: float = 60.0) -> tuple[str, dict[str, Any]] | None:
        """The mark and the content of the last complete report; None if there is none within `wait` seconds."""
        with self._condition:
            self._condition.wait_for(lambda: self._complete is not None, wait)
            return None if self._complete is None else (self.mark(self._complete[0]), self._complete[1])

    def mark(self, number: int) -> str:
        return f"{self.boot}-{number}"

    def after(self, mark: str, wait: float) -> Sequence[Message] | None:
        """The messages after a mark, waiting up to `wait` seconds for one; None if the mark is unknown or too old."""
        boot, _, digits = mark.partition("-")
        number = int(digits) if digits.isdecimal() and len(digits) < 19 else -1
        with self._condition:
            if boot != self.boot or not 0 <= number <= self._number or self._oldest() > number + 1:
                return None
            self._condition.wait_for(lambda: self._number > number, wait)
            return [message for message in self._messages if message.number > number]

    def _oldest(self) -> int:
        return self._messages[0].number if self._messages else self._number + 1
