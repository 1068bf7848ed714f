"""The recording of `traindx run --deep`. Import-light: torch comes with the script."""

from __future__ import annotations

from ..observe.recording import Recording


class DeepRecording(Recording):
    """A plain recording with deeper looks at some steps."""

    def attach(self) -> None:
        super().attach()
        if self.session is None:
            return
        from .drivers._deep_looks import DeepLooks

        self.hooks.fast_allowed = False  # a spike may come at any step, and is replayed from what was observed of it
        watcher = DeepLooks(self.session)
        self._watchers.append(watcher)
        self.hooks.add(watcher)
