"""Diagnoses as hypothesis makes them up: any text, any numbers, anything absent."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from traindx.causes import Fix, Site
from traindx.diagnosis import Advice, Contribution, Diagnosis, Hypothesis, NextTest, Question
from traindx.record import Series
from traindx.signs import Sign

ids = st.text("abcdefghij-", min_size=1, max_size=30)
texts = st.text(max_size=400)
several = st.lists(texts, max_size=6)
steps = st.integers(0, 10**9)
numbers = st.floats() | st.floats().map(np.float64) | st.integers().map(lambda n: n % 2**31).map(np.int64)
values = st.dictionaries(ids, numbers | st.none() | texts | st.lists(numbers, max_size=3).map(np.array), max_size=4)

sites = st.builds(Site, file=st.text(min_size=1), line=steps, text=texts)
fixes = st.builds(
    Fix,
    summary=texts,
    code=texts,
    location=st.none() | sites,
    safety=st.sampled_from(["safe", "changes-result", "costly"]),
)
contributions = st.builds(Contribution, ids, st.floats(0, 1), st.floats(-9, 9), st.floats(-9, 9))
hypotheses = st.builds(
    Hypothesis,
    cause=ids,
    confidence=st.floats(0, 1),
    title=texts,
    basis=st.sampled_from(["seen", "suspected", "proven", "refuted"]),
    evidence=several,
    against=several,
    consequences=several,
    fix=st.none() | fixes,
    avoid=several,
    verify=texts,
    reference=texts,
    contributions=st.lists(contributions, max_size=4),
    prior=st.floats(-9, 9),
    trial=st.none() | values,
    family=ids,
)
signs = st.builds(
    Sign,
    id=ids,
    value=st.floats(),
    level=st.floats(0, 1),
    text=texts,
    onset=st.none() | steps,
    severity=st.sampled_from(["critical", "warning", "info"]),
    values=values,
)


@st.composite
def curves(draw: st.DrawFn) -> Series:
    points = draw(st.lists(st.tuples(steps, st.floats()), max_size=50))
    return Series("loss", np.array([s for s, _ in points], np.int64), np.array([v for _, v in points], np.float64))


diagnoses = st.builds(
    Diagnosis,
    verdict=st.sampled_from(["healthy", "sick", "inconclusive", "out-of-scope"]),
    summary=texts,
    source=texts,
    kind=st.text(max_size=20),
    steps=steps,
    exit=st.none() | st.sampled_from(["ok", "exit 3", "exception", "signal SIGINT", "running"]),
    symptoms=st.lists(signs, max_size=4),
    hypotheses=st.lists(hypotheses, max_size=5),
    next_tests=st.lists(st.builds(NextTest, command=texts, settles=st.lists(ids, max_size=3), why=texts), max_size=2),
    advice=st.lists(st.builds(Advice, ids, texts), max_size=3),
    questions=st.lists(st.builds(Question, texts, texts), max_size=5),
    checked=several,
    not_measured=several,
    do_now=several,
    suspected=st.booleans(),
    notes=several,
    loss=st.none() | curves(),
    validation=st.none() | curves(),
    onset=st.none() | steps,
)
