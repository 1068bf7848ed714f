"""What enters the model, in training and in evaluation: scale, spread between features, non-finite values; loaders."""

from __future__ import annotations

import math
import weakref
from typing import Any

import torch

from ..fast_path.steps import FastSteps
from ..graph_reading.graphs import data_in
from ..session import Session
from ..tensors import plain, sample_rows, tensors_in

EVAL_LOOKS = 32  # evaluation batches that are looked at
LISTED_FEATURES = 64
MAX_FEATURES = 8192
MAX_IDS = 65_536  # tokens of a batch that are counted
ID_BINS = 4096
MOST_EPOCHS = 16  # of a loader that are noted


class _Pool:
    """Input statistics over all the batches looked at in one phase."""

    def __init__(self) -> None:
        self.batches = 0
        self.rows = 0
        self.shape: list[int] = []
        self.dtype = ""
        self.low, self.high = float("inf"), float("-inf")
        self.nonfinite = 0
        self.count = 0.0
        self.sums: Any = None
        self.squares: Any = None
        self.ids: Any = None  # how often each token or category occurred, where inputs are such

    def take(self, values: list[list[float]], count: int) -> None:
        sums, squares, lows, highs, bad = (torch.tensor(v, dtype=torch.float64, device="cpu") for v in values)
        self.nonfinite += int(bad.sum())
        self.low, self.high = min(self.low, float(lows.min())), max(self.high, float(highs.max()))
        if self.sums is None or self.sums.shape != sums.shape:
            self.sums, self.squares, self.count = sums, squares, 0.0
        else:
            self.sums, self.squares = self.sums + sums, self.squares + squares
        self.count += count

    def facts(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "batches": self.batches, "samples": self.rows, "shape": self.shape, "dtype": self.dtype,
            "nonfinite": self.nonfinite,
        }  # fmt: skip
        if self.sums is None or not self.count:
            return found
        mean = self.sums / self.count
        std = (self.squares / self.count - mean**2).clamp_min(0).sqrt()
        whole_mean = float(mean.mean())
        found.update(
            mean=whole_mean,
            std=float(((self.squares / self.count).mean() - whole_mean**2).clamp_min(0).sqrt()),
            min=self.low,
            max=self.high,
            features=len(mean),
            constant_features=int((std <= 1e-12 * mean.abs().clamp_min(1e-12)).sum()),
        )
        if len(mean) <= LISTED_FEATURES:
            found.update(feature_mean=mean.tolist(), feature_std=std.tolist())
        return found


