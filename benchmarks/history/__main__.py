"""How often a run resembles a solved case, and how often the two have the same cause.

    python -m benchmarks.history

The history is made of the zoo's faulty runs (`benchmarks/accuracy/corpus.jsonl.gz`), as if each had been treated and
its true cause proven. Then every other program is looked up: runs of the zoo in the cases of other hosts, and field
programs (`benchmarks/accuracy/field.jsonl.gz`) in all cases. Thresholds were chosen on these same figures, and
the diagnosis that says which causes are possible was fitted on these same runs: expect less of new programs.
"""

from __future__ import annotations

from benchmarks.accuracy.__main__ import CORPUS, FIELD
from traindx.diagnosis.diagnose import NEGLIGIBLE, SHOWN
from traindx.diagnosis.parameters import current
from traindx.history.mention import SIMILAR, similarity
from traindx.zoo.corpus import Row, read


def nearest(row: Row, cases: list[Row]) -> Row | None:
    """The case that the diagnosis of this run would mention."""
    chances = current().causes_given_wrong(row.observed, "observed")
    leading = sorted(chances, key=lambda cause: -chances[cause])[:SHOWN]
    possible = {cause for cause in leading if chances[cause] >= NEGLIGIBLE}
    near = [case for case in cases if case.cause in possible and case.host != row.host]
    scored = [(similarity(row.observed, case.observed), case) for case in near]
    best, found = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return found if best >= SIMILAR else None


def main() -> None:
    zoo, field = read(CORPUS), read(FIELD)
    cases = [row for row in zoo if row.cause != "healthy"]
    for name, rows in (("zoo, cases of other hosts", zoo), ("field programs, cases of the zoo", field)):
        faulty = [(row, nearest(row, cases)) for row in rows if row.cause != "healthy"]
        told = [(row, case) for row, case in faulty if case is not None]
        right = sum(case.cause in (row.cause, *row.also) for row, case in told)
        print(f"{name}: a case is mentioned for {len(told)} of {len(faulty)} faulty runs, rightly for {right}")


if __name__ == "__main__":
    main()
