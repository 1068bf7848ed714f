"""The limits of signs against what healthy runs show, and the numbers in signs that have neither a name nor a reason.

    python -m benchmarks.reference.limits

One line for each sign with a scale whose value the table of reference ranges knows: where its level begins, where it is
raised, and where in the distribution of healthy runs that lies. Then a count: numbers in the bodies of functions (0, 1
and 2 left out), numbers that are limits in the decorator of a sign, and named constants, with and without a comment.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import traindx.signs
from traindx.facts import Quantity, Range, all_quantities, shipped
from traindx.signs import Scale, SignUnit, all_signs

SOURCE = Path(traindx.signs.__file__).parent
PLAIN = (0, 1, 2)


@dataclass(frozen=True)
class Limit:
    """The scale of a sign beside one range of the quantity that it measures."""

    unit: SignUnit
    scale: Scale
    quantity: Quantity
    range: Range

    @property
    def beyond(self) -> float:
        """The share of healthy runs, in per cent, that raise the sign."""
        place = self.range.percentile(self.scale.raised_from, self.quantity)
        return 100.0 - place if self.scale.gross > self.scale.normal else place


def limits() -> Iterator[Limit]:
    for quantity in all_quantities().values():
        unit = all_signs().get(quantity.sign)
        if unit is not None and unit.scale is not None and quantity.id == unit.id:
            for found in shipped().ranges.get(quantity.id, {}).values():
                yield Limit(unit, unit.scale, quantity, found)


def counts() -> dict[str, int]:
    found = {"in functions": 0, "limits of signs": 0, "named, with a comment": 0, "named, without": 0}
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                commented = "#" in lines[node.lineno - 1] or lines[node.lineno - 2].startswith("#")
                found["named, with a comment" if commented else "named, without"] += _numbers(node)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                decorating = sum(map(_numbers, node.decorator_list))
                found["limits of signs"] += decorating
                found["in functions"] += _numbers(node) - decorating
    return found


def _numbers(node: ast.AST) -> int:
    values = [c.value for c in ast.walk(node) if isinstance(c, ast.Constant) and type(c.value) in (int, float)]
    return sum(value not in PLAIN for value in values)


def main() -> None:
    for limit in sorted(limits(), key=lambda limit: -limit.beyond):
        s, q = limit.scale, limit.range
        print(
            f"{limit.unit.id:34} 0 up to {s.normal:<8g} raised at {s.raised_from:<8.3g} 1 from {s.gross:<8g} "
            f"raised in {limit.beyond:4.1f} % of healthy runs ({q.stratum}, {q.hosts} programs)"
        )
    print("; ".join(f"{name}: {count}" for name, count in counts().items()))


if __name__ == "__main__":
    main()
