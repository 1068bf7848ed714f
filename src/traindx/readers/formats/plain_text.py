"""Free text: what training scripts print, in any style, and parts of it that people paste."""

from __future__ import annotations

from ...record import Run
from ..options import Options
from ..source import Source

KIND = "text"


def sniff(source: Source) -> float:
    """Accept any text, as the last resort. Only reading it shows whether its numbers have names."""
    return 0.2 if source.is_text else 0.0


def read(source: Source, options: Options) -> list[Run]:
    from ..text.document import runs_in  # here, because most logs are no free text and this imports a lot

    return runs_in(source, KIND, options)