class Watcher:
    name = "batches"
    AFTER = ("structure",)
    ONLY_ON_LOOKS = frozenset({"forward_begin"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._pools: dict[str, _Pool] = {}
        self._looked_at_step = -1
        self._trained: weakref.ref[Any] | None = None  # the model whose inputs are the training data
        self._loaders: list[tuple[weakref.ref[Any], dict[str, Any]]] = []
        self._pending: list[dict[str, Any]] = []

    # ── loaders ─────────────────────────────────────────────────────────────────────────────────

    def loader_made(self, loader: Any, site: dict[str, Any] | None) -> None:
        if len(self._loaders) < 64:
            self._loaders.append((weakref.ref(loader), _loader_facts(loader, site)))
            self._measure(loader, self._loaders[-1][1])

    def _measure(self, loader: Any, fact: dict[str, Any]) -> None:
        """Fills in lengths, which may become known only after torch has asked for them."""
        lengths = self.session.hooks.lengths
        if fact["size"] is None:
            fact["size"] = lengths.of(loader.dataset)
        if fact["batches"] is None:
            fact["batches"] = lengths.batches(loader)

    def loader_read(self, loader: Any) -> None:
        for known, fact in self._loaders:
            if loader is not None and known() is loader:
                fact["passes"] += 1
                epoch = _epoch_of(loader)
                if epoch is not None and len(fact.setdefault("epochs_set", [])) < MOST_EPOCHS:
                    fact["epochs_set"].append(epoch)
                return

    def batch_ready(self, loader: Any, batch: Any, seconds: float) -> None:
        for known, fact in self._loaders:
            if loader is not None and known() is loader:
                self._measure(loader, fact)
                self._note_batch(fact)
                return

    def _note_batch(self, fact: dict[str, Any]) -> None:
        fact["delivered"] = fact.get("delivered", 0) + 1
        self._pending.append(fact)

    def _assign(self, role: str, but_last: int = 0) -> None:
        count = max(0, len(self._pending) - but_last)
        for fact in self._pending[:count]:
            if role == "train" or fact["role"] is None:
                fact["role"] = role
        del self._pending[:count]

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        self._assign("train")
        session = self.session
        # A script without modules hands its data to no forward; the graph has kept them.
        if session.deep and not session.naming.roots() and not session.hooks.saved_tensors_hooked:
            value = data_in(loss) if self._looked_at_step != session.step else None
            if value is not None and plain(value):
                self._looked_at_step = session.step
                self._look("train", value)

    def fast_steps_ended(self, fast: FastSteps) -> None:
        for loader in fast.delivered:
            for known, fact in self._loaders:
                if known is loader:  # all weak references to a loader are one, and remain it when the loader is gone
                    self._note_batch(fact)
        if fast.backwards:
            self._assign("train", but_last=fast.fresh_batches)

    # ── inputs ──────────────────────────────────────────────────────────────────────────────────

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        session = self.session
        phase = "eval" if self.session.evaluating else "train"
        if phase == "train" and (not session.light or self._looked_at_step == session.step):
            return
        if not self.session.has_parameters(root):
            return
        if phase == "train":
            self._trained = self._trained or weakref.ref(root)
        if self._trained is not None and self._trained() is not root:
            return  # another model's inputs, such as a decoder's: not comparable
        if phase == "eval":
            self._assign("eval")
            if self._pools.get("eval") is not None and self._pools["eval"].batches >= EVAL_LOOKS:
                return
        value = next((t for t in tensors_in((args, kwargs)) if plain(t) and t.dim() > 0), None)
        if value is None:
            return
        self._looked_at_step = session.step if phase == "train" else self._looked_at_step
        self._look(phase, value)

    @torch.no_grad()
    def _look(self, phase: str, value: Any) -> None:
        pool = self._pools.setdefault(phase, _Pool())
        pool.batches += 1
        pool.rows += int(value.shape[0])
        pool.shape = list(value.shape)
        pool.dtype = str(value.dtype).removeprefix("torch.")
        if phase == "train":
            self.session.metrics.scalar("batch_size", self.session.step, float(value.shape[0]))
        if value.is_cpu and value.dtype in (torch.int64, torch.int32):
            found = torch.bincount(value.reshape(-1)[:MAX_IDS].long() % ID_BINS, minlength=ID_BINS).double()
            pool.ids = found if pool.ids is None else pool.ids + found
        columns = _columns(sample_rows(value))
        if columns is None or columns.shape[1] > MAX_FEATURES:
            return
        bad = ~torch.isfinite(columns)
        clean = torch.where(bad, torch.zeros_like(columns), columns)
        statistics = torch.stack(
            [clean.sum(0), (clean**2).sum(0), clean.amin(0), clean.amax(0), bad.sum(0).to(clean.dtype)]
        )
        rows = columns.shape[0]
        self.session.metrics.later(statistics, lambda values: pool.take(values, rows))
        if phase == "train":
            metrics, step = self.session.metrics, self.session.step
            metrics.scalar("input_rms", step, columns.square().mean().sqrt())
            metrics.scalar("input_max", step, columns.abs().max())

    def flush(self) -> None:
        pools = dict(self._pools)
        for phase, pool in pools.items():
            facts = pool.facts()
            if phase == "eval" and "train" in pools and pool.ids is not None and pools["train"].ids is not None:
                facts["ids"] = _compared(pools["train"], pool)
            self.session.writer.fact(f"data/{phase}", facts)
        self.session.writer.fact("loaders", [fact for _, fact in self._loaders])


def _compared(train: _Pool, held: _Pool) -> dict[str, float]:
    """How much the shares of tokens differ, what sampling makes of that, and how many were never trained on."""
    p, q = train.ids / train.ids.sum(), held.ids / held.ids.sum()
    common = (train.ids + held.ids) / (train.ids + held.ids).sum()
    # The tokens of one sample go together, so samples count, not tokens.
    error = (2 / math.pi * common * (1 / max(train.rows, 1) + 1 / max(held.rows, 1))).sqrt()
    return {
        "distance": float((p - q).abs().sum()) / 2,
        "by_chance": float(error.sum()) / 2,
        "unseen": float(q[train.ids == 0].sum()),
    }


def _columns(value: Any) -> Any | None:
    """The batch as (samples, features): image channels and the last axis of anything else are features."""
    if not value.is_floating_point():
        return None  # token and class ids have no scale
    value = value.double() if value.dtype is torch.float64 else value.float()
    if value.dim() == 1:
        return value.reshape(-1, 1)
    if value.dim() >= 4:
        return value.transpose(0, 1).reshape(value.shape[1], -1).T
    return value.reshape(-1, value.shape[-1])


def _epoch_of(loader: Any) -> int | None:
    """The epoch that a shuffling DistributedSampler goes by: the script tells it, or nobody does."""
    sampler = getattr(loader, "sampler", None)
    if not isinstance(sampler, torch.utils.data.DistributedSampler) or not sampler.shuffle:
        return None
    return sampler.epoch if isinstance(sampler.epoch, int) else None


def _loader_facts(loader: Any, site: dict[str, Any] | None) -> dict[str, Any]:
    sampler = getattr(loader, "sampler", None)
    name = type(sampler).__name__
    return {
        "dataset": type(loader.dataset).__name__,
        "size": None,
        "batches": None,
        "batch_size": getattr(loader, "batch_size", None),
        "sampler": name,
        "shuffled": name not in ("SequentialSampler",) and "Infinite" not in name,
        "workers": getattr(loader, "num_workers", 0),
        "drop_last": getattr(loader, "drop_last", None),
        "site": site,
        "role": None,
        "passes": 0,
    }
