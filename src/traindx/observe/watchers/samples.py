"""Single samples: are evaluation samples also trained on, does an input column give the answer away, are targets the
next inputs. Samples are recognised by a hash of a fixed part of them."""

from __future__ import annotations

import math
import sys
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import torch

from ..fast_path.steps import FastSteps
from ..session import Session
from ..sites import call_path
from ..targets import Products, TellingRows, TokenTargets, are_tokens, one_sequence
from ..tensors import first_tensor, plain, tensors_in
from .loss_inputs import given_pair

ELEMENTS = 64  # of a sample that go into its hash
MAX_HASHES = 200_000
MOST_SETS = 16
MAX_COLUMNS = 512
MAX_CLASSES = 24


FEW = 512  # samples that show whether a set is another one
AT_ONCE = 20_000  # samples of one evaluation batch that are hashed
MOST_WAITING = 8  # batches of which it is not known yet whether they are trained on
MOST_BATCHES = 400  # of an evaluation without a loader, that are told apart
EXPECTED, NEXT_TO_NONE = 8.0, 0.25  # trained samples in a batch if all are alike, and the share of them that is too few
SOME = 0.2  # of the batches
MOSTLY = 0.5  # of an evaluation set's samples that were trained on

ROWS_TO_JUDGE = 16  # samples that must be there to say whether values repeat
COPIES_BITS = 60.0  # a billion samples have 30: columns that depend on each other hold less than they seem to


@dataclass(frozen=True)
class _Forward:
    """One forward: its output and its inputs, by weak references."""

    made: Callable[[], Any]
    given: list[weakref.ref[Any]]
    model: int = 0  # the number of the model that made it
    hashes: list[int] = field(default_factory=list)  # of an evaluation's samples

    def parts(self) -> list[Any]:
        """The inputs that still exist."""
        return [tensor for ref in self.given if (tensor := ref()) is not None]


class _Set(NamedTuple):
    """What an evaluation runs over."""

    name: Any  # the data set's number, or the rows of a batch where there is no loader
    where: Any  # without a loader, the lines that led there
    model: int
    part: str = ""


