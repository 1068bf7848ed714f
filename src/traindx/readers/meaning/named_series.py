"""One column of a log: values over steps, and what its name says about it."""

from __future__ import annotations

from ...record import Series
from .names import Role, role_of


class NamedSeries(Series):
    """A series with the role of its name. The points are in the order of the log and may repeat steps."""

    @property
    def role(self) -> Role:
        return role_of(self.name)
