"""The same curves given to other tools: found where two engineers would agree, and alarms on healthy curves."""

from __future__ import annotations

from benchmarks.peers._base import Table, installed
from traindx.record import Run

from .healthy import KINDS
from .sick import FAULTS

MOST = 500  # points; some of the tools take minutes for more


def main(pool: str, seeds: int) -> None:
    from .__main__ import healthy_runs, raised, sick_runs

    tools, skipped = installed()
    print(
        f"\nother tools on the same curves of up to {MOST} points: found at effects where two engineers would agree "
        "(brackets: not claimed by the tool)"
    )
    for line in skipped:
        print(line)
    print(f"{'fault':<26}{'traindx':>9}" + "".join(f"{tool.NAME:>24}" for tool in tools))
    for fault in FAULTS:
        runs = [
            run
            for e in fault.effects
            if e >= fault.agreed
            for _, run in sick_runs(fault, e, pool, seeds)
            if _short(run)
        ]
        ours = sum(any(sign.id in fault.signs for sign in raised(run)) for run in runs)
        cells = [f"{ours}/{len(runs)}".rjust(9)]
        for tool in tools:
            hits = sum(any(said.label in fault.labels for said in _say(tool, run)) for run in runs)
            cell = f"{hits}/{len(runs)}"
            cells.append((cell if fault.labels & tool.CLAIMS else f"({cell})").rjust(24))
        print(f"{fault.name:<26}" + "".join(cells))
    runs = [(kind, run) for kind in KINDS for _, run in healthy_runs(kind, pool, seeds) if _short(run)]
    alarms = sum(any(s.severity != "info" and s.id not in k.expected for s in raised(run)) for k, run in runs)
    cells = [f"{alarms}/{len(runs)}".rjust(9)]
    for tool in tools:
        wrong = sum(any(said.grave for said in _say(tool, run)) for _, run in runs)
        cells.append(f"{wrong}/{len(runs)}".rjust(24))
    print(f"{'alarms on healthy curves':<26}" + "".join(cells))


def _short(run: Run) -> bool:
    return len(run.series("loss/train")) <= MOST


def _say(tool, run):  # type: ignore[no-untyped-def]
    try:
        return tool.say(Table.of(run))
    except Exception:  # a tool that fails on a curve has said nothing of it
        return []
