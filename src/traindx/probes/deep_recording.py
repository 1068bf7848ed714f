"""The recording of `traindx run --deep`. It does not import torch before the script does."""

from __future__ import annotations

from ..observe.recording import Recording


class DeepRecording(Recording):
    """A plain recording with deeper looks at some steps."""

    def attach(self) -> None:
        super().attach()
        if self.session is None:
            return
        from .drivers._deep_looks import DeepLooks

        self.hooks.fast_allowed = False  # a spike may come at any step; its replay needs that step fully observed
        watcher = DeepLooks(self.session)
        self._watchers.append(watcher)
        self.hooks.add(watcher)
