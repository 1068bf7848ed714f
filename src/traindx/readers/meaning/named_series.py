"""One named column of a log over steps."""

from __future__ import annotations

from ...record import Series
from .names import Role, role_of


class NamedSeries(Series):
    """A series that knows what its name says about it. Nothing is cleaned: values are in order of writing."""

    @property
    def role(self) -> Role:
        return role_of(self.name)
