"""What a diagnosis says. Renderers read these types and compute nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..causes import Fix
from ..conditions import Finding
from ..facts import Fact
from ..record import Series
from ..signs import Sign
from ..wording import clean, probability
from .treatment import Treatment

Verdict = Literal["healthy", "sick", "inconclusive", "out-of-scope"]
# Caught in the act, established by measurement, inferred from dynamics or a curve, or settled by an experiment.
Basis = Literal["seen", "measured", "suspected", "proven", "refuted"]
Kind = Literal["fault", "condition", "suspicion", "healthy", "unclear", "out-of-scope"]


@dataclass(frozen=True)
class Headline:
    """The answer in one id: what the summary names."""

    kind: Kind
    id: str | None
    confidence: float
    since: int | None = None


@dataclass(frozen=True)
class Contribution:
    """How much one sign moved one hypothesis: `amount` is in log-odds, `weight` times `level`."""

    sign: str
    level: float
    weight: float
    amount: float


@dataclass(frozen=True, repr=False)
class Hypothesis:
    """One possible cause (or `healthy`, or `unknown`) with its calibrated probability."""

    cause: str
    confidence: float
    title: str
    basis: Basis = "suspected"
    evidence: Sequence[str] = ()
    against: Sequence[str] = ()
    consequences: Sequence[str] = ()  # what follows from it and needs no fix of its own
    fix: Fix | None = None
    avoid: Sequence[str] = ()
    verify: str = ""
    reference: str = ""
    contributions: Sequence[Contribution] = ()
    prior: float = 0.0  # log-odds before any sign was looked at
    trial: Mapping[str, Any] | None = None
    family: str = ""  # the cause's category, for instance learning-rate
    beside: float | None = None  # of an additional fault: its probability once the leading one is fixed; else None

    def __repr__(self) -> str:
        basis = "" if self.cause in ("healthy", "unknown") else f", {self.basis}"
        return f"<Hypothesis {self.cause}: {probability(self.confidence)}{basis}>"


@dataclass(frozen=True)
class Question:
    """Something an engineer would ask of this run, and what was measured. `trouble`: it is not normal."""

    question: str
    finding: str
    trouble: bool = False


@dataclass(frozen=True)
class Advice:
    cause: str
    text: str


@dataclass(frozen=True)
class NextTest:
    """A command that would separate the leading hypotheses, and which ones."""

    command: str
    settles: Sequence[str]
    why: str = ""


@dataclass(frozen=True)
class SimilarCase:
    """A run that showed much the same signs, and what an experiment proved there."""

    id: int  # its number in the history
    script: str
    date: str
    cause: str
    verdict: str  # cured or helped
    fix: str
    effect: str
    similarity: float  # from 0 to 1


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """The answer. `hypotheses` are most likely first, additional faults next to the leading one; `symptoms` are the
    raised signs, most severe first."""

    verdict: Verdict
    summary: str
    source: str
    kind: str
    steps: int
    exit: str | None
    symptoms: Sequence[Sign]
    hypotheses: Sequence[Hypothesis]
    next_tests: Sequence[NextTest]
    headline: Headline = field(default_factory=lambda: Headline("unclear", None, 0.0))
    conditions: Sequence[Finding] = ()  # what the run is in, the leading one first
    do_now: Sequence[str] = ()  # what helps whatever the cause: which checkpoint to keep, whether to stop
    step_unit: str = "step"  # or epoch, or row, as a log counts
    suspected: bool = False  # inconclusive because a cause is suspected although the outcome is fine
    advice: Sequence[Advice] = ()
    questions: Sequence[Question] = ()
    looks: Sequence[str] = ()  # what deeper looks found, where they were made
    checked: Sequence[str] = ()  # what was measured and found normal
    not_measured: Sequence[str] = ()  # what the verdict is blind to, and why
    notes: Sequence[str] = ()  # how the input was read: which columns, what was left out
    similar: SimilarCase | None = None  # solved earlier on this machine; has no part in the ranking
    facts: Sequence[Fact] = ()  # the lab report, most unusual first, then the wiring
    terms: str = ""  # what the loss is a sum of, where it is one, with values
    loss: Series | None = None
    validation: Series | None = None
    onset: int | None = None
    errors: Mapping[str, str] = field(default_factory=dict)  # signs that traindx itself failed to measure
    signs: Mapping[str, Sign] = field(default_factory=dict)
    treatment: Treatment | None = None  # what controlled re-runs proved, where they were made

    @property
    def leading(self) -> Hypothesis:
        return self.hypotheses[0]

    @property
    def additional(self) -> list[Hypothesis]:
        """What is wrong beside the leading cause, in the order in which to fix it."""
        return [hypothesis for hypothesis in self.hypotheses if hypothesis.beside is not None]

    @property
    def marked(self) -> int | None:
        """Where charts and tables mark a beginning: not in a healthy run, nor where it holds from the start."""
        starts = [int(curve.steps[0]) for curve in (self.loss, self.validation) if curve]
        broken = self.loss is not None and not self.loss.finite
        advice = {found.onset for found in self.conditions if not found.bad}
        elsewhere = self.headline.kind != "condition" and self.onset in advice
        if self.verdict == "healthy" or self.headline.id == "unfinished" or elsewhere:
            return None
        return self.onset if broken or self.onset not in starts else None

    def __repr__(self) -> str:
        word = "suspected" if self.suspected else self.verdict
        return clean(f"<Diagnosis of {self.source}: {word}. {self.summary}>").replace("\n", " ")

    def __str__(self) -> str:
        # People print a diagnosis; the text report lives downstream.
        from ..reports import render

        return render(self, "text")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """In IPython's terminal: the report, as `print` shows it."""
        printer.text(repr(self) if cycle else str(self))

    def _repr_html_(self) -> str:
        """In a notebook: verdict, causes and curve, without scripts."""
        from ..reports.html import fragment

        return fragment(self)
