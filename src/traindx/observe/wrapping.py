"""Replaces parts of torch by wrappers, and puts them back: at the end, for a while, or as long as nobody needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any

# Python passes over frames of its own import machinery, which it knows by these two words, when it says which line a
# warning is about. Our wrappers must be passed over too, or torch's warnings would name us instead of the user's line.
WRAPPER_FILE = "<traindx wrapper, passed over like importlib._bootstrap>"

# A class that changes again and again loses the caches that make its methods quick: in Python 3.13 for good, after a
# thousand changes. Well before that, what is in place stays there.
MOST_WITHDRAWALS = 200

_INHERITED = object()  # stands for an attribute that the class itself did not have


class Wrappers:
    """What of torch is replaced at present."""

    def __init__(self) -> None:
        self._patches: list[tuple[Any, str, Any, Any]] = []
        self._needed_for: dict[str, list[tuple[Any, str, Any, Any]]] = {}  # those of them that may be withdrawn
        self._withdrawn: set[str] = set()
        self._withdrawals = 0
        self._away = False
        self._asides: list[tuple[Callable[[], None], Callable[[], None]]] = []

    def set_aside_by(self, remove: Callable[[], None], put_back: Callable[[], None]) -> None:
        """Something else that must be out of the way where torch is to be as it is without us."""
        self._asides.append((remove, put_back))

    def patch(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Replace `owner.name` by `make(original)` until the hooks are removed. Absent names are passed over."""
        original = owner.__dict__.get(name) if isinstance(owner, type) else getattr(owner, name, None)
        if original is not None:
            self._replace(owner, name, original, make(original))

    def override(self, owner: type, name: str, make: Callable[[Any], Any], needed_for: str) -> None:
        """The same for a method that `owner` inherits, which is in place only while it is needed."""
        self._replace(owner, name, _INHERITED, make(getattr(owner, name)))
        self._needed_for.setdefault(needed_for, []).append(self._patches[-1])

    def withdraw(self, purpose: str) -> None:
        """Nobody needs these for now: torch's own methods are called again, by optimizers too, at every step."""
        if purpose not in self._withdrawn and self._withdrawals < MOST_WITHDRAWALS and not self._away:
            self._withdrawals += 1
            self._withdrawn.add(purpose)
            for owner, name, original, _ in self._needed_for.get(purpose, ()):
                self._put_back(owner, name, original)

    def bring_back(self, purpose: str) -> None:
        if purpose in self._withdrawn and not self._away:
            self._withdrawn.discard(purpose)
            for owner, name, _, replacement in self._needed_for.get(purpose, ()):
                setattr(owner, name, replacement)

    def _in_place(self) -> list[tuple[Any, str, Any, Any]]:
        away = [id(patch) for purpose in self._withdrawn for patch in self._needed_for.get(purpose, ())]
        return [patch for patch in self._patches if id(patch) not in away]

    def _replace(self, owner: Any, name: str, original: Any, replacement: Any) -> None:
        # People inspect signatures of what they call.
        update_wrapper(replacement, getattr(owner, name) if original is _INHERITED else original)
        replacement.__code__ = replacement.__code__.replace(co_filename=WRAPPER_FILE)
        self._patches.append((owner, name, original, replacement))
        setattr(owner, name, replacement)

    def _put_back(self, owner: Any, name: str, original: Any) -> None:
        if original is _INHERITED:
            delattr(owner, name)
        else:
            setattr(owner, name, original)

    def put_all_back(self) -> None:
        for owner, name, original, _ in reversed(self._in_place()):
            self._put_back(owner, name, original)
        self._patches.clear()
        self._needed_for.clear()
        self._asides.clear()

    @contextmanager
    def out_of_the_way(self) -> Iterator[None]:
        """Torch as it is without us, for as long as compiled code runs: tracing must not meet our wrappers."""
        if self._away:
            yield
            return
        patches = self._in_place()
        self._away = True
        for owner, name, original, _ in reversed(patches):
            self._put_back(owner, name, original)
        for remove, _ in self._asides:
            remove()
        try:
            yield
        finally:
            self._away = False
            for _, put_back in self._asides:
                put_back()
            for owner, name, _, replacement in patches:
                setattr(owner, name, replacement)