class Watcher:
    name = "samples"
    AFTER = ("handwritten losses",)
    ONLY_ON_LOOKS = frozenset({"forward_begin", "forward_end", "loss_computed"})

    def __init__(self, session: Session) -> None:
        self.session = session
        # By model: in a cross-validation each fold trains one of its own, on samples that others are evaluated on.
        self._trained: dict[int, set[int]] = {}
        self._numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._count = count(1)
        self._trained_rows = 0
        self._batches_hashed = 0
        self._batches_counted = 0  # of them, those whose samples are among the trained ones
        self._repeated_rows = 0  # beyond the first of their kind in their own batch: data that repeat themselves
        self._continuous: bool | None = None  # the inputs have columns in which two samples hardly ever agree
        # By data set, or by size where the script hands tensors over itself; and by model.
        self._evaluated: dict[_Set, list[set[int]]] = {}
        self._unscored: dict[int, set[int]] = {}  # samples that met no loss in an evaluation, by the batch's size
        self._telling = TellingRows()
        self._common: set[int] = set()  # evaluation samples that may agree with a training sample by chance
        self._loader: weakref.ref[Any] | None = None  # that has delivered since the last backward
        self._given: list[weakref.ref[Any]] = []  # to the model that is running
        self._waiting: list[tuple[Any, Callable[[], None]]] = []  # forwards, and what to note once they were trained on
        self._scored: list[_Forward] = []
        self._met = False  # a loss function told of itself within the module that is running
        self._readers: set[int] = set()  # models that were given tokens since the last backward
        self._products: Products | None = None
        self._tokens = TokenTargets(session.metrics)

    def batch_ready(self, loader: Any, batch: Any, seconds: float) -> None:
        self._loader = weakref.ref(loader) if loader is not None else None

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        self._loader = None
        self._scored = []
        self._readers.clear()

    def fast_steps_ended(self, fast: FastSteps) -> None:
        if fast.fresh_batches:
            self._loader = fast.delivered[-1]
        elif fast.backwards:
            self._loader = None

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        if not self.session.has_parameters(root):
            self._met = False
            return
        given = [t for t in tensors_in((args, kwargs)) if plain(t) and t.dim() > 0]
        self._given = [weakref.ref(t) for t in given]
        if any(are_tokens(t) for t in given):
            self._readers.add(id(root))

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        first = first_tensor(output)
        if not self.session.has_parameters(root):
            # A loss module of the user's own: torch's have told of their function. In training, what it was given
            # follows from the graph.
            if not self._met and first is not None and first.numel() == 1 and self._evaluates(first) and len(args) > 1:
                self._meet(args[0], args[1], False)
        elif first is not None and self._given:
            if root not in self._numbers:
                self._numbers[root] = next(self._count)
            forward = _Forward(weakref.ref(first), self._given, self._numbers[root])
            given = self._given[0]()
            earlier = [known for known in self._scored if given is not None and known.made() is given]
            if earlier:  # a decoder's samples are those that its encoder was given
                forward = replace(earlier[-1], made=forward.made)
            elif self.session.evaluating:
                forward = replace(forward, hashes=self._hash_now(forward.parts()))
            self._scored = [*self._scored[-3:], forward]
            self._given = []

    def _evaluates(self, value: Any) -> bool:
        return self.session.evaluating or not value.requires_grad

    def _hash_now(self, parts: list[Any]) -> list[int]:
        """Hashes of an evaluation's samples, taken during the forward: a temporary slice is gone before the loss.

        And an evaluation by hand, `model(x).argmax(1) == y`, meets none; that it is over new samples is seen here.
        """
        if not parts or not parts[0].is_cpu or parts[0].shape[0] > AT_ONCE or not self.session.schedule.affordable():
            return []
        rows = parts[0].shape[0]
        hashes = hashes_of([part for part in parts if part.shape[0] == rows])
        self._note_common(parts[0], hashes)
        if len(self._unscored) <= 16:
            known = self._unscored.setdefault(rows, set())
            if len(known) < FEW:
                known.update(hashes[:FEW])
        return hashes

    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        self._met = True
        self._meet(*given_pair(name, given), not self._evaluates(value))

    def _meet(self, scores: Any, target: Any, training: bool) -> None:
        """Compares inputs with targets, where the loss has one target for each sample."""
        session = self.session
        if (training and not session.light) or not session.schedule.affordable():
            return
        forward = self._forward_of(scores)
        parts, made = forward.parts(), forward.made()
        if not isinstance(target, torch.Tensor) or target.dim() == 0:
            return
        if forward.hashes and not training:
            if target.shape[0] % len(forward.hashes) == 0:
                self._note_evaluated(forward.hashes, forward.model)
            return
        if not parts:
            return
        inputs = parts[0]
        rows = inputs.shape[0]
        if inputs.device.type == "cpu" and target.shape[0] % rows == 0:
            self._hash([part.detach() for part in parts if part.shape[0] == rows], training, forward.model)
        if training:
            if len(self._readers) == 1 and one_sequence(parts, target):
                # A model that computes its own loss has not ended yet: what it scores is a view of what it made.
                self._tokens.check(inputs.detach(), target.detach(), scores._base if made is None else made)
            if session.deep:
                self._correlate(inputs.detach(), target.detach())

    def _forward_of(self, scores: Any) -> _Forward:
        """The forward that made these scores, or the only one there was, which may still be running."""
        exact = [forward for forward in self._scored if forward.made() is scores]
        known = exact or (self._scored if len({id(forward.given) for forward in self._scored}) == 1 else [])
        chosen = known[-1] if known else _Forward(lambda: None, self._given)
        self._scored = [forward for forward in self._scored if forward.given is not chosen.given]
        return chosen

    # ── hashes ──────────────────────────────────────────────────────────────────────────────────

    def _hash(self, parts: list[Any], training: bool, model: int) -> None:
        inputs = parts[0]
        hashes = hashes_of(parts)
        if training:
            last, note = self.session.unsettled_forward, partial(self._note_trained, inputs, hashes, model)
            if last is None or len(self._waiting) >= MOST_WAITING:
                note()
            else:  # an evaluation with gradients looks the same until it is known which forwards the backward reaches
                self._waiting.append((last, note))
        else:
            self._note_common(inputs, hashes)
            self._note_evaluated(hashes, model)

    def _note_trained(self, inputs: Any, hashes: list[int], model: int) -> None:
        self._batches_hashed += 1
        if self._continuous is None and len(hashes) >= ROWS_TO_JUDGE:
            self._continuous = _continuous(inputs)
        self._telling.take(inputs)
        if self._trained_rows < MAX_HASHES:
            self._trained.setdefault(model, set()).update(hashes)
            self._trained_rows += len(hashes)
            self._batches_counted += 1
            self._repeated_rows += len(hashes) - len(set(hashes))

    def forward_trained(self, forward: Any) -> None:
        for known, note in self._waiting:
            if known is forward:
                note()
        self._waiting = [(known, note) for known, note in self._waiting if known is not forward]

    def forward_untrained(self, forward: Any) -> None:
        self._waiting = [(known, note) for known, note in self._waiting if known is not forward]

    @torch.no_grad()
    def _note_common(self, inputs: Any, hashes: list[int]) -> None:
        trained = self._all_trained()
        shared = [place for place, found in enumerate(hashes) if found in trained and found not in self._common]
        if shared and len(self._common) < MAX_HASHES:
            places = self._telling.common(inputs, shared[:FEW], len(trained))
            self._common.update(hashes[place] for place in places)

    def _all_trained(self) -> set[int]:
        known = list(self._trained.values())
        return known[0] if len(known) == 1 else set().union(*known)

    def _note_evaluated(self, hashes: list[int], model: int) -> None:
        loader = self._loader() if self._loader is not None else None
        # Without a loader, by the lines that led here: a look at training batches is not the evaluation elsewhere.
        where = call_path(sys._getframe(2)) if loader is None else None
        name = ("rows", len(hashes)) if loader is None else self.session.data_set(loader)
        if len(self._evaluated) >= MOST_SETS:
            return
        batches = self._evaluated.setdefault(_Set(name, where, model), [])
        if (loader is None and len(batches) < MOST_BATCHES) or not batches:
            batches.append(set(hashes))
        elif len(batches[0]) < MAX_HASHES:
            batches[0].update(hashes)

    # ── columns that determine the target ───────────────────────────────────────────────────────

    def _correlate(self, inputs: Any, target: Any) -> None:
        inputs = inputs.reshape(inputs.shape[0], -1)
        if not inputs.is_floating_point() or not 1 < inputs.shape[1] <= MAX_COLUMNS:
            return
        if target.is_floating_point():
            if target.numel() != inputs.shape[0]:
                return
            answers = target.reshape(-1, 1).double()
        else:
            if target.dim() != 1 or target.shape[0] != inputs.shape[0]:
                return
            # Fixed width, so that batches that lack a class still add up.
            ids = target.clamp(0, MAX_CLASSES - 1)
            answers = (ids.unsqueeze(1) == torch.arange(MAX_CLASSES, device=ids.device)).double()
            answers = torch.cat([answers, target.reshape(-1, 1).double()], dim=1)
        if self._products is None:
            self._products = Products()
        self._products.add(inputs.double(), answers)

    def flush(self) -> None:
        writer = self.session.writer
        trained = set(self._all_trained())
        sets: dict[_Set, set[int]] = {}
        by_model = {key.model: self._trained.get(key.model, trained) for key in list(self._evaluated)}
        most = max(map(len, by_model.values()), default=0)
        for key, batches in list(self._evaluated.items()):
            own = by_model[key.model]
            if len(own) < most / 2:
                continue  # a later fold's model, of which few batches were looked at
            for part, hashes in zip(("", "beside"), _parts(batches, own, self._common), strict=False):
                sets[key._replace(part=part)] = hashes
        sets = {key: hashes for key, hashes in sets.items() if hashes}
        if sets and self._trained_rows:
            shares = {key: len(hashes & by_model[key.model]) / len(hashes) for key, hashes in sets.items()}
            cleanest = min(sets, key=lambda key: shares[key])
            # Passes over training samples beside a clean evaluation are made for their own sake.
            if shares[cleanest] < MOSTLY:
                self.session.training_data_sets = _of_training(shares, sets)
            # Where the training set is scored by a loss once more, another set may be scored by hand.
            by_hand = shares[cleanest] >= MOSTLY and any(_new(h, trained) for h in list(self._unscored.values()))
            writer.fact(
                "overlap",
                None
                if by_hand
                else {
                    "eval_samples": len(sets[cleanest]),
                    "train_samples_hashed": self._trained_rows,
                    "train_distinct": len(trained),
                    "train_share_hashed": min(1.0, self._batches_hashed / max(1, self.session.backwards)),
                    "shared": len(sets[cleanest] & by_model[cleanest.model]),
                },
            )
        if self._trained_rows:
            distinct = self._trained_rows - self._repeated_rows
            writer.fact(
                "repeats",
                {
                    "hashed": self._trained_rows,
                    "distinct": distinct,
                    "distinct_in_all": len(trained),
                    "batches": self._batches_counted,
                    "continuous": self._continuous,
                },
            )
        if self._tokens.checked:
            writer.fact("shift_relation", self._tokens.facts())
        if self._products is not None:
            found = self._products.strongest()
            if found is not None:
                writer.fact("feature_leak", found)


