"""One named column of a log over steps."""

from __future__ import annotations

from dataclasses import dataclass

from ...record.types import FloatArray, IntArray
from .names import Role, role_of


@dataclass(frozen=True, eq=False)
class Curve:
    """One named column of a log: values by step, in order of writing."""

    name: str
    steps: IntArray
    values: FloatArray

    @property
    def role(self) -> Role:
        return role_of(self.name)

    def __len__(self) -> int:
        return len(self.steps)
