"""What the name of a column says: the one place that knows names of losses, learning rates, steps and epochs.

A name is cut into tokens (`train_loss_epoch` → train, loss, epoch), and the tokens decide. This module looks at names
only; `assembly` chooses between several candidates by their values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Literal

from ...record import Series
from ...toml import table
from .languages import in_english, in_latin_letters

Kind = Literal[
    "loss", "perplexity", "accuracy", "metric", "lr", "grad_norm", "loss_scale", "skipped", "data_time", "step_time",
    "throughput", "memory", "step", "epoch", "seen", "reward", "other",
]  # fmt: skip
Phase = Literal["train", "validation", "test", ""]


class Words(SimpleNamespace):
    """The sets of words of `vocabulary.toml`, by name."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> frozenset[str]: ...


_STATED = table(__package__, "vocabulary.toml")
PHASES: dict[str, Phase] = {word: phase for phase, words in _STATED["phases"].items() for word in words.split()}
METRICS = {word: better == "higher" for better, words in _STATED["metrics"].items() for word in words.split()}
WORDS = Words(**{name: frozenset(words.split()) for name, words in _STATED["words"].items()})
_SKIPPED = [set(name.split()) for name in _STATED["names"]["skipped"]]
# Words that say how a loss is computed, not on which data or part.
MEASURES = WORDS.total | WORDS.mean | WORDS.objective
_SPANS = {"step": "step", "batch": "step", "iter": "step", "epoch": "epoch"}

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TOKEN = re.compile(r"[a-z]+\d*|\d+")
_NORM = re.compile(r"[^|‖]*(\||‖)\1?\s*(g|grads?|gradients?|∇\w*)\s*\1+[^|‖]*", re.IGNORECASE)  # |g|, ||grad||
_GLUED = re.compile(
    r"^(train|trn|tr|valid|val|dev|eval|test|total|global|grad|g|v|t|avg|mean|learning|cross|[a-z]+(?=loss$))"
    r"(losses|loss|acc|accuracy|norm|step|steps|rate|entropy)$"
)


@dataclass(frozen=True)
class Role:
    """What a column seems to hold. `extra` are the tokens that the plain name of such a column does not have."""

    kind: Kind
    phase: Phase = ""
    extra: tuple[str, ...] = ()
    span: str = ""  # "step" or "epoch" if the name says what the value covers
    weak: int = 0  # 0: the name says so · 1: the name is a formula (mse, nll) · 2: a guess (Le, trl)
    gain: bool = False  # a log-likelihood: its negative is the loss
    wrong: bool = False  # a share of wrong answers: one minus it is the accuracy

    @property
    def rank(self) -> int:
        """How close this is to the main quantity of its kind; smaller is closer. Totals come before parts."""
        extra = set(self.extra)
        if extra & WORDS.smoothed and "label" not in extra:
            place = 6
        elif not extra:
            place = 1
        elif extra <= WORDS.total | WORDS.mean and extra & WORDS.total:
            place = 0
        elif extra <= WORDS.mean:
            place = 2
        elif extra <= WORDS.objective | WORDS.mean | WORDS.total:
            place = 3
        else:
            place = 4
        return place + 10 * self.weak


@lru_cache(maxsize=65536)
def tokens(name: str) -> tuple[str, ...]:
    """Cut a name into lower-case words.

    >>> tokens("train/CrossEntropyLoss"), tokens("valLoss_epoch"), tokens("trainloss")
    (('train', 'cross', 'entropy', 'loss'), ('val', 'loss', 'epoch'), ('train', 'loss'))
    """
    if not name.isascii():
        name = in_latin_letters(name)
    found: list[str] = []
    for token in _TOKEN.findall(_CAMEL.sub(" ", name).lower()):
        glued = _GLUED.match(token)
        if glued and token not in PHASES and token not in WORDS.loss_by_formula:
            found += glued.groups()
        elif token[-1].isdigit() and (bare := token.rstrip("0123456789")) in PHASES:
            found += (bare, token[len(bare) :])  # val1, test2
        else:
            found.append(token)
    if "out" in found and (at := found.index("out")) and found[at - 1] in ("held", "hold"):
        found[at - 1 : at + 1] = ["heldout"]
    return tuple(in_english(found))


