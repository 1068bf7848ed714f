"""Messages for viewers: numbered, kept since the last complete report, so that everybody can catch up."""

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
    """The publisher adds; any number of viewers wait. `boot` tells this server's numbers from an earlier one's."""

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
        """The whole report as of now: where new viewers begin. Messages before the one before are forgotten."""
        with self._condition:
            before = self._complete[0] if self._complete else 0
            self._complete = (self._number, report)
            self._messages = [message for message in self._messages if message.number > before]
            self._condition.notify_all()

    def latest(self, wait: float = 60.0) -> tuple[str, dict[str, Any]] | None:
        """The last complete report and the mark after which to follow; None where there is none in time."""
        with self._condition:
            self._condition.wait_for(lambda: self._complete is not None, wait)
            return None if self._complete is None else (self.mark(self._complete[0]), self._complete[1])

    def mark(self, number: int) -> str:
        return f"{self.boot}-{number}"

    def after(self, mark: str, wait: float) -> Sequence[Message] | None:
        """What came after a mark, waiting for it a while; None where the mark is unknown or too old to continue."""
        boot, _, digits = mark.partition("-")
        number = int(digits) if digits.isdecimal() and len(digits) < 19 else -1
        with self._condition:
            if boot != self.boot or not 0 <= number <= self._number or self._oldest() > number + 1:
                return None
            self._condition.wait_for(lambda: self._number > number, wait)
            return [message for message in self._messages if message.number > number]

    def _oldest(self) -> int:
        return self._messages[0].number if self._messages else self._number + 1
