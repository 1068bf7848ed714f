"""The treatment: a control run, then trials of the leading hypotheses until one is cured or the time is up."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..diagnosis import Diagnosis, Effect, Hypothesis, Treatment, TrialReport, diagnose, judged_signs
from ..probes.fork_server import fork_server
from ..probes.launch import ProbeError, Script, Start, stop_all
from ..record import Run
from ..signs import Signs
from ._arms import CONTROL, Arm, Arms, Length, Made, Silent, Watch
from ._base import Dose, Experiment, Intervention, Refusal, Told, all_experiments, all_interventions
from ._controls import Controls, judged_by, kind_of
from ._patches import confirm, fix_for
from ._range_test import beside_range_test
from ._ranking import FACTORS, PROVES, ranked
from ._symptoms import OF_LENGTH, symptoms
from ._trials import try_dose
from ._wording import conclusion, nothing_to_treat, rules_out
from .caching import TrialCache, file_digests
from .on_ray import ray_cluster
from .untreatable import WHY_NOT

MOST_STEPS, LEAST_STEPS = 1000, 100
CONTROL_SECONDS = 60.0  # of training, after which a control ends if it has made the least steps
AT_ONCE = 2
LEARNED = ("training-learned", "validation-learned")
EARNED = 0.1  # from this level of those signs on, the run has learned more than noise
NAMED = 0.5  # a cause with at least this confidence is a suspicion
LIKELY = 0.3  # a cause with at least this confidence is tested although the outcome is fine
POSSIBLE = 0.1  # the same for an inconclusive run
TRIALS = 3  # without --minutes
AFTER_ONSET = 3  # trials of a diverging run last this many times the steps until the divergence
SUGGESTS = 5.0  # the highest likelihood ratio of an experiment with a single seed
MOST_OF_TRIAL = 13  # runs: control and treated for five seeds, and three placebos
WORTH = 0.03  # hypotheses below this confidence are not tested


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


@dataclass(frozen=True)
class Candidate:
    """A hypothesis and a way to test it."""

    hypothesis: Hypothesis
    unit: Intervention | Experiment
    doses: tuple[Dose, ...]

    def worth(self, tried: Sequence[TrialReport] = ()) -> tuple[bool, float]:
        """The sort key: faults that were seen directly come first, then probability times decisiveness over cost.
        Earlier trials of the same cause that changed nothing lower its probability."""
        decisive = self.unit.decisive if isinstance(self.unit, Intervention) else 0.5
        hypothesis = self.hypothesis
        factor = min([FACTORS[t.verdict] for t in tried if t.cause == hypothesis.cause and not t.experiment], default=1)
        return hypothesis.basis == "seen", hypothesis.confidence * min(1, factor) * decisive / self.unit.cost


def treat(script: Script, options: Options) -> Diagnosis:
    """Treat the script. Raises `ProbeError` if it cannot be re-run. An interrupt keeps the finished trials."""
    before = {} if script.module else file_digests([str(Path(script.path).resolve())])
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
    with fork_server(script) as start:
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
        signs = judged_signs(run).without(without)
        if not worth_treating(diagnosis):
            found = Treatment("nothing-to-treat", nothing_to_treat(diagnosis), steps=run.steps)
            return self._with(
                diagnosis, replace(found, control_runs=1, seconds=self._spent, control_seconds=first.seconds)
            )
        candidates = list(self._candidates(diagnosis, run, signs))
        length = trial_length(run, diagnosis, first)
        controls = Controls(self._arms, length, signs, {0: first})
        self._announce(candidates, first, length)
        try:
            self._try(candidates, controls, run, diagnosis)
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

    def _candidates(self, diagnosis: Diagnosis, run: Run, signs: Signs) -> Iterator[Candidate]:
        found = []
        for hypothesis in diagnosis.hypotheses:
            if hypothesis.confidence < WORTH or hypothesis.cause in ("healthy", "unknown"):
                continue
            units: list[Intervention | Experiment] = [*all_interventions().values(), *all_experiments().values()]
            if hypothesis.cause in WHY_NOT:
                self._notes.append(f"not tested: {hypothesis.title} ({WHY_NOT[hypothesis.cause]})")
            for unit in units:
                if hypothesis.cause not in unit.tests:
                    continue
                ask = unit.doses if isinstance(unit, Intervention) else unit.arms
                doses = ask(run, signs, hypothesis.cause)
                if isinstance(doses, Refusal):
                    self._notes.append(f"not tried: {unit.title} ({doses.reason})")
                elif doses:
                    found.append(Candidate(hypothesis, unit, tuple(doses)))
        yield from sorted(found, key=lambda candidate: candidate.worth(), reverse=True)

    def _announce(self, candidates: list[Candidate], first: Made, length: Length) -> None:
        if not candidates:
            return
        count = min(TRIALS, len(candidates)) if self._options.minutes is None else len(candidates)
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

    def _try(self, candidates: list[Candidate], controls: Controls, run: Run, diagnosis: Diagnosis) -> None:
        tried, left = 0, list(candidates)
        while left and self._in_time() and (self._options.minutes is not None or tried < TRIALS):
            candidate = max(left, key=lambda each: each.worth(self._trials))
            left.remove(candidate)
            tried += 1
            if isinstance(candidate.unit, Experiment):
                self._experiment(candidate, candidate.unit, controls, run)
                continue
            for dose in candidate.doses:
                report = try_dose(
                    controls, candidate.unit, candidate.hypothesis, dose,
                    fine=diagnosis.verdict != "sick", in_time=self._in_time,
                )  # fmt: skip
                self._trials.append(report)
                self._options.watch.say(f"{candidate.unit.title} ({dose.text}): {report.verdict}")
                if report.verdict == "cured":
                    self._won = candidate, dose
                    return
                if not self._in_time():
                    break

    def _experiment(self, candidate: Candidate, unit: Experiment, controls: Controls, run: Run) -> None:
        began, cause, seeds = time.monotonic(), candidate.hypothesis.cause, 1
        told = self._ask(candidate, unit, controls, run, 0)
        if told.answer == "for" and told.factor >= PROVES and self._in_time():
            # One seed proves nothing: a second one must give the same answer.
            second, seeds = self._ask(candidate, unit, controls, None, 1), 2
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

    def _ask(self, candidate: Candidate, unit: Experiment, controls: Controls, control: Run | None, seed: int) -> Told:
        """The answer of the experiment for one seed; a missing `control` is run."""
        arms = [(Arm(dose.text, unit.module, dose.options), seed) for dose in candidate.doses]
        if control is None:
            made = controls.ensure([seed], arms)
            control = controls.made[seed].run
        else:
            made = self._arms.all([(*each, controls.length) for each in arms])
        runs = [each.run for each in made if each.run is not None and not each.error]
        if len(runs) < len(made) or control is None:
            return Told("nothing", "the changed run failed")
        idle = [each for each in made if each.found.get("acted") == 0]
        if idle:
            return Told("nothing", str(idle[0].found.get("note") or "") or "the change never took effect")
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
            patch = fix.patch
            hypotheses = [replace(h, fix=fix) if h.cause == cause else h for h in hypotheses]
            if self._options.confirm and not interrupted:
                watched = symptoms(candidate.hypothesis, signs)
                kind = kind_of(self._trials[-1].effect.measure, judged_by(won[0].unit, dose, controls))
                # If the trial used the patch itself, the patched script has already run.
                confirmed = dose.fix is not None or confirm(
                    self._arms, controls, fix, watched, kind, self._trials[-1], dose.steps
                )
                self._compare_with_range_test(dose)
        verdict, named, text = conclusion(diagnosis, self._trials, self._told, cause, any_candidate)
        found = Treatment(
            verdict, text, self._trials, named, patch, confirmed, rules_out(diagnosis, self._trials),
            list(dict.fromkeys(self._notes)),
            steps=controls.length.steps, seconds=self._spent, control_runs=len(controls.made),
            control_seconds=controls.made[0].seconds,
        )  # fmt: skip
        return self._with(replace(diagnosis, hypotheses=hypotheses), found)

    def _compare_with_range_test(self, dose: Dose) -> None:
        rate = dose.options.get("lr")
        if isinstance(rate, float) and self._options.on is None and self._in_time():
            note = beside_range_test(self._script, rate)
            self._notes += [note] if note else []

    def _with(self, diagnosis: Diagnosis, treatment: Treatment) -> Diagnosis:
        found = replace(diagnosis, treatment=treatment)
        if treatment.verdict == "nothing-to-treat":
            return found
        if any(hypothesis.basis == "proven" for hypothesis in diagnosis.hypotheses):
            # The cause is known, so general advice (`do_now`) is no longer needed.
            return replace(found, verdict="sick", suspected=False, summary=treatment.text, do_now=[], next_tests=[])
        if diagnosis.verdict != "sick" and refuted(diagnosis):
            learned = any((diagnosis.signs[s].level >= EARNED) for s in LEARNED if s in diagnosis.signs)
            summary = f"The suspicion is refuted by experiment, and the outcome is fine. {treatment.text}"
            return replace(found, verdict="healthy" if learned else "inconclusive", suspected=False, summary=summary)
        return found


def refuted(diagnosis: Diagnosis) -> bool:
    """Whether at least one cause was refuted and every likely one."""
    causes = [h for h in diagnosis.hypotheses if h.cause not in ("healthy", "unknown")]
    return any(h.basis == "refuted" for h in causes) and all(
        h.basis == "refuted" or h.confidence < NAMED for h in causes
    )


def worth_treating(diagnosis: Diagnosis) -> bool:
    """Whether something is wrong or suspected, or a cause is likely enough to test although the outcome is fine."""
    if diagnosis.verdict == "out-of-scope":
        return False
    if diagnosis.verdict == "sick" or diagnosis.suspected:
        return True
    enough = POSSIBLE if diagnosis.verdict == "inconclusive" else LIKELY
    return any(h.confidence >= enough for h in diagnosis.hypotheses if h.cause not in ("healthy", "unknown"))


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
