"""What the name of a column says: the one place that knows names of losses, learning rates, steps and epochs.

A name is cut into tokens (`train_loss_epoch` → train, loss, epoch), and the tokens decide. This module looks at names
only; `assembly` chooses between several candidates by their values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from .languages import in_english, in_latin_letters

Kind = Literal[
    "loss", "perplexity", "accuracy", "lr", "grad_norm", "loss_scale", "step", "epoch", "seen", "reward", "other"
]
Phase = Literal["train", "validation", "test", ""]

PHASES: dict[str, Phase] = {
    **dict.fromkeys(("train", "training", "tr", "trn", "trainings", "learn"), "train"),
    **dict.fromkeys((
        "val", "valid", "validation", "validate", "validating", "va", "dev", "eval", "evaluation", "evaluate",
        "heldout", "holdout", "hld", "cv", "vld", "valset", "validset",
    ), "validation"),
    **dict.fromkeys(("test", "testing", "tst", "testset"), "test"),
}  # fmt: skip


def words_in(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that turn a quantity's name into something else: a loss *scale*, the *best* loss, *time* per step.
_NOT_THE_VALUE = words_in(
    "scale scaler weight weights coef coeff coefficient lambda factor multiplier ratio count num number time elapsed "
    "eta std var variance threshold smoothing window best lowest patience decay interval every freq frequency seed "
    "delta improved improvement decreased per sec speed remaining duration ms lat latency min max "
    "second seconds warmup save log logging target limit size memory mem"
)
_TOTAL = words_in("total sum overall combined full all")
_MEAN = words_in("mean avg average ave value current cur batch final main minibatch mini set")
_SMOOTHED = words_in("moving ema smooth smoothed running rolling")
_OBJECTIVE = words_in(
    "lm ce cross entropy xent nll ctc mse bce mlm sft dpo ppo grpo vae elbo gan model net language criterion softmax "
    "focal contrastive triplet mae huber rnnt transducer label smoothed categorical binary sparse"
)
MEASURES = _TOTAL | _MEAN | _OBJECTIVE  # words that say how a loss is computed, not on which data or part
# The losses of a policy stay near zero by design, and its entropy is not a loss.
POLICY_TERMS = words_in("policy actor critic pg surrogate surr vf qf q1 q2 td alpha explained clipfrac")
_REWARDS = words_in("reward rewards return returns rew rews")
_OF_REWARDS = words_in(
    "ep episode episodes episodic total mean avg average ave running moving cumulative eval rollout score last max min "
    "std env train test env0 100 10 r of over past batch sum"
)
EPISODES = words_in("episode episodes eps episodic")
_LOSS = words_in("loss losses xent elbo objective cost")
# Losses named by their formula: used if no column is called a loss.
_LOSS_BY_FORMULA = words_in("nll mse bce ctc rmse mae ce hinge error err energy bpb bpc logloss")
_STEP = words_in(
    "step steps iter iters iteration iterations itr it update updates batch batches "
    "timestep timesteps globalstep nstep nsteps minibatch minibatches episode episodes"
)
_STEP_COMPANIONS = words_in("global current num trainer train training optimizer total idx index no n cur")
_EPOCH_COMPANIONS = words_in("epoch ep current trainer start starting begin end of finished")
_SEEN = words_in("tokens samples examples images sequences seen consumed")
_SEEN_COMPANIONS = _STEP_COMPANIONS | words_in("processed so far")
# The two networks of an adversarial training, and words for parts of their losses.
DISCRIMINATORS = words_in("d dis disc discriminator discrim critic")
GENERATORS = words_in("g gen generator")
_OF_ADVERSARIES = words_in("a b real fake gan adv l1 total")
# Larger is better, so the negative is the loss. `objf` is Kaldi's objective, a log-probability.
_LIKELIHOODS = words_in("loglik loglikelihood logprob logprobs objf")
_PROBABILITIES = words_in("prob probs probability likelihood lik")
_OF_LIKELIHOODS = words_in("log per frame frames mean average avg total overall function")
_NEGATIVE = words_in("neg negative minus nll")
_LEARNING_RATE = words_in("lr learning rate current optim optimizer")
_GRADIENT_NORM = words_in("grad grads gradient gradients norm gnorm gradnorm g total global optim l2")
_ACCURACY = words_in("acc accuracy top1 acc1 prec1")
_OF_ACCURACY = words_in("top 1 prec epoch step mean token avg categorical sparse binary at")
_SPANS = {"step": "step", "batch": "step", "iter": "step", "epoch": "epoch"}

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TOKEN = re.compile(r"[a-z]+\d*|\d+")
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

    @property
    def rank(self) -> int:
        """How close this is to the main quantity of its kind; smaller is closer. Totals come before parts."""
        extra = set(self.extra)
        if extra & _SMOOTHED and "label" not in extra:
            place = 6
        elif not extra:
            place = 1
        elif extra <= _TOTAL | _MEAN and extra & _TOTAL:
            place = 0
        elif extra <= _MEAN:
            place = 2
        elif extra <= _OBJECTIVE | _MEAN | _TOTAL:
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
        if glued and token not in PHASES and token not in _LOSS_BY_FORMULA:
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
        or _likelihood(bag, rest, phase)
        or _loss(bag, rest, phase)
        or _adversary(rest, phase)
        or _accuracy(bag, rest, phase)
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
    if bag & _STEP and bag <= _STEP | _STEP_COMPANIONS:
        # `total_steps` is usually how many there will be. It counts only if no other column does.
        weak = 2 if bag & {"total", "batch", "batches", "minibatch"} else 1 if bag & EPISODES else 0
        return Role("step", weak=weak, extra=words)
    if len(words) == 1 and re.fullmatch(r"[a-z]?it|itn|[a-z]it(er|rs?)s?|up", words[0]):
        return Role("step", weak=1, extra=words)
    if bag & _SEEN and bag <= _SEEN | _SEEN_COMPANIONS:
        return Role("seen", extra=words)
    return None


def _epoch(bag: set[str], rest: list[str]) -> Role | None:
    if bag & {"epoch", "ep"} and not set(rest) - _EPOCH_COMPANIONS:
        return Role("epoch")
    return None


def _learning_rate(bag: set[str], rest: list[str]) -> Role | None:
    if rest == ["l", "r"] or {"learn", "rate"} <= bag:
        return Role("lr")
    named = "lr" in bag or {"learning", "rate"} <= bag or any(re.fullmatch(r"lr\d+", w) for w in rest)
    if not named or bag & _NOT_THE_VALUE:
        return None
    return Role("lr", extra=tuple(w for w in rest if w not in _LEARNING_RATE))


def _gradient_norm(bag: set[str], rest: list[str]) -> Role | None:
    norm_of_gradient = "norm" in bag and bag & {"grad", "grads", "gradient", "gradients", "g"}
    if not (norm_of_gradient or bag & {"gnorm", "gradnorm"}) or bag & (_NOT_THE_VALUE | {"clipped", "clip"}):
        return None
    return Role("grad_norm", extra=tuple(w for w in rest if w not in _GRADIENT_NORM and not w.isdigit()))


def _bare_norm(rest: list[str]) -> Role | None:
    """Read a bare `norm` or `grad` as the gradient norm, which it usually is in a training log."""
    if rest in (["norm"], ["total", "norm"], ["global", "norm"], ["grad"], ["gradient"]):
        return Role("grad_norm", weak=2)
    return None


def _scale(bag: set[str]) -> Role | None:
    if bag & {"scale", "scaler"} and bag & {"loss", "grad", "amp", "scaler"} and len(bag) <= 3:
        return Role("loss_scale")
    return None


def _likelihood(bag: set[str], rest: list[str], phase: Phase) -> Role | None:
    if bag & _NEGATIVE or not (bag & _LIKELIHOODS or ("log" in bag and bag & _PROBABILITIES)):
        return None
    extra = tuple(word for word in rest if word not in _LIKELIHOODS | _PROBABILITIES | _OF_LIKELIHOODS)
    return Role("loss", phase, extra, weak=2, gain=True)


def _adversary(rest: list[str], phase: Phase) -> Role | None:
    if rest[0] in DISCRIMINATORS | GENERATORS and set(rest[1:]) <= _OF_ADVERSARIES:
        return Role("loss", phase, tuple(rest), weak=2)
    return None


def _reward(bag: set[str], rest: list[str], phase: Phase) -> Role | None:
    if bag & _REWARDS and bag <= _REWARDS | _OF_REWARDS | set(PHASES):
        return Role("reward", phase, tuple(rest))
    return None


def _loss(bag: set[str], rest: list[str], phase: Phase) -> Role | None:
    if bag & _NOT_THE_VALUE:
        return None
    if "entropy" in bag and not bag & {"cross", "binary", "categorical", "sparse", "softmax", "sigmoid"}:
        return None  # a policy's entropy, or a bonus for it
    extra = tuple(word for word in rest if word not in {"loss", "losses", "epoch", "step"})
    if bag & _LOSS or {"cross", "entropy"} <= bag:
        return Role("loss", phase, tuple(w for w in extra if w not in _LOSS), _span(rest))
    if bag & _LOSS_BY_FORMULA and not bag & {"rate", "word", "wer", "cer"}:
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
    named = bag & _ACCURACY or ("1" in bag and bag & {"top", "prec"})
    if not named or bag & (_NOT_THE_VALUE | {"5", "top5"}):
        return None
    return Role("accuracy", phase, tuple(w for w in rest if w not in _ACCURACY | _OF_ACCURACY), _span(rest))