def _parts(batches: list[set[int]], trained: set[int], common: set[int]) -> list[set[int]]:
    """The samples of an evaluation; of one that scores training and held-out batches by the same lines, both apart.

    Were all batches drawn from one set, hardly any would hold next to none of the trained samples.
    """
    batches = [batch - common for batch in batches]
    everything = set().union(*batches)
    share = len(everything & trained) / max(len(everything), 1)
    large = [batch for batch in batches if share * len(batch) >= EXPECTED]
    clean = [batch for batch in large if len(batch & trained) <= NEXT_TO_NONE * share * len(batch)]
    if len(clean) < 2 or not SOME * len(large) <= len(clean) < len(large):
        return [everything]
    held = set().union(*clean)
    return [held, everything - held]


def _of_training(shares: dict[_Set, float], sets: dict[_Set, set[int]]) -> set[Any]:
    """The sets that were trained on, as the evaluation watcher calls them: without a loader, by the rows of a pass.

    Another set of as many rows at a time must not go by the same name: its passes have more rows, or it is as trained.
    """
    names = {key: key.name for key in shares}
    found = set()
    for key, name in names.items():
        alike = [other for other in names if names[other] == name and shares[other] <= 0.9]
        if shares[key] > 0.9 and all(isinstance(name, tuple) and len(sets[other]) > name[1] for other in alike):
            found.add(name)
    return found


