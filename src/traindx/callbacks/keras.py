"""`TraindxCallback` for Keras 3, on every backend.

On torch the training itself is observed, as by `traindx run`. JAX and TensorFlow compile it: what Keras tells its
callbacks is recorded then, the loss of each batch, and metrics, learning rate and weights of each epoch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras

from ._following import Following, Report, to_stderr


class TraindxCallback(keras.callbacks.Callback):
    """`model.fit(..., callbacks=[TraindxCallback()])`: records the training, and says what it found.

    `out` is the record's file (default: a new one in traindx-runs/), `report` gets the diagnosis as text.
    """

    def __init__(self, out: str | Path | None = None, report: Report | None = to_stderr) -> None:
        super().__init__()
        self._following = Following("keras", out, report)
        self._step = 0  # updates of the weights so far
        self._mean, self._batches = 0.0, 0  # of the loss, over the epoch so far

    def on_train_begin(self, logs: Any = None) -> None:
        if keras.backend.backend() == "torch":
            from ..observe.watch import watch

            self._following.begin(lambda path: watch(out=path))
            return
        from ..recorder.recording import start

        fact = {"name": "keras", "version": keras.__version__, "site": None}
        self._following.begin(start, {"framework": fact})
        self._step = 0
        self._note_parameters()

    @property
    def _logs_itself(self) -> Any:
        """The recorder that this callback logs to; None where the training is observed."""
        return self._following.recording if keras.backend.backend() != "torch" else None

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._mean, self._batches = 0.0, 0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        run = self._logs_itself
        if run is None or not logs or "loss" not in logs:
            return
        # Keras tells the mean over the epoch so far: the loss of this batch is what moved it.
        mean, ended = float(logs["loss"]), batch + 1
        loss = (ended * mean - self._batches * self._mean) / max(1, ended - self._batches)
        self._step += ended - self._batches
        self._mean, self._batches = mean, ended
        run.log(self._step - 1, loss=loss)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        run = self._logs_itself
        if run is not None:
            rate = getattr(self.model.optimizer, "learning_rate", None)
            told = {name: value for name, value in (logs or {}).items() if name not in ("loss", "learning_rate")}
            run.log(max(0, self._step - 1), {**told, "lr": float(rate) if rate is not None else None})
            self._note_parameters()

    def _note_parameters(self) -> None:
        run = self._logs_itself
        if run is not None and self.model is not None and self.model.built:
            variables = self.model.trainable_variables
            run.parameters(
                self._step, {v.path.replace("/", "."): keras.ops.convert_to_numpy(v.value) for v in variables}
            )

    def on_train_end(self, logs: Any = None) -> None:
        self._following.end()
