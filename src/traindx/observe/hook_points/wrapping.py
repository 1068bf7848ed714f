"""Replaces parts of torch with wrappers, and removes them again: at the end, for a while, or while nobody needs them.

A script may replace the same parts. Replacements by others are never overwritten: a wrapper is removed only if it is
still in place, and installed only where torch's own function is in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any

# Python skips frames of its own import machinery, which it recognises by these two words, when it decides which line a
# warning is about. It must skip our wrappers too, or torch's warnings would name us instead of the user's line.
WRAPPER_FILE = "<traindx wrapper, passed over like importlib._bootstrap>"

# A class that changes again and again loses the caches that make its methods fast: in Python 3.13 for good, after a
# thousand changes. Well before that, the wrappers stay where they are.
MAX_WITHDRAWALS = 200

_INHERITED = object()  # stands for an attribute that the class itself does not have


class _Patch:
    """One attribute of torch and what replaces it."""

    __slots__ = ("name", "original", "owner", "replacement")

    def __init__(self, owner: Any, name: str, original: Any, replacement: Any) -> None:
        self.owner, self.name, self.original, self.replacement = owner, name, original, replacement

    def _present(self) -> Any:
        return vars(self.owner).get(self.name, _INHERITED)

    def put_in_place(self) -> None:
        if self._present() is self.original:
            setattr(self.owner, self.name, self.replacement)

    def remove(self) -> bool:
        """False where somebody else's replacement is in place."""
        if self._present() is not self.replacement:
            return False
        if self.original is _INHERITED:
            delattr(self.owner, self.name)
        else:
            setattr(self.owner, self.name, self.original)
        return True


class Wrappers:
    """The parts of torch that are replaced at present."""

    def __init__(self) -> None:
        self._patches: list[_Patch] = []
        self._needed_for: dict[str, list[_Patch]] = {}  # those of them that may be withdrawn
        self._withdrawn: set[str] = set()
        self._withdrawals = 0
        self._away = False
        self._asides: list[tuple[Callable[[], None], Callable[[], None]]] = []

    def set_aside_by(self, remove: Callable[[], None], put_back: Callable[[], None]) -> None:
        """Something else to remove where torch has to be as it is without us."""
        self._asides.append((remove, put_back))

    def patch(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Replace `owner.name` by `make(original)` until the hooks are removed. Absent names are skipped."""
        original = vars(owner).get(name) if isinstance(owner, type) else getattr(owner, name, None)
        if original is not None:
            self._replace(owner, name, original, make(original)).put_in_place()

    def override(self, owner: type, name: str, make: Callable[[Any], Any], needed_for: str) -> None:
        """Prepare the same for a method that `owner` inherits. It is in place only between `bring_back` and
        `withdraw`: libraries that key tables by torch's methods at import find torch's own there."""
        original = vars(owner).get(name, _INHERITED)
        patch = self._replace(owner, name, original, make(getattr(owner, name)))
        self._needed_for.setdefault(needed_for, []).append(patch)
        self._withdrawn.add(needed_for)

    def withdraw(self, purpose: str, for_good: bool = False) -> None:
        """Nobody needs these for now: everybody, optimizers included, calls torch's own methods again."""
        if for_good or (purpose not in self._withdrawn and self._withdrawals < MAX_WITHDRAWALS and not self._away):
            self._withdrawals += 1
            self._withdrawn.add(purpose)
            for patch in self._needed_for.get(purpose, ()):
                patch.remove()
        if for_good:
            self._needed_for.pop(purpose, None)

    @property
    def withdrawals_left(self) -> int:
        """How often wrappers may still be removed other than for good."""
        return MAX_WITHDRAWALS - self._withdrawals

    def bring_back(self, purpose: str) -> None:
        if purpose in self._withdrawn and not self._away:
            self._withdrawn.discard(purpose)
            for patch in self._needed_for.get(purpose, ()):
                patch.put_in_place()

    def _replace(self, owner: Any, name: str, original: Any, replacement: Any) -> _Patch:
        # People inspect signatures of what they call.
        function, like = replacement, getattr(owner, name) if original is _INHERITED else original
        if isinstance(replacement, property):
            function, like = replacement.fget, original.fget
        update_wrapper(function, like)
        function.__code__ = function.__code__.replace(co_filename=WRAPPER_FILE)
        self._patches.append(_Patch(owner, name, original, replacement))
        return self._patches[-1]

    def put_all_back(self) -> None:
        for patch in reversed(self._patches):
            patch.remove()
        self._patches.clear()
        self._needed_for.clear()
        self._asides.clear()

    @contextmanager
    def out_of_the_way(self) -> Iterator[None]:
        """Torch as it is without us, while compiled code runs: a tracer must not meet our wrappers."""
        if self._away:
            yield
            return
        self._away = True
        removed = [patch for patch in reversed(self._patches) if patch.remove()]
        for remove, _ in self._asides:
            remove()
        try:
            yield
        finally:
            self._away = False
            for _, put_back in self._asides:
                put_back()
            for patch in reversed(removed):
                patch.put_in_place()