def hashes_of(parts: list[Any]) -> list[int]:
    """One hash for each sample, which may have several parts, such as a user and an item."""
    hashes = [0] * parts[0].shape[0]
    for part in parts[:4]:
        flat = part.detach().reshape(part.shape[0], -1)
        if flat.shape[1] > ELEMENTS:
            flat = flat[:, :: -(-flat.shape[1] // ELEMENTS)]
        rows = flat.contiguous().numpy() if flat.dtype is not torch.bfloat16 else flat.float().numpy()
        hashes = [hash((known, row.tobytes())) for known, row in zip(hashes, rows, strict=True)]
    return hashes


def _new(hashes: set[int], trained: set[int]) -> bool:
    return len(hashes) >= ROWS_TO_JUDGE and len(hashes & trained) < (1 - MOSTLY) * len(hashes)


def _continuous(inputs: Any) -> bool:
    """Whether equal samples are copies: most of a batch's values differ in at least two columns, or the columns
    together could tell apart far more samples than there are (not for tokens, which follow rules)."""
    if not inputs.is_floating_point():
        return False
    columns = inputs.reshape(inputs.shape[0], -1)[:64, :64].float().T.tolist()
    differing = sum(2 * len(set(column)) > len(column) for column in columns)
    return differing >= 2 or sum(map(_bits, columns)) > COPIES_BITS


def _bits(column: list[float]) -> float:
    """The entropy of its values."""
    shares = [count / len(column) for count in Counter(column).values()]
    return -sum(share * math.log2(share) for share in shares)
