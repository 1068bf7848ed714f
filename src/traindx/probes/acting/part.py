"""The interface of a probe inside the script's process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Part:
    """A driver, and watchers that are created for the session once torch is imported. What `findings` returns becomes
    the fact `probe`."""

    driver: Any
    watchers: list[Callable[[Any], Any]] = field(default_factory=list)
    findings: Callable[[], dict[str, Any]] = dict
