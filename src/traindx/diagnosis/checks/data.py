"""Constant and repeated inputs: plain facts of the first batches."""

from __future__ import annotations

from ...record import Run
from ...wording import percent
from .types import Answer

REPEATED = 0.5  # share of repeated samples in the first batches above which something is wrong with the data set
SEEN = 64  # samples below which repeats say nothing


def varied(run: Run) -> Answer:
    """Do the inputs differ from each other, and do all their features vary?"""
    data, hashed, distinct = run.training_data, int(run.repeats.hashed or 0), int(run.repeats.distinct or 0)
    sizes = [loader.size for loader in run.training_loaders if loader.size]
    # Only the first pass over the data can show copies; later ones repeat by nature.
    once = bool(sizes) and hashed <= sum(sizes)
    if once and hashed >= SEEN and distinct <= hashed * (1 - REPEATED):
        share = 1 - distinct / hashed
        text = f"{percent(share)} of the first {hashed} training samples are duplicates"
        return Answer("varied-inputs", "data", "doubtful", text, {"hashed": hashed, "distinct": distinct})
    features, constant = data.features, data.constant_features
    if not features:
        if once and hashed >= SEEN:
            return Answer("varied-inputs", "data", "passed", f"the first {hashed} samples differ from each other")
        return Answer("varied-inputs", "data", "unasked", "the inputs are not numbers with a scale")
    if constant == features:
        return Answer("varied-inputs", "data", "failed", "every input feature is constant over the first batches")
    if constant and features and constant > features / 2:
        text = f"{constant} of {features} input features are constant over the first batches"
        return Answer("varied-inputs", "data", "doubtful", text, {"constant": constant, "features": features})
    return Answer("varied-inputs", "data", "passed", "input features vary")
