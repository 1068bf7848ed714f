"""Changes settings of an optimizer's parameter groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._base import Intervening


class GroupSettings(Intervening):
    """Changes these settings in every group that has them, as soon as the optimizer is created."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__()
        # JSON has turned tuples into lists.
        self._settings = {name: tuple(v) if isinstance(v, list) else v for name, v in settings.items()}

    def optimizer_made(self, optimizer: Any) -> None:
        for group in optimizer.param_groups:
            for name, value in self._settings.items():
                if name in group and group[name] != value:
                    group[name] = value
                    self.acted += 1
        if not self.acted:
            self.note = f"no optimizer has a setting {' or '.join(self._settings)} to change"
