"""The scripts of this folder, healthy or with one of five faults written into them."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
SCRIPTS = {
    "PyTorch": "plain.py",
    "Accelerate": "accelerated.py",
    "Lightning": "lit.py",
    "Hugging Face": "hf.py",
    "skorch": "skorched.py",
    "Keras on torch": "keras_on_torch.py",
}
NEEDS = {
    "Accelerate": "accelerate",
    "Lightning": "lightning",
    "Hugging Face": "transformers",
    "skorch": "skorch",
    "Keras on torch": "keras",
}
# By fault: what it is called in the answer, and the edits: each text stands in one of the files, or in none.
FAULTS = {
    "none": ("healthy", ()),
    "data": ("nonfinite-data", (("    return x, y\n", "    x[samples // 2, 5] = np.nan\n    return x, y\n"),)),
    "wiring": (
        "detached-graph",
        (
            ("F.relu(self.first(x))", "F.relu(self.first(x)).detach()"),
            ('"first")(inputs)', '"first")(inputs)\nh = keras.ops.stop_gradient(h)'),
        ),
    ),
    "rate": ("lr-too-high", (("lr=1e-3", "lr=0.5"), ("learning_rate=1e-3", "learning_rate=0.5"))),
    "mode": (
        "eval-mode-missing",
        (("self.dropout(h)", "F.dropout(h, 0.3)"), ("Dropout(0.3)(h)", "Dropout(0.3)(h, training=True)")),
    ),
    "loss": (
        "double-softmax",
        (("self.head(h)", "self.head(h).softmax(dim=1)"), ('name="head"', 'activation="softmax", name="head"')),
    ),
}


def write(folder: Path, framework: str, fault: str) -> Path:
    """Write the framework's script with this fault, and the modules that it imports."""
    _, edits = FAULTS[fault]
    for name in ("task.py", "net.py", SCRIPTS[framework]):
        text = (HERE / name).read_text(encoding="utf-8")
        for old, new in edits:
            text = text.replace(old, new)
        (folder / name).write_text(text, encoding="utf-8")
    return folder / SCRIPTS[framework]
