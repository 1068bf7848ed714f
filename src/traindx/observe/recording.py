"""Sets up the observation of one run: the record, the hook points, the watchers; and brings it to an end."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..record.ending import HEARTBEAT_SECONDS
from ..record.writer import RecordWriter
from .hook_points.hooks import HookPoints, text_of
from .ranks import own_rank
from .reinforcement import reinforcement_learning
from .secrets import masked_text
from .sites import begin_here

if TYPE_CHECKING:
    from .rank_comparison import RankComparison

_now = time.time  # the script may replace it

FACTS_SHARE = 0.003  # of one processor, at most, for writing facts anew while the training runs
UNDER_WAY = 20  # steps after which the script has imported and defined what it trains with


class Recording:
    """One observed run, from before torch is imported until the record is closed. Import-light on purpose."""

    def __init__(self, path: Path, budget: float, driver: Any = None) -> None:
        self.writer = RecordWriter(path, before_flush=self._flush)
        self._off: dict[str, str] = {}
        self.hooks = HookPoints(self._switched_off)
        self.hooks.driver = driver
        self._share = budget / 100.0
        self._facts_due = 0.0
        self._heartbeat_due = 0.0
        self._scope_noted = False
        self._watchers: list[Any] = []
        self.ranks_folder: Path | None = None  # of a distributed job, where this is its rank 0
        self._ranks: RankComparison | None = None
        self.session: Any = None
        os.register_at_fork(after_in_child=self.writer.abandon)
        begin_here()
        self.writer.fact("traindx", __version__)
        self.writer.fact("python", platform.python_version())
        self.writer.fact("platform", platform.platform(terse=True))
        self.writer.fact("started", time.time())

    def attach(self) -> None:
        """Hook torch, which has just been imported. An error here must not reach the user's import."""
        try:
            self._attach()
        except Exception as error:
            self._switched_off("everything", f"{type(error).__name__}: {text_of(error)}")

    def _attach(self) -> None:
        import torch

        from ..units import modules_of
        from .session import Session

        self.writer.fact("torch", torch.__version__)
        if not self._observes():
            self.writer.fact("distributed", {"rank": own_rank(), "observed": False})
            return
        self.session = Session(self.writer, self.hooks, self._share)
        modules = sorted(modules_of("traindx.observe.watchers", defining="Watcher"), key=lambda m: m.ORDER)
        self._watchers = [module.Watcher(self.session) for module in modules if self._needs(module)]
        for watcher in self._watchers:
            self.hooks.add(watcher)
        if self.ranks_folder is not None:
            from .rank_comparison import RankComparison

            self._ranks = RankComparison(self.ranks_folder, self.writer)
        self.hooks.install()

    def _observes(self) -> bool:
        return own_rank() == 0

    def _needs(self, watcher: ModuleType) -> bool:
        return True

    def _switched_off(self, observer: str, reason: str) -> None:
        self._off[observer] = masked_text(reason)
        self.writer.fact("observers_off", self._off)
        step = getattr(self.session, "step", None)
        self.writer.event("observer-off", step, observer=observer, reason=self._off[observer])

    def _each(self, method: str) -> None:
        for watcher in list(self._watchers):
            call = getattr(watcher, method, None)
            if call is None or watcher.name in self._off:
                continue
            try:
                with self.hooks.unseen():
                    call()
            except Exception as error:
                if isinstance(error, RuntimeError) and "changed size during iteration" in text_of(error):
                    continue  # the training wrote while the writing thread read: the next flush writes it
                self._switched_off(watcher.name, f"{type(error).__name__} at {method}: {text_of(error)}")
                self.hooks.forget(watcher)

    def _flush(self) -> None:
        if _now() >= self._heartbeat_due:
            self._heartbeat_due = _now() + HEARTBEAT_SECONDS
            self.writer.fact("heartbeat", _now())
        if self.session is None:
            return
        began = time.thread_time()
        try:
            self.session.metrics.drain()
        except Exception as error:
            self._switched_off("metrics", f"{type(error).__name__}: {text_of(error)}")
        brought_over = time.thread_time()
        if time.perf_counter() >= self._facts_due:
            self._each("flush")
            if not self._scope_noted and self.session.step >= UNDER_WAY:
                self._note_scope()
            # A model of many layers has many facts: they come less often.
            self._facts_due = time.perf_counter() + (time.thread_time() - brought_over) / FACTS_SHARE
        self._compare_ranks(ended=False)
        self.session.schedule.charge_writing(time.thread_time() - began)

    def _compare_ranks(self, ended: bool) -> None:
        if self._ranks is None:
            return
        try:
            if ended:
                self._ranks.finish()
            else:
                self._ranks.collect_if_due()
        except Exception as error:
            self._ranks = None
            self._switched_off("ranks", f"{type(error).__name__}: {text_of(error)}")

    def _note_scope(self) -> None:
        """Whether this is reinforcement learning. Such runs are long, and more often stopped than left to end."""
        self._scope_noted = True
        try:
            found = reinforcement_learning()
        except Exception as error:
            self._switched_off("scope", f"{type(error).__name__}: {text_of(error)}")
            return
        if found:
            self.writer.fact("rl", found)

    def close(self, exit_status: str, error: dict[str, Any] | None = None) -> None:
        """The run is over: remove the hooks, write what is left."""
        self.hooks.remove()
        self.writer.flush()  # what watchers finish with includes what is still on its way to them
        self._each("finish")
        if self._ranks is not None:
            self.writer.flush()  # what it compares with the other ranks is read from the file
            self._compare_ranks(ended=True)
        if error is not None:
            self.writer.fact("error", error)
        if not self._scope_noted:
            self._note_scope()
        self.writer.fact("exit", exit_status)
        self.writer.fact("ended", time.time())
        self.writer.close()


class RankRecording(Recording):
    """The observation of another rank than 0: a few watchers, for the comparison of ranks."""

    def _observes(self) -> bool:
        return True

    def _needs(self, watcher: ModuleType) -> bool:
        return getattr(watcher, "EVERY_RANK", False)
