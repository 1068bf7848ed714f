"""The hook points: moments of a training at which observers read and drivers act.

Each file beside this one wraps some part of torch and announces what happens there. An *observer* is an object with a
method named after each moment that it needs; `moments.py` lists them. A misspelt handler is an error.

Most steps of a long training are not measured closely (no *look*). A watcher names in `ONLY_ON_LOOKS` the moments of a
training step that it does not need then; evaluations are always announced. If steps are short, most of them take the
fast path (see `fast_path`): watchers get them together, afterwards, through `fast_steps_ended`.

An observer that raises is switched off, once and for all its moments; the training never sees the error. A
*driver* may also change what happens (a batch, a learning rate) and is allowed to raise: see `moments`.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from math import inf
from threading import get_ident
from time import perf_counter, thread_time
from typing import Any
from weakref import WeakSet

from ..held_out import HeldOut
from ..lengths import Lengths
from .moments import MOMENTS as MOMENTS
from .moments import Driver as Driver
from .moments import StopTraining as StopTraining
from .moments import check_handlers
from .wrapping import Wrappers

SEVERAL_THREADS = "several threads train at once"

# Seconds of the training's processor time that are worth a write, and how long a write that is due may wait for them.
WORTH_SAVING, LONGEST_DELAY = 0.1, 0.2

# Of another thread that trains: seconds in which it shows itself again (one whose steps take much longer is recognised
# when it comes back), and seconds until a look of its own must have come to its end.
SHOWS_ITSELF, LONGEST_LOOK = 0.05, 1.0

SHAPES, SCORING, TERMS = "shapes", "scoring", "terms"  # what some wrappers are needed for


def text_of(error: BaseException) -> str:
    """The message of an exception. A custom exception of the script may fail to give one."""
    try:
        return str(error)[:500]
    except Exception:
        return "(no message)"


def _alive(thread: int) -> bool:
    return any(each.ident == thread for each in threading.enumerate())


@contextmanager
def _without_modes(no_functions: Any) -> Iterator[None]:
    from torch.utils._python_dispatch import _disable_current_modes

    with no_functions, _disable_current_modes():
        yield


class HookPoints(Wrappers):
    """Wraps torch while it is installed, and tells observers what happens."""

    def __init__(self, switched_off: Callable[[str, str], None]) -> None:
        super().__init__()
        self._switched_off = switched_off
        self._observers: list[Any] = []
        self._calls: dict[str, tuple[tuple[Any, Callable[..., None]], ...]] = dict.fromkeys(MOMENTS, ())
        self._calls_unlooked = self._calls
        self._undo: list[Callable[[], None]] = []
        self.driver: Driver | None = None
        self.deciding = False  # the driver has let a scheduler step
        self.driven_schedulers: WeakSet[Any] = WeakSet()
        self.live = False
        self.busy = False  # observers' own torch calls must not announce themselves
        self.inside = False  # within an outermost module's forward, or within backward, which may run forwards again
        self.differentiating = False  # within backward
        self.looking = True  # the present step is measured (a look)
        # The `FastSteps` going on: moments that they take (`takes_…`) are not announced. None while a driver is
        # at work.
        self.fast: Any = None
        self.fast_allowed = True
        # Accounts for traindx's own seconds; the argument says whether they belong to the cost of a look.
        self.lengths = Lengths()
        self.charge: Callable[[float, bool], None] = lambda seconds, of_look: None
        self.save: Callable[[], None] = lambda: None  # writes to the record what has been measured
        self.save_due = inf  # on the clock of `perf_counter`
        self._saved_at = 0.0  # in the thread's own time
        self._paused = 0.0  # since when observers are at work
        self._own_seconds = 0.0  # of wall time that they took before
        self._scoring = False
        self.modes_switch = False  # the script trains in train mode, so a forward in eval mode is an evaluation's
        self.evaluating = False  # the last model that was called is being evaluated
        self.held_out = HeldOut()
        self.inner = False  # some observer needs every module of this forward
        self.dropped = False  # dropout was at work since an observer last set this
        self.dropping_site: Any = None  # where it first was in a forward without gradients
        self.saved_tensors_hooked = False  # unpacking a saved tensor could recompute or transfer it
        # What is called around a step, for optimizers that are none of torch's: see `optim.py`.
        self.before_step: Callable[[Any, Any, Any], None] = lambda optimizer, args, kwargs: None
        self.after_step = self.before_step
        self.thread = 0  # the one whose training is followed
        self._followed_others = False
        self._told = 0
        # A context in which what is asked of a tensor reaches no `__torch_function__`, of a class or of a mode that the
        # script has entered; and how many such modes there are.
        self.no_functions: Callable[[], Any] = nullcontext
        self.function_modes: Callable[[], int] = lambda: 0
        self._modes_entered: Callable[[], int] = lambda: 0
        os.register_at_fork(after_in_child=self._leave_child_alone)

    # ── who listens ─────────────────────────────────────────────────────────────────────────────

    def add(self, observer: Any) -> None:
        check_handlers(observer)
        self._observers.append(observer)
        self._rebuild()

    def _rebuild(self) -> None:
        self._calls = {
            moment: tuple((o, getattr(o, moment)) for o in self._observers if hasattr(o, moment)) for moment in MOMENTS
        }
        self._calls_unlooked = {
            moment: tuple((o, call) for o, call in calls if moment not in getattr(o, "ONLY_ON_LOOKS", ()))
            for moment, calls in self._calls.items()
        }

    def forget(self, observer: Any) -> None:
        self._observers = [other for other in self._observers if other is not observer]
        self.end_fast_steps()  # it may have been the one that decides on that
        self._rebuild()

    def switch_off(self, observer: Any, moment: str, error: BaseException) -> None:
        """The last line of defence: no error of an observer may reach the training."""
        try:
            self.forget(observer)
        except Exception:
            self.live = False
        self._failed(observer.name, error, f" at {moment}")

    def _failed(self, what: str, error: BaseException, where: str = "") -> None:
        try:
            self._switched_off(what, f"{type(error).__name__}{where}: {text_of(error)}")
        except Exception:
            self.live = False

    def announce(self, moment: str, *args: Any, training: bool = False) -> None:
        """Tell the observers. `training`: this is part of a training step, and not every step is looked at."""
        if self.busy or not self.live:
            return
        self.busy = True
        self._told += 1
        now = self._paused = perf_counter()
        unseen = self.unseen()
        try:
            unseen.__enter__()
            if training and not self.looking:
                self._tell(self._calls_unlooked[moment], moment, args)
            else:
                began = thread_time()
                self._tell(self._calls[moment], moment, args)
                self.charge(thread_time() - began, True)
            if now >= self.save_due and self.must_save(now):
                self._save()
        finally:
            unseen.__exit__(None, None, None)
            self.busy = False
            self._own_seconds += perf_counter() - now

    def clock(self) -> float:
        """Seconds on the script's own clock, which stands still while observers work."""
        return (self._paused if self.busy else perf_counter()) - self._own_seconds

    def must_save(self, now: float) -> bool:
        """Whether a write that is due pays: on a busy machine time passes, and nearly nothing is trained."""
        return thread_time() - self._saved_at >= WORTH_SAVING or now >= self.save_due + LONGEST_DELAY

    def _save(self) -> None:
        self._saved_at = thread_time()
        try:
            self.save()
        except Exception as error:
            self.save_due = inf
            self._failed("saving", error)

    def unseen(self) -> Any:
        """A context in which observers' own operations reach neither classes of tensors that redefine them
        (`__torch_function__`) nor modes that the script has entered, which may count or change operations."""
        if self._modes_entered():
            return _without_modes(self.no_functions())
        return self.no_functions()

    def may_follow(self) -> bool:
        """Called when another thread trains than before. A thread that trains after that one, or while it waits, is
        followed next. Of two that train at once, traindx would read the gradients that the other changes, which can
        crash torch."""
        if self.thread and _alive(self.thread):
            if self._followed_others or self._goes_on():
                until = perf_counter() + LONGEST_LOOK
                while self.busy and perf_counter() < until:
                    time.sleep(0.001)
                if self.live:
                    self.live, self.fast = False, None
                    self._switched_off("everything", SEVERAL_THREADS)
                return False
            self._followed_others = True
        self.thread = get_ident()
        return True

    def _goes_on(self) -> bool:
        """Whether the other thread gets on while this one waits."""
        before = self._progress()
        time.sleep(SHOWS_ITSELF)
        return self._progress() != before

    def _progress(self) -> tuple[int, int]:
        return self._told, len(self.fast.log) if self.fast is not None else 0

    def elsewhere(self) -> bool:
        """Whether this is called in another thread than the one that trains: nothing may be touched then."""
        return self.thread not in (0, get_ident()) and _alive(self.thread)

    def never_fast(self, error: Exception) -> None:
        """Logging a fast step failed: from now on every step is observed in full."""
        self.fast_allowed = False
        self._failed("fast path", error)

    def end_fast_steps(self) -> None:
        """Ends the stretch: from now on moments are announced again."""
        fast, self.fast = self.fast, None
        if fast is None or not self.live:
            return
        before, self.busy = self.busy, True
        began, now = thread_time(), perf_counter()
        if not before:
            self._paused = now
        try:
            with self.unseen():
                self.relay("fast_steps_ended", fast)
                self.charge(thread_time() - began, False)
                if now >= self.save_due and self.must_save(now):
                    self._save()
        finally:
            self.busy = before
            if not before:  # else this is counted where that began
                self._own_seconds += perf_counter() - now

    def begin_fast_steps(self, fast: Any) -> None:
        self.fast = fast
        if not self._scoring:
            self.withdraw(SCORING)

    @property
    def scoring(self) -> bool:
        """An evaluation is in progress; scalars that the script reads now may be its results."""
        return self._scoring

    @scoring.setter
    def scoring(self, scoring: bool) -> None:
        self._scoring = scoring
        if scoring:
            self.bring_back(SCORING)

    def given_held_out(self, args: Any, kwargs: Any) -> bool:
        """Whether a model is about to be given data that it is only evaluated on."""
        try:
            with self.no_functions():
                return self.held_out.source_of(args, kwargs) in self.held_out
        except Exception as error:
            self.held_out = HeldOut()
            self._failed("held-out data", error)
            return False

    def relay(self, moment: str, *args: Any) -> None:
        """Tell the observers, from within an observer."""
        self._tell(self._calls[moment], moment, args)

    def _tell(self, calls: Any, moment: str, args: tuple[Any, ...]) -> None:
        for observer, call in calls:
            try:
                call(*args)
            except Exception as error:
                self.switch_off(observer, moment, error)

    def after(self, owner: Any, name: str, then: Callable[..., None]) -> None:
        """Call `then(result, *arguments)` after every call of `owner.name`, as long as something is observed."""

        def make(original: Any) -> Any:
            def called(*args: Any, **kwargs: Any) -> Any:
                result = original(*args, **kwargs)
                if self.live and not self.busy:
                    try:
                        then(result, *args, **kwargs)
                    except Exception as error:
                        self._failed(name, error)
                return result

            return called

        self.patch(owner, name, make)

    def on_remove(self, undo: Callable[[], None]) -> None:
        self._undo.append(undo)

    def install(self) -> None:
        """Wrap everything that the files of `hook_points/` wrap. torch must have been imported."""
        import torch

        from ...units import modules_of

        self.no_functions, self._modes_entered = torch._C.DisableTorchFunction, torch._C._len_torch_dispatch_stack
        self.function_modes = torch._C._len_torch_function_stack
        self.live = True
        self.save_due = 0.0
        for point in modules_of("traindx.observe.hook_points", defining="install"):
            point.install(self)

    def remove(self) -> None:
        """Put torch back as it was."""
        self.end_fast_steps()
        self.live = False
        self.put_all_back()
        for undo in self._undo:
            undo()
        self._undo.clear()

    def _leave_child_alone(self) -> None:
        # A forked child (a loader's worker) shares our code but not our writer: it is never observed.
        self.live = False
        self.save_due = inf
        self.fast = None
        self._calls = self._calls_unlooked = dict.fromkeys(MOMENTS, ())
        self.driver = None
