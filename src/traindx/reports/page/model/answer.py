"""The first screen and what stands below it: verdict, causes, checks, trials, facts, and where each can be seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ....causes import Fix
from ....diagnosis import Diagnosis, Hypothesis, TrialReport
from ....facts import WIRING, percentile_words, range_words, shown
from ....record import Run, Series
from ....signs import Sign, all_signs
from ....wording import lowered, probability, sentence
from ..._charts import spans_decades
from ..._findings import (
    HEADS,
    NEGLIGIBLE,
    basis,
    confirmation,
    cost,
    counted_cases,
    faults,
    foremost,
    leading,
    patched_fault,
    placed_fix,
    remedies,
    stands_out,
    tested,
    told_in_full,
    trial_line,
    worked,
)
from ..._sections import SAFETY, change, next_commands
from ..._states import cured_by, state
from ...json import picked, strict
from .charts import WORDS_OF, packed

PANELS = WORDS_OF["panels"]
BY_ID = WORDS_OF["panels_of_signs"]
QUANTITIES = WORDS_OF["quantities_of_signs"]
SERIES = {"loss": ("loss/train", "loss/validation"), "gradient": ("grad_norm",), "rate": ("lr",)}


def by_text(signs: Iterable[Sign]) -> dict[str, Sign]:
    """The signs by their text. Evidence quotes that text, so the text leads back to the sign."""
    return {sign.text: sign for sign in signs}


def place(run: Run, sign: Sign | None) -> dict[str, Any] | None:
    """The place of a sign on the page; None if nothing on the page shows it."""
    unit = all_signs().get(sign.id) if sign else None
    if sign is None or unit is None:
        return None
    panel = BY_ID.get(sign.id) or PANELS.get(unit.family)
    if panel == "layers":
        return _in_layers(run, sign)
    if panel in SERIES and not any(run.series(name) for name in SERIES[panel]):
        return None
    # A fault that is present from the first step on has no particular place on the curve.
    if panel is None or (panel == "loss" and not sign.onset and unit.family in ("wiring", "outputs", "deep")):
        return None
    return {"panel": panel, "step": None if sign.onset is None else int(sign.onset)}


def _in_layers(run: Run, sign: Sign) -> dict[str, Any] | None:
    usual = "grad_norm" if all_signs()[sign.id].family == "gradients" else "weight_norm"
    quantity = QUANTITIES.get(sign.id, usual)
    if not run.layers(quantity):
        return None
    layer = sign.values.get("layer")
    return {
        "panel": "layers",
        "step": None if sign.onset is None else int(sign.onset),
        "layer": layer if isinstance(layer, str) else None,
        "quantity": quantity,
    }


MOST_CARDS = 6


def causes(run: Run, diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """The causes. The leading cause and additional faults are shown in full (`open`), the others collapsed.

    Where the headline names a condition, these are the faults that may lie behind it.
    """
    if diagnosis.verdict in ("healthy", "out-of-scope"):
        return []
    known = by_text(diagnosis.signs.values())
    if diagnosis.headline.kind == "condition" and diagnosis.conditions:
        named = leading(diagnosis)
        return [
            {**_card(run, h, known, opened=False), "cases": counted_cases(diagnosis, named, h).removeprefix(", ")}
            for h in faults(diagnosis)
        ]
    likely = [h for h in diagnosis.hypotheses if h.confidence >= NEGLIGIBLE or h.beside is not None]
    leads = bool(likely) and stands_out(likely[0])
    return [
        _card(run, hypothesis, known, opened=hypothesis.beside is not None or (leads and hypothesis is likely[0]))
        for hypothesis in likely[:MOST_CARDS]
    ]


def conditions(run: Run, diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """What the run is in, the condition of the headline first."""
    known = by_text(diagnosis.signs.values())
    return [
        picked(
            found,
            "id title avoid",
            confidence=round(float(found.confidence), 4),
            share=probability(found.confidence),
            basis="measured",
            leads=found.id == diagnosis.headline.id,
            follows=found.follows_from is not None,
            evidence=_placed(run, found.evidence, known),
        )
        for found in sorted(diagnosis.conditions, key=lambda one: one.id != diagnosis.headline.id)
    ]


def _card(run: Run, hypothesis: Hypothesis, known: dict[str, Sign], *, opened: bool) -> dict[str, Any]:
    return picked(
        hypothesis,
        "cause title avoid verify reference",
        confidence=round(float(hypothesis.confidence), 4),
        share=probability(hypothesis.confidence),
        basis=basis(hypothesis),
        additional=hypothesis.beside is not None,
        open=opened,
        evidence=_placed(run, hypothesis.evidence, known),
        against=_placed(run, hypothesis.against, known),
        follows=_placed(run, hypothesis.consequences, known),
        tested=tested(hypothesis.trial) if hypothesis.trial else "",
        fix=fix_block(hypothesis.fix) if hypothesis.fix else None,
    )


def _placed(run: Run, texts: Any, known: dict[str, Sign]) -> list[dict[str, Any]]:
    return [{"text": text, "place": place(run, known.get(text))} for text in texts]


def fix_block(fix: Fix) -> dict[str, Any]:
    """`lines` are shown; `copy` goes to the clipboard: the patch for `patch -p1`, or else the code."""
    diff = bool(fix.patch)
    return {
        "summary": fix.summary,
        "safety": SAFETY[fix.safety],
        "where": str(fix.location) if fix.location else "",
        "diff": diff,
        "lines": [[line[:1] or " ", line[1:]] if diff else [" ", line] for line in change(fix)],
        "copy": fix.patch or fix.code,
    }


def symptoms(run: Run, diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """Raised signs that neither the summary nor the leading cause mentions."""
    told = {diagnosis.summary, *(text for h in diagnosis.hypotheses[:1] for text in [*h.evidence, *h.consequences])}
    accounted = {name for found in diagnosis.conditions for name in (found.sign.id, *found.signs)}
    return [
        picked(sign, "severity text", sign=sign.id, place=place(run, sign))
        for sign in diagnosis.symptoms
        if sign.severity != "info"
        and sign.text not in told
        and sign.text not in diagnosis.summary
        and sign.id not in accounted
    ]


def checks(diagnosis: Diagnosis) -> dict[str, Any]:
    answered = [q.finding for q in diagnosis.questions]
    return {
        **picked(diagnosis, "not_measured errors"),
        "asked": [picked(q, "question finding trouble") for q in diagnosis.questions],
        "normal": [text for text in diagnosis.checked if not any(text in finding for finding in answered)],
        "looks": [*([f"Terms of the loss: {diagnosis.terms}"] if diagnosis.terms else []), *diagnosis.looks],
        "advice": [picked(advice, "cause text") for advice in diagnosis.advice],
    }


def commands(diagnosis: Diagnosis) -> list[dict[str, str]]:
    return [{"command": command, "why": why} for command, why in next_commands(diagnosis)]


LONGEST_TITLE = 90  # characters; a longer sentence without a colon is its own title


def verdict(diagnosis: Diagnosis) -> dict[str, Any]:
    found, trial = state(diagnosis), cured_by(diagnosis)
    trials = list(diagnosis.treatment.trials) if diagnosis.treatment else []
    title, _, told = diagnosis.summary.partition(": ")
    if len(title) > LONGEST_TITLE:
        title, told = diagnosis.summary, ""
    if diagnosis.verdict == "healthy":  # its conditions stand below, with their evidence
        for finding in diagnosis.conditions:
            told = told.partition(f" {finding.title}: ")[0]
    if trial is not None:
        title, told = _cure(diagnosis, trial), diagnosis.treatment.text if diagnosis.treatment else ""
    return {
        **picked(found, "word mark", state=found.key),
        "sentence": diagnosis.summary,
        "title": title,
        "told": sentence(told),
        "do_now": list(diagnosis.do_now),
        "since": diagnosis.marked,
        "trial": None if trial is None else trials.index(trial),
        "fix": _fix(diagnosis),
        "remedies": _remedies(diagnosis),
    }


def _cure(diagnosis: Diagnosis, trial: TrialReport) -> str:
    """The change that cured; of a patch, which stands beside it, the fault that it removed."""
    cause = next((h.title for h in diagnosis.hypotheses if h.cause == trial.cause), "")
    if cause and trial.intervention == "patch-script":
        return f"Cured by the patch: {lowered(cause)}"
    dose = f" ({trial.dose})" if trial.dose else ""
    return f"Cured by: {trial.title[:1].lower()}{trial.title[1:]}{dose}"


def _fix(diagnosis: Diagnosis) -> dict[str, Any] | None:
    """The proven patch; without one, the fix of the fault that the headline names."""
    treatment = diagnosis.treatment
    if treatment is not None and treatment.patch:
        return {**fix_block(Fix("The proven patch", "", patch=treatment.patch)), "safety": "tested"}
    if cured_by(diagnosis) is not None and treatment is not None:
        found = next((h for h in diagnosis.hypotheses if h.cause == treatment.cause), None)
    elif diagnosis.headline.kind == "condition" and diagnosis.conditions:
        likely, placed = patched_fault(diagnosis), placed_fix(diagnosis)
        if likely is not None and likely.fix is not None:
            told = f"{likely.title}, {probability(likely.confidence)}: {likely.fix.summary}"
            return {**fix_block(likely.fix), "summary": told}
        return fix_block(placed) if placed is not None else None
    else:
        found = foremost(diagnosis) if told_in_full(diagnosis) else None
    return fix_block(found.fix) if found is not None and found.fix else None


def _remedies(diagnosis: Diagnosis) -> list[dict[str, str]]:
    if diagnosis.headline.kind != "condition" or not diagnosis.conditions or cured_by(diagnosis) is not None:
        return []
    return [
        {"text": remedy.text, "code": remedy.code or "", "worked": worked(remedy.verify)}
        for remedy in remedies(diagnosis)
    ]


def treatment(diagnosis: Diagnosis) -> dict[str, Any] | None:
    """The treatment with its sentences; without a treatment, the trials attached to the hypotheses."""
    found = diagnosis.treatment
    if found is None:
        single = [{"cause": h.cause, "title": h.title, **strict(h.trial)} for h in diagnosis.hypotheses if h.trial]
        return {"word": "", "sentence": "", "trials": single, "remarks": [], "patch": None} if single else None
    confirmed = confirmation(found)
    return {
        "word": HEADS[found.verdict][0].capitalize(),
        "sentence": found.text,
        "trials": [
            {**strict(trial.as_object()), "line": trial_line(trial), "curves": _curves(trial)} for trial in found.trials
        ],
        "remarks": [
            *([confirmed] if confirmed else []),
            *(f"Ruled out: {text}" for text in found.rules_out),
            *found.notes,
            *([cost(found)] if found.trials else []),
        ],
        "patch": found.patch,
    }


def _curves(trial: TrialReport) -> dict[str, Any] | None:
    series = [Series(c.label, np.array(c.steps, int), np.array(c.losses, float)) for c in trial.curves]
    lines = [{"name": one.name, "label": one.name.capitalize(), **packed(one)} for one in series]
    return {"log": spans_decades(series), "lines": lines} if lines else None


def facts(diagnosis: Diagnosis) -> dict[str, Any] | None:
    measured = [fact for fact in diagnosis.facts if fact.question != WIRING]
    wiring = [fact.text for fact in diagnosis.facts if fact.question == WIRING]
    if not measured and not wiring:
        return None
    rows = [
        {
            "flag": fact.flag or "",
            "name": fact.name,
            "where": fact.where or "",
            "cells": [
                shown(fact.value, fact.unit),
                range_words(*fact.reference, fact.unit or "") if fact.reference else "",
                percentile_words(fact),
                "" if fact.n is None else str(fact.n),
            ],
        }
        for fact in measured
    ]
    return {"rows": rows, "wiring": wiring}
