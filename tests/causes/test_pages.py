"""What every cause must have: a page to learn from, weights that make sense, a fix that nothing in a record breaks."""

from __future__ import annotations

import ast
import math
import re
import textwrap
from types import ModuleType
from typing import Any

import pytest
from rich_run import NO_SIGNS, parses, rich

from traindx.causes import Cause, all_causes, page_names, page_title, read_page
from traindx.causes._base import _cause
from traindx.record import RunBuilder

SECTIONS = ["What happens", "Why", "Signs", "Fix", "What not to do", "Often confused with", "Verify", "References"]

LONGEST_QUOTE = 200  # one or two sentences, three lines of a terminal

each = pytest.mark.parametrize("cause", all_causes().values(), ids=lambda cause: cause.id)


@each
def test_sections_in_order(cause: Cause) -> None:
    prose = re.sub(r"```.*?```", "code", cause.page, flags=re.S)
    assert re.findall(r"^## (.+)$", prose, flags=re.M) == SECTIONS
    assert all(part.strip() for part in re.split(r"^## .+$", prose, flags=re.M)), "a section is empty"


@each
def test_examples_parse(cause: Cause) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", cause.page, flags=re.M | re.S)
    assert blocks, "the page shows no code"
    for block in blocks:
        ast.parse(block)


@each
def test_page_shows_the_fix_under_fix(cause: Cause) -> None:
    fix = cause.page.split("\n## Fix\n")[1].split("\n## What not to do\n")[0]
    assert "```python" in fix


@each
def test_reports_quote_the_page_in_plain_sentences(cause: Cause) -> None:
    assert cause.avoid
    page = " ".join(cause.page.replace("`", "").split())
    for text in (cause.means, cause.verify, cause.reference, *cause.avoid):
        assert text in page
        assert not re.search(r"[`\n]|\*\w|^[-#]|  ", text), "Markdown in a report"
        assert len(text) < LONGEST_QUOTE
    assert all(text.endswith(".") and text[0].isupper() for text in (cause.means, cause.verify, *cause.avoid))
    assert not re.search(r"/work|/tmp|/root", cause.page)


@each
def test_fix_of_an_empty_run(cause: Cause) -> None:
    fix = cause.fix(RunBuilder("x.csv", "csv").build(), NO_SIGNS)
    assert fix.summary and fix.code
    assert fix.location is None
    assert parses(fix.code)
    assert "None" not in fix.summary and "nan" not in fix.summary


BROKEN: list[Any] = [None, "text", 3, math.nan, [], {}, [None], [{}], [{"site": "?"}], [{"groups": [None]}]]
BROKEN += [[{"groups": "?", "class": 7, "site": {"file": "a.py", "line": None, "text": None}, "settings": 1}]]
BROKEN += [{"eval_forwards": "many", "world_size": math.inf, "site": 4, "mode_layers": 2, "train_off": None}]
BROKEN += [[{"groups": [{"lr": math.nan, "betas": [None, 2], "momentum": 1.0, "eps": math.inf, "weight_decay": 0.0}]}]]


@each
@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_fix_survives_broken_facts(cause: Cause, broken: Any) -> None:
    keys = "steps backwards optimizers schedulers loaders models params backward_sites losses modes distributed error"
    run = rich(**dict.fromkeys(keys.split(), broken), ops=broken, log=broken)
    assert parses(cause.fix(run, NO_SIGNS).code)


@each
@pytest.mark.parametrize("text", ["opt = torch.optim.SGD(", "for x in f(y):", "lr=5.0,", ")", "", "x = 'ä' # ü"])
def test_fix_survives_lines_that_do_not_stand_alone(cause: Cause, text: str) -> None:
    def cut(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: text if key == "text" else cut(inner) for key, inner in value.items()}
        return [cut(inner) for inner in value] if isinstance(value, list) else value

    fix = cause.fix(rich(**cut(dict(rich().facts))), NO_SIGNS)
    assert parses(fix.code)


