"""Where eval() goes, and whether train() must follow it."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_fixes_apply import after, everything, fix_of, recorded

EVALUATED = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(), nn.Linear(8, 3))
opt = torch.optim.SGD(model.parameters(), lr=5.0)
def epoch():
    FIRST
    for x, y in loader:
        loss = crit(model(x), y)
        loss.backward()
        opt.step()
@torch.no_grad()
def validate():
    hits = sum((model(x).argmax(1) == y).sum() for x, y in val)
    return hits / 100
ONCE
for e in range(3):
    EACH
    epoch()
    print(validate())
"""


@pytest.mark.parametrize(
    ("where", "again"), [("FIRST", True), ("EACH", True), ("ONCE", False), ("NOWHERE", False), ("LEAVES", False)]
)
def test_a_model_that_is_put_into_eval_mode_is_put_back_where_nothing_else_does(tmp_path: Path, where, again) -> None:
    text = EVALUATED.replace(where, "model.train()")
    for place in ("FIRST", "EACH", "ONCE"):
        text = text.replace(place, "pass")
    facts = {"modes": {"eval_forwards": 5, "eval_forwards_in_train_mode": 5}}
    if where == "LEAVES":  # at several places
        text = text.replace("    hits = ", "    if not val:\n        return 0\n    hits = ")
        assert fix_of("eval-mode-missing", recorded(tmp_path, text, **everything(text, **facts))).patch is None
        return
    changed = after(tmp_path, fix_of("eval-mode-missing", recorded(tmp_path, text, **everything(text, **facts))))
    back = "" if again else "    model.train()\n"
    assert changed == text.replace("    hits =", "    model.eval()\n    hits =").replace(
        "    return", f"{back}    return"
    )
