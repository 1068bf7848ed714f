"""The results of trials as lines of text, shared by the renderers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..diagnosis import Treatment, TrialReport
from ..wording import num
from .layout import Page

HEADS = {
    "cured": ("CURED", "green"),
    "helped": ("HELPED", "yellow"),
    "no-proven-fix": ("NO PROVEN FIX", "yellow"),
    "nothing-to-treat": ("NOTHING TO TREAT", "green"),
    "not-treatable": ("NOT TREATABLE", "yellow"),
}
LARGEST = -0.95  # larger relative improvements are shown as "at least 95 % lower"
VERDICTS = {"no-change": "no change"}
CONFIRMED = {
    True: "The patched script was run once in place of your file, isolated, and behaves like the trial.",
    False: "The patched script was run once and does NOT behave like the trial: check it before you apply it.",
}
CONFIRMED_ARGUMENT = {
    True: "Your script was run once with the changed argument, isolated, and behaves like the trial.",
    False: "Your script was run once with the changed argument and does NOT behave like the trial.",
}


def treated(page: Page, treatment: Treatment, headline: str) -> None:
    """The verdict of the trials, one line for each trial, and their cost. `headline` is already on the page."""
    word, style = HEADS[treatment.verdict]
    page.gap()
    page.prose("TREATED", word if treatment.text in headline else f"{word}: {treatment.text}", style=style)
    page.items("TRIALS", [trial_line(trial) for trial in treatment.trials], most=6)
    page.items("RULED OUT", treatment.rules_out, most=4)
    confirmed = confirmation(treatment)
    if confirmed:
        page.prose("CONFIRMED" if treatment.confirmed_by_patched_run else "NOT CONFIRMED", confirmed)
    page.items("NOTE", treatment.notes, most=4)
    if treatment.trials:
        page.prose("COST", cost(treatment), style="dim")


def lines(treatment: Treatment) -> Iterator[str]:
    """The same as Markdown list items."""
    word, _ = HEADS[treatment.verdict]
    yield f"**{word.capitalize()}**: {treatment.text}"
    yield from (trial_line(trial) for trial in treatment.trials)
    yield from (f"Ruled out: {text}" for text in treatment.rules_out)
    if confirmed := confirmation(treatment):
        yield confirmed
    yield from (f"Note: {text}" for text in treatment.notes)
    if treatment.trials:
        yield cost(treatment)


def trial_line(trial: TrialReport) -> str:
    if trial.experiment:
        return f"{trial.title} ({trial.cause}): {trial.note}"
    verdict = VERDICTS.get(trial.verdict, trial.verdict)
    head = f"{trial.title}: {trial.dose} ({trial.cause}): {verdict}"
    note = f" ({trial.note})" if trial.note else ""
    effect = trial.effect
    if not trial.seeds:
        return f"{head}{note}"
    moved = f"{effect.measure} {_number(effect.control)} -> {_number(effect.treated)}"
    comparable = math.isfinite(effect.control) and math.isfinite(effect.treated) and effect.measure != "loss-free score"
    if comparable and effect.interval is not None and effect.change is not None:
        moved += _change(effect.change, *effect.interval)
    return f"{head}{note}; {moved}, {trial.seeds} {'seed' if trial.seeds == 1 else 'seeds'}"


def confirmation(treatment: Treatment) -> str | None:
    """What a run with the fix applied shows; None if there was no such run."""
    confirmed = treatment.confirmed_by_patched_run
    return None if confirmed is None else (CONFIRMED if treatment.patch else CONFIRMED_ARGUMENT)[confirmed]


def _change(change: float, low: float, high: float) -> str:
    """The relative change with its interval, or only a bound if it is very large."""
    if change <= LARGEST:
        return f", at least {-100 * LARGEST:.0f} % lower"
    return f", {100 * change:+.0f} % (95 % interval {100 * low:+.0f} % to {100 * high:+.0f} %)"


def cost(treatment: Treatment) -> str:
    minutes = f"{treatment.seconds / 60:.1f} min" if treatment.seconds >= 90 else f"{treatment.seconds:.0f} s"
    controls = "one control" if treatment.control_runs == 1 else f"{treatment.control_runs} controls"
    return f"{minutes}, runs of {treatment.steps} steps, {controls}"


def _number(value: float) -> str:
    return num(value) if math.isfinite(value) else "not finite"
