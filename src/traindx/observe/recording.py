"""Sets up the observation of one run: the record, the hook points, the watchers; and brings it to an end."""

from __future__ import annotations

import os
import platform
import time
from _thread import start_new_thread
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..record.ending import HEARTBEAT_SECONDS, Companion, pulse
from ..record.writer import RecordWriter
from .hook_points.hooks import HookPoints, text_of
from .ranks import own_rank
from .reinforcement import reinforcement_learning
from .secrets import masked_text
from .sites import begin_here, keep_sources

if TYPE_CHECKING:
    from .rank_comparison import RankComparison

_now, _monotonic = time.time, time.monotonic  # the script may replace them

FACTS_SHARE = 0.003  # of one processor, at most, for writing facts anew while the training runs
UNDER_WAY = 20  # steps after which the script has imported and defined what it trains with


_under_way: list[Recording] = []


def observing() -> bool:
    """Whether this process is being observed: by `traindx run`, or by `traindx.watch`."""
    return bool(_under_way)


class Recording:
    """One observed run, from before torch is imported until the record is closed. Import-light on purpose."""

    def __init__(self, path: Path, budget: float, driver: Any = None) -> None:
        self.writer = RecordWriter(path, before_flush=self._flush)
        self.companion = Companion(path)
        self._off: dict[str, str] = {}
        self.hooks = HookPoints(self._switched_off)
        self.hooks.driver = driver
        self.hooks.save = self._save
        self.share = budget / 100.0
        self._facts_due = 0.0
        self._heartbeat_due = -inf
        self._sources_kept = False
        self._scope_noted = False
        self.handed_over = False
        self._watchers: list[Any] = []
        self.ranks_folder: Path | None = None  # of a distributed job, where this is its rank 0
        self._ranks: RankComparison | None = None
        self.session: Any = None
        for abandon in (self.writer.abandon, self.companion.abandon):
            os.register_at_fork(after_in_child=abandon)
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

        from .session import Session
        from .watchers import all_watchers

        self.writer.fact("torch", torch.__version__)
        if not self._observes():
            self.writer.fact("distributed", {"rank": own_rank(), "observed": False})
            return
        self.session = Session(self.writer, self.hooks, self.share)
        self._watchers = [kind(self.session) for kind in all_watchers() if self._needs(kind)]
        for watcher in self._watchers:
            self.hooks.add(watcher)
        if self.ranks_folder is not None:
            from .rank_comparison import RankComparison

            self._ranks = RankComparison(self.ranks_folder, self.writer)
        self.hooks.install()
        _under_way.append(self)

    def _observes(self) -> bool:
        return own_rank() == 0

    def _needs(self, watcher: Any) -> bool:
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
                    continue  # the training wrote while another thread read: the next flush writes it
                self._switched_off(watcher.name, f"{type(error).__name__} at {method}: {text_of(error)}")
                self.hooks.forget(watcher)

    def _save(self) -> None:
        """Called by the thread that trains, between two moments, when a write is due."""
        if self._takes_long():
            self.hooks.save_due = inf
            with suppress(RuntimeError):  # no thread can be started
                # Below the `threading` module, which would tell the script of it. It ends when it has written.
                start_new_thread(self._write, ())
                return
        self._write()

    def _takes_long(self) -> bool:
        """Whether the next write waits for an accelerator or reads the records of other ranks."""
        waits = self.session is not None and self.session.metrics.on_device
        return waits or (self._ranks is not None and self._ranks.is_due())

    def _write(self) -> None:
        try:
            self.writer.flush()
        finally:
            self.hooks.save_due = self.writer.due

    def _flush(self) -> None:
        if _monotonic() >= self._heartbeat_due:
            self._heartbeat_due = _monotonic() + HEARTBEAT_SECONDS
            self.writer.fact("heartbeat", _now())
            self.writer.fact("pulse", pulse())
        if self.session is None:
            return
        began = time.thread_time()
        if not self._sources_kept and self.session.step:
            self._sources_kept = True
            keep_sources()
        self.writer.fact("steps", self.session.step)
        self.writer.fact("backwards", self.session.backwards)
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
            self._switched_off("ranks", f"{type(error).__name__}: {text_of(error)}")
            ended = True
        if ended:
            self._ranks.close()
            self._ranks = None

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

    def may_hand_over(self) -> bool:
        """Whether this process has trained nothing so far, and keeps the record."""
        return self.session is not None and not (self.handed_over or self.session.backwards or self.session.step)

    def hand_over(self) -> None:
        """Another process is going to train, and keeps a record of the same name."""
        self.handed_over = True
        self.hooks.live = False
        self.writer.give_away()
        self.companion.remove()

    def close(self, exit_status: str, error: dict[str, Any] | None = None) -> None:
        """The run is over: remove the hooks, write what is left."""
        if self in _under_way:
            _under_way.remove(self)
        self.hooks.remove()
        if self.handed_over:
            return
        self.writer.flush()  # what watchers finish with includes what is still on its way to them
        self._each("finish")
        self._each("flush")
        if error is not None:
            self.writer.fact("error", error)
        if self._ranks is not None:
            self.writer.fact("exit", exit_status)
            self.writer.flush()  # what it compares with the other ranks is read from the file
            self._compare_ranks(ended=True)
        if not self._scope_noted:
            self._note_scope()
        self.writer.fact("exit", exit_status)
        self.writer.fact("ended", time.time())
        self.writer.close()
        self.companion.remove()


class RankRecording(Recording):
    """The observation of another rank than 0: a few watchers, for the comparison of ranks."""

    def _observes(self) -> bool:
        return True

    def _needs(self, watcher: Any) -> bool:
        return getattr(watcher, "EVERY_RANK", False)