@lru_cache(maxsize=65536)
def role_of(name: str) -> Role:
    """Return what a column of this name seems to hold.

    >>> role_of("val_loss").phase, role_of("learning_rate").kind, role_of("loss_scale").kind
    ('validation', 'lr', 'loss_scale')
    """
    if _NORM.fullmatch(name):
        return Role("grad_norm")
    words = tokens(name)
    bag = set(words)
    phase = _phase(words)
    rest = [word for word in words if word not in PHASES]
    if not rest:
        return Role("other", phase)  # `train`, `val`: the name does not say of what
    return (
        _step(words, bag)
        or _epoch(bag, rest)
        or _learning_rate(bag, rest)
        or _gradient_norm(bag, rest)
        or _bare_norm(rest)
        or _scale(bag)
        or _throughput(words, bag)
        or _cost(bag)
        or _likelihood(bag, rest, phase)
        or _loss(bag, rest, phase)
        or _adversary(rest, phase)
        or _accuracy(bag, rest, phase)
        or _metric(rest, phase)
        or _reward(bag, rest, phase)
        or Role("other", phase)
    )


def bare_phase(name: str) -> bool:
    """Return whether the name is a phase and nothing else: `train`, `val`."""
    words = tokens(name)
    return bool(words) and all(word in PHASES for word in words)


def _phase(words: tuple[str, ...]) -> Phase:
    # The first phase word decides: `val/train_subset_loss` is measured in validation.
    found: Phase = next((PHASES[word] for word in words if word in PHASES), "")
    if not found and words[:1] == ("v",):
        found = "validation"
    return found


def _span(rest: list[str]) -> str:
    return next((_SPANS[word] for word in (rest[-1], rest[0]) if word in _SPANS), "")


def _step(words: tuple[str, ...], bag: set[str]) -> Role | None:
    if bag & WORDS.step and bag <= WORDS.step | WORDS.step_companions:
        # `total_steps` is usually how many there will be. It counts only if no other column does.
        weak = 2 if bag & {"total", "batch", "batches", "minibatch"} else 1 if bag & WORDS.episodes else 0
        return Role("step", weak=weak, extra=words)
    if len(words) == 1 and re.fullmatch(r"[a-z]?it|itn|[a-z]it(er|rs?)s?|up", words[0]):
        return Role("step", weak=1, extra=words)
    if bag & WORDS.seen and bag <= WORDS.seen | WORDS.seen_companions:
        return Role("seen", extra=words)
    return None


def _epoch(bag: set[str], rest: list[str]) -> Role | None:
    if bag & {"epoch", "ep"} and not set(rest) - WORDS.epoch_companions:
        return Role("epoch")
    return None


def _learning_rate(bag: set[str], rest: list[str]) -> Role | None:
    if rest == ["l", "r"] or {"learn", "rate"} <= bag:
        return Role("lr")
    named = "lr" in bag or {"learning", "rate"} <= bag or any(re.fullmatch(r"lr\d+", w) for w in rest)
    if not named or bag & WORDS.not_the_value:
        return None
    return Role("lr", extra=tuple(w for w in rest if w not in WORDS.learning_rate))


def _gradient_norm(bag: set[str], rest: list[str]) -> Role | None:
    norm_of_gradient = bag & {"norm", "l2"} and bag & {"grad", "grads", "gradient", "gradients"}
    named = norm_of_gradient or {"g", "norm"} <= bag or bag & {"gnorm", "gradnorm", "gn"}
    clipped = bag & {"clipped", "clip", "clipping"} and not bag & {"pre", "before"}
    if not named or clipped or bag & WORDS.not_the_value:
        return None
    return Role("grad_norm", extra=tuple(w for w in rest if w not in WORDS.gradient_norm and not w.isdigit()))


def _bare_norm(rest: list[str]) -> Role | None:
    """Read a bare `norm` or `grad` as the gradient norm, which it usually is in a training log."""
    if rest in (["norm"], ["total", "norm"], ["global", "norm"], ["grad"], ["gradient"]):
        return Role("grad_norm", weak=2)
    return None


def _scale(bag: set[str]) -> Role | None:
    if bag & {"scale", "scaler"} and bag & {"loss", "grad", "amp", "scaler"} and len(bag) <= 3:
        return Role("loss_scale")
    return None


