"""What standard losses are given: shapes, ranges, row sums, kinds of targets, histograms of labels and predictions."""

from __future__ import annotations

import math
import sys
from itertools import pairwise, zip_longest
from statistics import median
from typing import Any

import torch

from ...record.program import OVER_CLASSES
from ..baseline_loss import BaselineLoss, counted_terms
from ..graph_reading.graphs import op_name
from ..graph_reading.loss_tail import bootstraps, maker_of, normalised
from ..metric_queue import cpu_value
from ..session import Session
from ..sites import describe, instruction, user_frame
from ..targets import RANKED, TargetOrder
from ..tensors import plain, sample_rows

CLASSIFYING = (*OVER_CLASSES, "multi_margin_loss")
# Losses that take minus one and one for labels, and the place of those among their arguments.
SIGNED = {"soft_margin_loss": 1, "hinge_embedding_loss": 1, "cosine_embedding_loss": 2, "margin_ranking_loss": 2}
SYMMETRIC = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
MAX_CLASSES = 4096
DISTINCT_LOOKS = 8  # calls of one site whose targets are counted
SO_MANY = 64  # values of the trivial answer that are averaged
# The entries of a site's facts that are summed up before they are written.
HELD = ("ratios", "term_ratios", "trivials", "constant", "labels", "largest")
AVERAGED = 0.02  # how far what backward gets may be from the mean of a loss that the script reduces itself
EVAL_LOOKS = 4  # evaluation calls of one site that are looked at


def given_pair(name: str, given: Any) -> tuple[Any, Any]:
    """The input and target tensors of a loss call.

    For a loss that treats both alike, the target is the argument that carries no gradient, whichever it is.
    """
    args, kwargs = given
    first = args[0] if args else kwargs.get("input", kwargs.get("log_probs"))
    second = args[1] if len(args) > 1 else kwargs.get("target", kwargs.get("targets"))
    if name in SYMMETRIC and _carries_gradient(second) and not _carries_gradient(first):
        return second, first
    return first, second


def _carries_gradient(tensor: Any) -> bool:
    return isinstance(tensor, torch.Tensor) and tensor.requires_grad


