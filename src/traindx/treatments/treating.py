"""The treatment: a control run, then trials of the leading hypotheses until one is cured or the time is up."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..causes import all_causes
from ..diagnosis import Diagnosis, Effect, Headline, Treatment, TrialReport, diagnose
from ..edits.applying import digests
from ..probes.forking import fork_runs
from ..probes.launch import ProbeError, Script, Start, stop_all
from ..record import Run
from ..signs import Signs, measure_all
from ._arms import CONTROL, Arms, Length, Made, Silent, Watch
from ._base import Dose, Experiment, Intervention, Told
from ._candidates import Candidate, candidates_of, without_repeats, worth_treating
from ._conclusion import PROVES, conclusion, nothing_to_treat, ranked, rules_out
from ._controls import Controls, judged_by, kind_of
from ._judging import AT_CHANCE, RAISED
from ._outcomes import OF_LENGTH, symptoms
from ._range_test import beside_range_test
from ._trials import arm_of, try_dose
from .caching import TrialCache
from .on_ray import ray_cluster
from .rerun import confirm, fix_for

MOST_STEPS, LEAST_STEPS = 1000, 100
CONTROL_SECONDS = 60.0  # of training, after which a control ends if it has made the least steps
AT_ONCE = min(4, max(2, os.cpu_count() or 1))  # four runs are what two seeds of a trial need
LEARNED = ("training-learned", "validation-learned")
EARNED = 0.1  # from this level of those signs on, the run has learned more than noise
NAMED = 0.5  # a cause with at least this confidence is a suspicion
TRIALS = 3  # causes that are tested without --minutes …
MOST_CANDIDATES = 5  # … by so many patches, interventions and experiments
AFTER_ONSET = 3  # trials of a diverging run last this many times the steps until the divergence
SUGGESTS = 5.0  # the highest likelihood ratio of an experiment with a single seed
MOST_OF_TRIAL = 13  # runs: control and treated for five seeds, and three placebos


@dataclass(frozen=True)
class Options:
    """`minutes` limits the total time and allows more than three trials. `cache` None keeps no runs. `on` is the
    address of a Ray cluster."""

    minutes: float | None = None
    cache: Path | None = None
    at_once: int = AT_ONCE
    watch: Watch = field(default_factory=Silent)
    confirm: bool = True
    on: str | None = None


def treat(script: Script, options: Options) -> Diagnosis:
    """Treat the script. Raises `ProbeError` if it cannot be re-run. An interrupt keeps the finished trials."""
    folder = Path.cwd() if script.module else Path(script.path).resolve().parent
    before = {str(path): digest for path, digest in digests(folder).items()}  # an edit during the first arm shows
    with _starter(script, options) as (start, at_once):
        arms = Arms(script, start, TrialCache(options.cache), options.watch, at_once, before)
        try:
            return _Treating(script, arms, options).go()
        finally:
            arms.close()
            stop_all()


@contextmanager
def _starter(script: Script, options: Options) -> Iterator[tuple[Start, int]]:
    """A `Start` for runs, and how many may run at once."""
    if options.on is not None:
        with ray_cluster(script, options.on) as found:
            yield found
        return
    with fork_runs(script) as start:
        yield start, options.at_once


class _Treating:
    def __init__(self, script: Script, arms: Arms, options: Options) -> None:
        self._script, self._arms, self._options = script, arms, options
        self._began = time.monotonic()
        self._trials: list[TrialReport] = []
        self._told: dict[str, Told] = {}
        self._notes: list[str] = []
        self._won: tuple[Candidate, Dose] | None = None

    @property
    def _spent(self) -> float:
        return time.monotonic() - self._began

    def _in_time(self) -> bool:
        return self._options.minutes is None or self._spent < 60 * self._options.minutes

    def go(self) -> Diagnosis:
        first = self._arms.run(CONTROL, 0, self._first_length())
        if first.run is None:
            raise ProbeError(first.error or "the control run gave no record")
        run = first.run
        if first.cached:
            self._notes.append(
                "runs of an earlier treatment of the same sources and data files were reused; files that a library "
                "opens by itself are not compared, and --no-cache repeats the runs"
            )
        run.source = str(self._script)
        without = OF_LENGTH if first.cut else ()
        diagnosis = diagnose(run, without)
        signs = measure_all(run).without(without)
        if not worth_treating(diagnosis, run):
            found = Treatment("nothing-to-treat", nothing_to_treat(diagnosis), steps=run.steps)
            return self._with(
                diagnosis, replace(found, control_runs=1, seconds=self._spent, control_seconds=first.seconds)
            )
        candidates, refusals = candidates_of(diagnosis, run, signs)
        self._notes += refusals
        length = trial_length(run, diagnosis, first)
        controls = Controls(self._arms, length, signs, {0: first})
        self._announce(candidates, first, length)
        try:
            self._try(candidates, controls, diagnosis)
            return self._conclude(diagnosis, controls, run, signs, bool(candidates))
        except KeyboardInterrupt:
            stop_all()
            self._notes.append("interrupted: only what was finished by then is reported")
            return self._conclude(diagnosis, controls, run, signs, bool(candidates), interrupted=True)

    def _first_length(self) -> Length:
        seconds = CONTROL_SECONDS
        if self._options.minutes is not None:
            seconds = min(seconds, 60 * self._options.minutes / 4)
        return Length(MOST_STEPS, seconds, evaluation=True)

    def _announce(self, candidates: list[Candidate], first: Made, length: Length) -> None:
        if not candidates:
            return
        count = min(MOST_CANDIDATES, len(candidates)) if self._options.minutes is None else len(candidates)
        each = max(1.0, first.seconds * length.steps / max(1, first.run.steps if first.run else 1))
        runs = [
            (3, MOST_OF_TRIAL) if isinstance(c.unit, Intervention) else (len(c.doses),) * 2 for c in candidates[:count]
        ]
        least, most = runs[0][0], sum(upper for _, upper in runs)
        quick, slow = (math.ceil(n / self._options.at_once) * each / 60 for n in (least, most))
        cap = f", at most {self._options.minutes:g} min" if self._options.minutes is not None else ""
        names = "; ".join(dict.fromkeys(candidate.unit.title for candidate in candidates[:count]))
        self._options.watch.say(
            f"the control took {first.seconds:.0f} s for {first.run.steps if first.run else 0} steps; now {least} to "
            f"{most} runs of {length.steps} steps, about {quick:.1f} to {slow:.1f} min{cap}: {names}"
        )

    def _try(self, candidates: list[Candidate], controls: Controls, diagnosis: Diagnosis) -> None:
        tried: list[str] = []  # causes, one for each candidate
        left = list(candidates)
        while left and self._in_time():
            candidate = max(left, key=lambda each: each.worth(self._trials))
            left.remove(candidate)
            tried.append(candidate.hypothesis.cause)
            if self._options.minutes is None and (len(set(tried)) > TRIALS or len(tried) > MOST_CANDIDATES):
                break
            if isinstance(candidate.unit, Experiment):
                self._experiment(candidate, candidate.unit, controls)
                continue
            for dose in candidate.untried:
                report = try_dose(
                    controls, candidate.unit, candidate.hypothesis, dose,
                    fine=diagnosis.verdict != "sick", in_time=self._in_time, beside=candidate.beside,
                )  # fmt: skip
                self._trials.append(report)
                self._options.watch.say(f"{candidate.unit.title} ({dose.text}): {report.verdict}")
                if report.proves:
                    self._won = candidate, dose
                    return
                if dose.fix is not None and any(change.gone for change in report.symptoms):
                    left = without_repeats(left, candidate.hypothesis)
                if not self._in_time():
                    break

    def _experiment(self, candidate: Candidate, unit: Experiment, controls: Controls) -> None:
        began, cause, seeds = time.monotonic(), candidate.hypothesis.cause, 1
        told = self._ask(candidate, unit, controls, 0)
        if told.answer == "for" and told.factor >= PROVES and self._in_time():
            # One seed proves nothing: a second one must give the same answer.
            second, seeds = self._ask(candidate, unit, controls, 1), 2
            if second.answer != "for":
                told = Told("nothing", f"two seeds disagree: {told.text}; {second.text}")
        self._told[cause] = told if seeds > 1 else replace(told, factor=min(told.factor, SUGGESTS))
        report = TrialReport(
            unit.id, unit.title, cause, "no-change", seeds, Effect(told.text, math.nan, math.nan),
            dose="; ".join(dose.text for dose in candidate.doses), seconds=time.monotonic() - began, note=told.text,
            experiment=True,
        )  # fmt: skip
        self._trials.append(report)
        self._options.watch.say(f"{unit.title}: {told.text}")

    def _ask(self, candidate: Candidate, unit: Experiment, controls: Controls, seed: int) -> Told:
        """The answer of the experiment for one seed."""
        arms = [(arm, seed) for dose in candidate.doses if (arm := arm_of(unit, dose, controls)) is not None]
        if len(arms) < len(candidate.doses):
            return Told("nothing", "the patch does not fit the files as they are")
        steps = candidate.doses[0].steps
        if seed in controls.made:
            made = self._arms.all([(*each, controls.longer(steps)) for each in arms])
        else:
            made = controls.ensure([seed], arms, steps)
        control = controls.made[seed].run
        runs = [each.run for each in made if each.run is not None and not each.error]
        if len(runs) < len(made) or control is None:
            return Told("nothing", "the changed run failed")
        idle = [
            each for each, dose in zip(made, candidate.doses, strict=True)
            if dose.fix is None and each.found.acted == 0
        ]  # fmt: skip
        if idle:
            return Told("nothing", idle[0].found.note or "the change never took effect")
        return unit.tells(control, runs)

    def _conclude(
        self,
        diagnosis: Diagnosis,
        controls: Controls,
        run: Run,
        signs: Signs,
        any_candidate: bool,
        interrupted: bool = False,
    ) -> Diagnosis:
        if self._trials and controls.noiseless:
            self._notes.append(
                "control and placebo agree to the last bit, so the noise is unknown and only the effect size decides"
            )
        if not controls.seeded:
            self._notes.append("this script ignores seeds: two runs with the same seed differ, which counts as noise")
        factors = {cause: told.factor for cause, told in self._told.items()}
        hypotheses = ranked(diagnosis, self._trials, factors)
        patch, confirmed, cause = None, None, None
        won = self._won
        if won is not None and isinstance(won[0].unit, Intervention):
            candidate, dose = won
            cause = candidate.hypothesis.cause
            fix = dose.fix or fix_for(run, signs, cause, won[0].unit, dose, first=dose is candidate.doses[0])
            if self._patch_failed(cause) and fix.patch == all_causes()[cause].fix(run, signs).patch:
                fix = replace(fix, patch=None, code="", location=None)
                self._notes.append("the proposed patch was tried and cured nothing: the place to change is another one")
            patch = fix.patch
            hypotheses = [replace(h, fix=fix) if h.cause == cause else h for h in hypotheses]
            # One patch has removed these faults too: they need no fix of their own any more.
            beside = {h.cause for h in candidate.beside}
            hypotheses = [replace(h, basis="proven", fix=None) if h.cause in beside else h for h in hypotheses]
            if dose.fix is not None:
                confirmed = True  # the trial was a run of the patched script
            elif self._options.confirm and not interrupted:
                watched = symptoms(candidate.hypothesis, signs)
                kind = kind_of(self._trials[-1].effect.measure, judged_by(won[0].unit, dose, controls))
                confirmed = confirm(self._arms, controls, fix, watched, kind, self._trials[-1], dose.steps)
            if not interrupted:
                self._compare_with_range_test(dose)
        judged = replace(diagnosis, hypotheses=hypotheses)
        verdict, named, text = conclusion(judged, self._trials, self._told, cause, any_candidate)
        found = Treatment(
            verdict, text, self._trials, named, patch, confirmed, rules_out(diagnosis, self._trials),
            list(dict.fromkeys(self._notes)),
            steps=controls.length.steps, seconds=self._spent, control_runs=len(controls.made),
            control_seconds=controls.made[0].seconds,
        )  # fmt: skip
        return self._with(judged, found)

    def _patch_failed(self, cause: str) -> bool:
        """Whether the cause's own patch was tried and did not cure."""
        tried = [t for t in self._trials if t.cause == cause and t.intervention == "patch-script"]
        return any(t.verdict in ("no-change", "worse") for t in tried)

    def _compare_with_range_test(self, dose: Dose) -> None:
        rate = dose.options.get("lr") or (dose.fix.sets.get("lr") if dose.fix is not None else None)
        if isinstance(rate, float) and self._options.on is None and self._in_time():
            note = beside_range_test(self._script, self._arms.start, rate)
            self._notes += [note] if note else []

    def _with(self, diagnosis: Diagnosis, treatment: Treatment) -> Diagnosis:
        # What `treat` could settle it has settled, or could not.
        further = [test for test in diagnosis.next_tests if not test.command.startswith("traindx treat")]
        found = replace(diagnosis, treatment=treatment, next_tests=further)
        if treatment.verdict == "nothing-to-treat":
            return found
        proven = next((h for h in diagnosis.hypotheses if h.basis == "proven"), None)
        if proven is not None:
            # The cause is known, so general advice (`do_now`) is no longer needed.
            named = Headline("fault", proven.cause, proven.confidence, diagnosis.headline.since)
            return replace(
                found, verdict="sick", suspected=False, summary=treatment.text, headline=named, do_now=[], next_tests=[]
            )
        if diagnosis.verdict != "sick" and refuted(diagnosis):
            signs = diagnosis.signs
            learned = any(signs[s].level >= EARNED for s in LEARNED if s in signs)
            learned = learned and not any(signs[s].level >= RAISED for s in AT_CHANCE if s in signs)
            fine = ", and the outcome is fine" if learned else ""
            return replace(
                found,
                verdict="healthy" if learned else "inconclusive",
                suspected=False,
                summary=f"The suspicion is refuted by experiment{fine}. {treatment.text}",
                headline=Headline("healthy" if learned else "unclear", None, diagnosis.headline.confidence),
            )
        return found


def refuted(diagnosis: Diagnosis) -> bool:
    """Whether at least one cause was refuted and every likely one."""
    causes = [h for h in diagnosis.hypotheses if h.cause not in ("healthy", "unknown")]
    return any(h.basis == "refuted" for h in causes) and all(
        h.basis == "refuted" or h.confidence < NAMED for h in causes
    )


def trial_length(run: Run, diagnosis: Diagnosis, first: Made) -> Length:
    """As many steps as the control made; fewer if it diverged early."""
    steps = min(MOST_STEPS, run.steps)
    broken = [s for s in diagnosis.symptoms if s.id in ("loss-not-finite", "loss-diverged")]
    diverged = [sign.onset for sign in broken if sign.onset is not None]
    if diverged:
        steps = min(max(2 * LEAST_STEPS, AFTER_ONSET * min(diverged)), max(steps, 2 * LEAST_STEPS))
    elif first.error:
        steps = max(steps, 2 * LEAST_STEPS)  # the control ended with an error; a cured run goes on
    evaluates = bool(run.series("loss/validation")) or bool(run.series("score/validation"))
    seconds = max(CONTROL_SECONDS, 3 * first.seconds)
    return Length(max(1, steps), seconds, evaluation=evaluates)