def _cost(bag: set[str]) -> Role | None:
    """Read times and memory of a step, in whatever unit, and how many steps were skipped."""
    if (
        bag & WORDS.of_data
        and bag <= WORDS.of_data | WORDS.of_times | WORDS.of_step
        and (bag & WORDS.time or bag <= {"data", "datatime"})
    ):
        return Role("data_time", weak=int(bag == {"data"}))
    glued = bag & {"batchtime", "itertime", "steptime"}
    if bag <= WORDS.of_step | WORDS.of_times and (glued or (bag & WORDS.of_step and bag & WORDS.time)):
        return Role("step_time")
    if bag - WORDS.units == {"time"} or bag == {"dt"}:
        return Role("step_time", weak=2)
    if bag in _SKIPPED:
        return Role("skipped")
    if bag & WORDS.memory and not bag & {"total", "free", "limit", "available"}:
        return Role("memory")
    return None


def _throughput(words: tuple[str, ...], bag: set[str]) -> Role | None:
    """Read what a run does in a second: `it/s`, but not `s/it`, which is a time."""
    of_seconds = bag & WORDS.samples and words[-1] in WORDS.seconds and words[0] not in WORDS.seconds
    return Role("throughput") if bag <= WORDS.of_throughput and (of_seconds or "throughput" in bag) else None


def _metric(rest: list[str], phase: Phase) -> Role | None:
    named = next((word for word in rest if word in METRICS), None)
    if named is None or set(rest) - set(METRICS) - WORDS.of_metrics:
        return None
    return Role("metric", phase, (named,), _span(rest))


def _likelihood(bag: set[str], rest: list[str], phase: Phase) -> Role | None:
    if bag & WORDS.negative or not (bag & WORDS.likelihoods or ("log" in bag and bag & WORDS.probabilities)):
        return None
    extra = tuple(word for word in rest if word not in WORDS.likelihoods | WORDS.probabilities | WORDS.of_likelihoods)
    return Role("loss", phase, extra, weak=2, gain=True)


def _adversary(rest: list[str], phase: Phase) -> Role | None:
    if rest[0] in WORDS.discriminators | WORDS.generators and set(rest[1:]) <= WORDS.of_adversaries:
        return Role("loss", phase, tuple(rest), weak=2)
    return None


def _reward(bag: set[str], rest: list[str], phase: Phase) -> Role | None:
    if bag & WORDS.rewards and bag <= WORDS.rewards | WORDS.of_rewards | set(PHASES):
        return Role("reward", phase, tuple(rest))
    return None


def _loss(bag: set[str], rest: list[str], phase: Phase) -> Role | None:
    if bag & WORDS.not_the_value:
        return None
    if "entropy" in bag and not bag & {"cross", "binary", "categorical", "sparse", "softmax", "sigmoid"}:
        return None  # a policy's entropy, or a bonus for it
    extra = tuple(word for word in rest if word not in {"loss", "losses", "epoch", "step"})
    if bag & WORDS.loss or {"cross", "entropy"} <= bag:
        return Role("loss", phase, tuple(w for w in extra if w not in WORDS.loss), _span(rest))
    if bag & WORDS.loss_by_formula and not bag & {"rate", "word", "wer", "cer"} and not _is_error_rate(bag):
        return Role("loss", phase, extra, _span(rest), weak=1)
    if {word for word in rest if not word.isdigit()} in ({"l1"}, {"l2"}):
        return Role("loss", phase, (), weak=1)
    if bag & {"ppl", "perplexity"}:
        return Role("perplexity", phase, (), _span(rest))
    if rest in (["trl"], ["tl"]):
        return Role("loss", "train", (), weak=2)
    if rest in (["vl"], ["tel"]):
        return Role("loss", "validation", (), weak=2)
    if rest[0] in {"l", "le", "j"}:
        return Role("loss", phase, tuple(rest[1:]), _span(rest), weak=2)
    return None


def _accuracy(bag: set[str], rest: list[str], phase: Phase) -> Role | None:
    named = bag & WORDS.accuracy or ("1" in bag and bag & {"top", "prec"})
    wrong = _is_error_rate(bag)
    if not (named or wrong) or bag & (WORDS.not_the_value | {"5", "top5"}):
        return None
    extra = tuple(
        w
        for w in rest
        if w not in WORDS.accuracy | WORDS.of_accuracy and not (wrong and w in WORDS.errors | WORDS.error_rates)
    )
    return Role("accuracy", phase, extra, _span(rest), wrong=wrong)


def _is_error_rate(bag: set[str]) -> bool:
    return bool(bag & WORDS.errors and bag & WORDS.error_rates) and not bag & {
        "word",
        "character",
        "token",
        "phone",
    }


class NamedSeries(Series):
    """A series with the role of its name. The points are in the order of the log and may repeat steps."""

    @property
    def role(self) -> Role:
        return role_of(self.name)