class Watcher:
    name = "loss inputs"
    AFTER = ("handwritten losses",)
    ONLY_ON_LOOKS = frozenset({"loss_computed"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._sites: dict[tuple[Any, ...], dict[str, Any]] = {}
        self._targets: dict[str, dict[str, Any]] = {}
        self._by_kind: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._last_value: tuple[dict[str, Any], Any, float] | None = None
        self._order = TargetOrder(session.metrics)

    @torch.no_grad()
    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        training = value.requires_grad and not self.session.evaluating
        if training and not self.session.light:
            return
        first, second = given_pair(name, given)
        if not plain(first) or not plain(second):
            return
        frame = user_frame(sys._getframe(3))
        phase = "train" if training else "eval"
        key = (name, phase, instruction(frame))
        fact = self._sites.get(key)
        if fact is None:
            if len(self._sites) >= 32:
                return
            fact = self._sites[key] = self._new_site(name, phase, given, frame)
        fact["calls"] += 1
        if not training and fact["calls"] > EVAL_LOOKS:
            return
        self._look(fact, name, phase, first, second)
        if name in SIGNED:
            self._note_signs(fact, given, SIGNED[name])
        if training and value.numel() == 1:
            self._ask_for_trivial(fact, name, second, given[1])
            number = cpu_value(value)
            held = value.detach().clone() if number is None else number
            terms: Any = 1
            if fact["reduction"] == "sum":
                terms = counted_terms(name, given, second)
                self.session.metrics.scalar("loss/term", self.session.step, held / terms)
            self.session.metrics.scalar("loss/function", self.session.step, held)
            self._last_value = (fact, number, cpu_value(terms) or 1.0)
        elif training:
            self._last_value = (fact, cpu_value(value.detach().float().mean()), 1.0)

    def _new_site(self, name: str, phase: str, given: Any, frame: Any) -> dict[str, Any]:
        _, kwargs = given
        smoothing = kwargs.get("label_smoothing", 0.0)
        return {
            "fn": name,
            "site": describe(frame),
            "phase": phase,
            "calls": 0,
            "reduction": kwargs.get("reduction", "mean"),
            "class_weights": kwargs.get("weight") is not None or kwargs.get("pos_weight") is not None,
            "label_smoothing": smoothing,
            **({"log_input": _log_input(given)} if name == "poisson_nll_loss" else {}),
            "ratios": [],
            "term_ratios": [],
            "trivials": [],
            "constant": BaselineLoss(),
            "largest": 0,
        }

    def _look(self, fact: dict[str, Any], name: str, phase: str, first: Any, second: Any) -> None:
        for side, tensor in (("input", first), ("target", second)):
            known = fact.setdefault(side, {})
            known["dtype"] = _dtype(tensor)
            # The largest batch counts: in a last batch of one sample, nothing broadcasts.
            if first.numel() >= fact["largest"]:
                known["shape"] = list(tensor.shape)
        fact["largest"] = max(first.numel(), fact["largest"])
        if first.grad_fn is not None:
            fact["input"]["grad_fn"] = op_name(first.grad_fn)
            fact["input"]["maker"] = maker_of(first.grad_fn)
            divided = normalised(first.grad_fn) if name == "nll_loss" else None
            if divided is not None and plain(divided) and not self.session.hooks.saved_tensors_hooked:
                low = divided.detach().amin().float()
                self.session.metrics.later(low, lambda low: _note_divided(fact["input"], low))
            fact["input"]["one_row"] = first.shape[0] > 1 and first.stride(0) == 0  # spread over the batch by `expand`
        if second.requires_grad:
            fact["target"]["carries_gradient"] = True
            if name in SYMMETRIC and phase == "train" and fact["calls"] <= DISTINCT_LOOKS:
                made = bootstraps(first, second) or bootstraps(second, first)
                fact["target"]["bootstrapped"] = bool(fact["target"].get("bootstrapped")) or made
        elif phase == "train" and self.session.calls_since_backward > 1:
            fact["target"]["after_forwards"] = fact["target"].get("after_forwards", 0) + 1
        same_kind = name not in (*CLASSIFYING, "ctc_loss", "kl_div") and second.is_floating_point()
        fact["broadcast"] = bool(fact.get("broadcast")) or (same_kind and first.shape != second.shape)
        scores = sample_rows(first).float()
        labels = sample_rows(second)
        axis = 1 if scores.dim() > 1 else 0
        sums = scores.sum(dim=axis)
        numbers = labels.float()
        spread = torch.std_mean(numbers, correction=0)
        whole = (numbers == numbers.round()).all().float()
        bad = torch.count_nonzero(~torch.isfinite(numbers)).float()
        parts = [scores.min(), scores.max(), sums.min(), sums.max()]
        parts += [numbers.min(), numbers.max(), spread[1], spread[0], whole, bad]
        if labels.is_floating_point() and phase == "train" and not second.requires_grad:
            self._order.take_targets(numbers)
        if name == "cross_entropy" and labels.is_floating_point() and labels.dim() > 1:
            shares = numbers.sum(dim=1)  # given as probabilities of the classes
            parts += [shares.min(), shares.max()]
        step = self.session.step
        self.session.metrics.later(torch.stack(parts), lambda values: self._note(fact, phase, step, values))
        if labels.is_floating_point() and fact["calls"] <= DISTINCT_LOOKS:
            self.session.metrics.later(labels.reshape(-1)[:2048].clone(), lambda v: _note_distinct(fact, v))
        if name in CLASSIFYING and not second.is_floating_point() and first.dim() >= 2:
            self._count(fact, phase, first, second)
        elif name.startswith("binary") and first.numel() == second.numel():
            cut = 0.0 if name.endswith("logits") else 0.5
            scores = first.detach().reshape(-1).float()
            answers = (scores > cut).long()
            values = second.detach().reshape(-1)
            known = torch.isfinite(values) & ~scores.isnan()
            labels = values.round().long().clamp(0, 1)
            self._histogram(fact, phase, labels, answers, known, 2)
            if phase == "train":
                self._order.take_scores(scores, labels == 1, known)
                self._most_confident((scores - cut).abs(), labels == answers, known)

    def _note_signs(self, fact: dict[str, Any], given: Any, place: int) -> None:
        """Labels of losses that take minus one and one."""
        args, kwargs = given
        labels = args[place] if len(args) > place else kwargs.get("target")
        if plain(labels) and labels.numel():
            range_ = torch.stack([labels.min().float(), labels.max().float()])
            known = fact.setdefault("signed", {})
            self.session.metrics.later(range_, lambda values: _widen(known, "min", "max", *values))

    def _ask_for_trivial(self, fact: dict[str, Any], name: str, target: Any, kwargs: Any) -> None:
        loss = fact["constant"].of_batch(name, target, kwargs)
        if loss is not None:
            # The first batch is judged by its own mean, which is too good a guess: later batches count instead.
            self.session.metrics.later(loss, lambda value: fact.update(trivials=[*fact["trivials"][-SO_MANY:], value]))

    def _note(self, fact: dict[str, Any], phase: str, step: int, values: list[float]) -> None:
        low, high, sum_low, sum_high, t_low, t_high, t_mean, t_std, whole, bad, *shares = values
        given, target = fact["input"], fact["target"]
        if shares:
            _widen(target, "row_sum_min", "row_sum_max", *shares)
        _widen(given, "min", "max", low, high)
        _widen(given, "row_sum_min", "row_sum_max", sum_low, sum_high)
        _widen(target, "min", "max", t_low, t_high)
        target["integer_valued"] = bool(whole) and target.get("integer_valued", True)
        # Only losses of one kind share a summary: a mean over class ids and prices would be meaningless.
        summary = self._by_kind.setdefault((phase, fact["fn"], str(target["shape"][1:])), {})
        integers = not fact["target"]["dtype"].startswith(("float", "bfloat"))
        summary["kind"] = (
            "class ids" if integers else ("probabilities" if fact["fn"].startswith("binary") else "values")
        )
        summary["shape"], summary["dtype"] = target["shape"], target["dtype"]
        _widen(summary, "min", "max", t_low, t_high)
        seen = summary["looks"] = summary.get("looks", 0) + 1
        summary["mean"] = summary.get("mean", 0.0) + (t_mean - summary.get("mean", 0.0)) / seen
        summary["std"] = summary.get("std", 0.0) + (t_std - summary.get("std", 0.0)) / seen
        summary["nonfinite"] = summary.get("nonfinite", 0) + int(bad)
        if not integers and phase == "train":
            self.session.writer.point("target_max", step, max(abs(t_low), abs(t_high)))

    # ── classes ─────────────────────────────────────────────────────────────────────────────────

    def _count(self, fact: dict[str, Any], phase: str, first: Any, second: Any) -> None:
        classes = int(first.shape[1])
        if classes > MAX_CLASSES:
            self._targets.setdefault(phase, {})["classes"] = classes
            return
        labels = second.detach().reshape(-1)
        scores = first.detach().float()
        answers = scores.argmax(dim=1).reshape(-1)
        # Scores that are NaN say nothing: their highest is the first.
        known = (labels >= 0) & (labels < classes) & ~scores.isnan().any(dim=1).reshape(-1)
        self._histogram(fact, phase, labels.clamp(0, classes - 1), answers, known, classes)
        if phase == "train":
            self._rank_classes(scores, labels, known, classes)
            confidence = (scores.amax(dim=1) - scores.logsumexp(dim=1)).reshape(-1)
            self._most_confident(confidence, labels == answers, known)

    def _rank_classes(self, scores: Any, labels: Any, known: Any, classes: int) -> None:
        """Ranks the most common class of the first rows against all others."""
        if scores.dim() != 2:
            return
        scores, labels, known = scores[:RANKED], labels[:RANKED], known[:RANKED]
        counts = torch.zeros(classes, dtype=torch.float32, device=labels.device)
        majority = counts.scatter_add_(0, labels.clamp(0, classes - 1), known.float()).argmax()
        against = scores.logsumexp(dim=1) - scores.index_select(1, majority.reshape(1)).squeeze(1)
        self._order.take_scores(against, labels != majority, known)

    def _most_confident(self, confidence: Any, right: Any, known: Any) -> None:
        """The error rate of the most confident quarter of the predictions: near zero if labels are clean."""
        size = confidence.numel() // 4
        if size >= 2:
            surest = confidence.masked_fill(~known, -torch.inf).topk(size).indices
            wrong = (~right & known)[surest].sum() / known[surest].sum()
            self.session.metrics.scalar("error/confident", self.session.step, wrong)

    def _histogram(self, fact: dict[str, Any], phase: str, labels: Any, answers: Any, known: Any, classes: int) -> None:
        # No size depends on values (as it would with bincount), so an accelerator is not synchronised.
        weights = known.to(torch.float32)
        counts = torch.zeros(classes, dtype=torch.float32, device=labels.device).scatter_add_(0, labels, weights)
        said = torch.zeros(classes, dtype=torch.float32, device=labels.device).scatter_add_(0, answers, weights)
        step, metrics = self.session.step, self.session.metrics
        if phase == "train":
            rows = weights.sum()
            metrics.scalar("accuracy/train", step, ((labels == answers) * weights).sum() / rows)
            metrics.scalar("label_majority", step, counts.max() / rows)
            metrics.scalar("correct/majority", step, said.max() / rows)
        metrics.later(torch.stack([counts, said]), lambda both: self._note_counts(fact, phase, step, both))

    def _note_counts(self, fact: dict[str, Any], phase: str, step: int, both: list[list[int]]) -> None:
        self._targets.setdefault(phase, {})["classes"] = len(both[0])
        if not any(both[0]):
            return
        counts = fact.setdefault("labels", {"histogram": {}, "predictions": {}, "recent": [], "order": []})
        for key, found in (("histogram", both[0]), ("predictions", both[1])):
            for label, count in enumerate(found):
                if count:
                    counts[key][str(label)] = counts[key].get(str(label), 0) + int(count)
        # Only the predictions of the last batches show what the model predicts now.
        counts["recent"] = [*counts["recent"][-7:], both[1]]
        if phase == "train" and len(counts["order"]) < 512:
            majority = max(range(len(both[0])), key=lambda label: both[0][label])
            counts["order"].append((step, majority, max(both[0]) / sum(both[0])))

    # ── how the loss that is differentiated relates to the one that was computed ────────────────

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        if self._last_value is not None:
            fact, number, terms = self._last_value
            value = self.session.last_loss
            if number and value is not None and fact["calls"] and len(fact["ratios"]) < 200:
                fact["ratios"].append(value / number)
                fact["term_ratios"].append(value / number * terms)
            self._last_value = None

    def flush(self) -> None:
        writer = self.session.writer
        facts = []
        for fact in list(self._sites.values()):
            ratios = sorted(fact["ratios"])
            shown = {key: value for key, value in fact.items() if key not in HELD}
            if fact["reduction"] == "none" and ratios:
                shown["averaged"] = all(math.isclose(ratio, 1.0, rel_tol=AVERAGED) for ratio in ratios)
            shown["value_ratio"] = ratios[len(ratios) // 2] if ratios and shown.get("averaged", True) else None
            if fact["reduction"] == "sum" and ratios:
                shown["term_ratio"] = median(fact["term_ratios"])
            trivials = fact["trivials"][1:] or fact["trivials"]
            shown["trivial"] = sum(trivials) / len(trivials) if trivials else None
            facts.append(shown)
        writer.fact("losses", facts)
        for phase in {*self._targets, *(phase for phase, _, _ in self._by_kind)}:
            kinds = [summary for (found, _, _), summary in list(self._by_kind.items()) if found == phase]
            # The one looked at most often; of equals, the one with values, which have a scale.
            chosen = max(kinds, key=lambda s: (s["looks"], s["kind"] == "values"), default={})
            summary = {**self._targets.get(phase, {}), **chosen}
            shown = {key: value for key, value in summary.items() if key != "looks"}
            if phase == "train":
                shown.update(self._order.facts())
            counts = self._labels(phase)
            if counts is not None:
                # A head that was exchanged may have brought more classes.
                sums = [sum(column) for column in zip_longest(*counts["recent"], fillvalue=0)]
                shown["histogram"], shown["predictions"] = counts["histogram"], counts["predictions"]
                shown["recent_predictions"] = {str(i): n for i, n in enumerate(sums) if n}
                if phase == "train":
                    writer.fact("label_order", _order(counts))
            writer.fact(f"targets/{phase}", shown)

    def _labels(self, phase: str) -> dict[str, Any] | None:
        """The counts of all calls that see labels. A call whose target is one constant (a GAN's real or fake) sees
        none, unless it is the only one."""
        found = [f["labels"] for f in list(self._sites.values()) if f["phase"] == phase and "labels" in f]
        varied = [counts for counts in found if len(counts["histogram"]) > 1]
        chosen = varied or (found if len(found) == 1 else [])
        return _together(chosen) if chosen else None


def _together(several: list[dict[str, Any]]) -> dict[str, Any]:
    total: dict[str, Any] = {"histogram": {}, "predictions": {}, "recent": [], "order": []}
    for counts in several:
        for key in ("histogram", "predictions"):
            for label, count in counts[key].items():
                total[key][label] = total[key].get(label, 0) + count
        total["order"] += counts["order"]
    total["order"].sort(key=lambda entry: entry[0])
    total["recent"] = max(several, key=lambda counts: sum(counts["histogram"].values()))["recent"]
    return total


def _order(counts: dict[str, Any]) -> dict[str, Any]:
    """How labels follow each other from batch to batch."""
    longest = run = 1
    for (_, last, _), (_, now, _) in pairwise(counts["order"]):
        run = run + 1 if now == last else 1
        longest = max(longest, run)
    histogram = counts["histogram"]
    return {
        "batches": len(counts["order"]),
        "mean_majority": sum(share for _, _, share in counts["order"]) / max(1, len(counts["order"])),
        "expected_majority": max(histogram.values()) / sum(histogram.values()),
        "runs": longest,
    }


def _log_input(given: Any) -> bool:
    args, kwargs = given
    return bool(args[2] if len(args) > 2 else kwargs.get("log_input", True))


def _note_distinct(fact: dict[str, Any], values: list[float]) -> None:
    fact["target"]["distinct"] = max(len(set(values)), fact["target"].get("distinct", 0))


def _note_divided(given: dict[str, Any], low: float) -> None:
    given["divided_min"] = min(low, given.get("divided_min", low))


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _widen(fact: dict[str, Any], low_key: str, high_key: str, low: float, high: float) -> None:
    """Keep the smallest and the largest seen. NaN is kept: it must not look like a range."""
    fact[low_key] = low if low != low else min(low, fact.get(low_key, low))
    fact[high_key] = high if high != high else max(high, fact.get(high_key, high))


def nothing_counts(name: str, given: Any, labels: Any) -> bool:
    """Whether the loss ignores every label, as in a batch of padding: a mean over nothing is NaN and says nothing."""
    if name not in CLASSIFYING or labels.is_floating_point() or not labels.is_cpu:
        return False
    ignored = given[1].get("ignore_index", -100)
    return bool(labels.numel()) and cpu_value(labels) == ignored and bool((labels == ignored).all())
