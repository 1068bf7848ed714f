"""A watcher whose handler is misspelt, or takes other arguments than its moment gives, is an error, not a silence."""

from __future__ import annotations

import pytest

from traindx.observe.hook_points.hooks import HookPoints
from traindx.observe.hook_points.moments import check_handlers
from traindx.observe.watchers import all_watchers


def test_handlers_of_all_watchers_are_moments():
    for kind in all_watchers():
        check_handlers(object.__new__(kind))


class Misspelt:
    name = "misspelt"

    def bakward_begin(self, loss, frame, keep): ...


class ShortOfAnArgument:
    name = "short"

    def backward_begin(self, loss, frame): ...


class OnlyNever:
    name = "never"
    ONLY_ON_LOOKS = frozenset({"forwards_end"})


@pytest.mark.parametrize(
    ("observer", "said"),
    [(Misspelt, "did you mean backward_begin"), (ShortOfAnArgument, "takes 2 arguments"), (OnlyNever, "no moment")],
)
def test_wrong_handlers_are_refused(observer, said):
    with pytest.raises(TypeError, match=said):
        HookPoints(lambda name, reason: None).add(observer())
