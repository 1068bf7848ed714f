"""trainpulse: rolling-window alerts (NaN, a loss five times the rolling mean, no improvement for 100 steps)."""

from __future__ import annotations

from trainpulse import Monitor

from ._base import Said, Table

NAME = "trainpulse"
CLAIMS = {"nonfinite", "spike", "plateau"}


def say(table: Table) -> list[Said]:
    monitor = Monitor()
    for i, (step, loss) in enumerate(zip(table.steps.tolist(), table.train.tolist(), strict=True)):
        monitor.log("train_loss", int(step), loss)
        if table.lr is not None:
            monitor.log("lr", int(step), float(table.lr[i]))
    found: dict[str, Said] = {}
    for alert in monitor.alerts:
        text = alert.message
        label = "nonfinite" if "NaN" in text or "Inf" in text else "spike" if "spike" in text else "plateau"
        label = "lr-changed" if text.startswith("LR") else label
        found.setdefault(label, Said(label, alert.severity.name != "INFO" and label != "lr-changed", text))
    return list(found.values())
