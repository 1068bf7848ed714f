"""Other tools on the public programs of `benchmarks/real`: linters on the script, readers of curves on its losses.

    python -m benchmarks.peers.real FOLDER RECORDS [--half tune|unseen]

FOLDER holds the checkouts, RECORDS the records that `python -m benchmarks.real FOLDER --records RECORDS` has kept; a
tool that reads curves is handed the series of the record. Tools that have to be written into the training loop
(torchmortem, the live modes of trainpulse and training-doctor) are not asked: nothing is changed in a program here.
Counted are: programs without harm that get a warning or worse, and a grave one; faulty programs that get a warning,
and those whose fault is named. Most tools claim to find only a few of these faults; the last column says which.
"""

from __future__ import annotations

import argparse
import contextlib
import io
from pathlib import Path
from types import ModuleType

from benchmarks.real.__main__ import FINE, MANIFEST, Program, programs
from traindx.record import load

from ._base import Said, Table, installed


def said_of(module: ModuleType, program: Program, folder: Path, records: Path) -> list[Said] | None:
    checkout = folder / "checkouts" / program.repo.replace("/", "__") / program.workdir
    record = records / f"{program.id}.tdx"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            if hasattr(module, "say_of_source"):
                name = program.path if program.path != "-m" else program.arguments.split()[0].replace(".", "/") + ".py"
                return list(module.say_of_source(checkout / name))
            if not hasattr(module, "say"):
                return None
            table = Table.of(load(record))
            return list(module.say(table)) if len(table.train) > 1 else None
        except Exception:
            return None  # a tool that fails on a program has not read it


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("records", type=Path)
    parser.add_argument("--half", choices=("tune", "unseen"))
    options = parser.parse_args()
    chosen = [p for p in programs(MANIFEST) if options.half in (None, p.half)]
    found, skipped = installed()
    print(f"{'tool':<22}{'no harm: warned':>17}{'grave':>7}{'faulty: warned':>16}{'named':>7}{'unread':>8}  claims")
    for line in skipped:
        print(line)
    for module in found:
        answers = [(p, said_of(module, p, options.folder, options.records)) for p in chosen]
        read = [(p, said) for p, said in answers if said is not None]
        if not read:
            continue
        fine = [(p, said) for p, said in read if p.expected in FINE]
        faulty = [(p, said) for p, said in read if p.expected == "faulty"]
        warned = [sum(bool(said) for _, said in group) for group in (fine, faulty)]
        grave = sum(any(s.grave for s in said) for _, said in fine)
        named = sum(any(s.label in p.causes for s in said) for p, said in faulty)
        print(
            f"{module.NAME:<22}{warned[0]:>10} of {len(fine):<3}{grave:>7}{warned[1]:>10} of {len(faulty):<3}{named:>6}"
            f"{len(chosen) - len(read):>8}  {', '.join(sorted(module.CLAIMS))}"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