@each
def test_fix_survives_series_without_a_finite_value(cause: Cause) -> None:
    builder = RunBuilder("x", "observed")
    for name in rich().series_names:
        builder.series(name, [0, 1, 2], [math.nan, math.inf, 0.0])
    assert parses(cause.fix(builder.build(), NO_SIGNS).code)


@each
def test_page_names_only_existing_neighbours(cause: Cause) -> None:
    neighbours = re.search(r"## Often confused with\n(.*?)\n## ", cause.page, re.S)
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", neighbours[1] if neighbours else ""))
    assert named <= set(all_causes()) - {cause.id}


@each
def test_weights_point_one_way_and_requirements_can_be_met(cause: Cause) -> None:
    assert all(weight > 0 for weight in cause.supports.values())
    assert bool(cause.requires) == bool(cause.supports) and set(cause.requires) <= set(cause.supports)
    assert set(cause.seen_by) <= set(cause.supports)
    assert cause.id not in cause.explains


@each
@pytest.mark.parametrize("junk", [None, math.nan, "text", [], {}, [None, 3, {"site": "x", "kind": "weight"}], True])
def test_fix_survives_nonsense_in_the_record(cause: Cause, junk: Any) -> None:
    keys = ("data/train", "data/eval", "targets/train", "losses", "graph", "params", "models", "loaders", "ops",
            "precision", "backward_sites", "overlap", "feature_leak", "attention", "label_order")  # fmt: skip
    run = RunBuilder("run.tdx", "observed")
    for key in keys:
        run.fact(key, junk)
    for kind in ("nonfinite-origin", "clip-before-unscale", "loss-jump"):
        run.event(kind, None, site=junk, op=junk, input_range=junk, scale=junk, threshold=junk, input_max=junk)
    ast.parse(cause.fix(run.build(), NO_SIGNS).code)


# ── quotes from the page ─────────────────────────────────────────────────────────────────────────

PAGE = """The moon is
full.

## What happens
Everything shines.

## What not to do
- Do not `howl()`: it
  carries far.
- Do not run.
- Do not look up.

## Verify
The moon has waned.

See `moon.phase`.

## References
- Almanac, "On moons".
- Atlas.
"""


def module(**constants: Any) -> ModuleType:
    made = ModuleType("full_moon", PAGE)
    required = {"ID": "full-moon", "FAMILY": "astronomy", "TITLE": "Full moon", "FOR": {}, "fix": None}
    vars(made).update(required, **constants)
    return made


def test_a_cause_without_constants_quotes_its_page() -> None:
    cause = _cause(module())
    assert cause.means == "The moon is full."
    assert cause.avoid == ("Do not howl(): it carries far.", "Do not run.")
    assert cause.verify == "The moon has waned."
    assert cause.reference == 'Almanac, "On moons"'


def test_constants_are_used_instead_of_the_page() -> None:
    cause = _cause(module(MEANS="A moon.", AVOID=("Do not bay.",), VERIFY="It is new.", REFERENCE="Stars"))
    assert (cause.means, cause.avoid, cause.verify) == ("A moon.", ("Do not bay.",), "It is new.")
    assert cause.reference == "Stars"


def test_a_module_without_a_docstring_is_a_cause() -> None:
    made = module()
    made.__doc__ = None  # python -OO
    cause = _cause(made)
    assert (cause.means, cause.avoid, cause.verify, cause.reference) == ("", (), "", "")


# ── pages of families ────────────────────────────────────────────────────────────────────────────


def python_blocks(markdown: str) -> list[str]:
    return [textwrap.dedent(code) for code in re.findall(r"```python\n(.*?)```", markdown, re.S)]


def test_pages_have_a_title_and_python_that_parses() -> None:
    assert len(page_names()) >= 11
    for name in page_names():
        page = read_page(name)
        assert page is not None
        assert page.startswith(f"# {page_title(name)}\n")
        for code in python_blocks(page):
            ast.parse(code)


def test_pages_are_read_by_name_only() -> None:
    assert read_page("Loss_Curves") == read_page("loss-curves")
    assert read_page("../_base") is None and read_page("") is None
