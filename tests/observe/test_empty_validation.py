"""A validation loader that delivers nothing, from the script to the patch."""

from __future__ import annotations

import subprocess

from small_loops import named

from traindx.diagnosis import diagnose

SCRIPT = """
from torch.utils.data import random_split
x = torch.randn(300, 6)
y = (x[:, 0] + x[:, 1] > 0).long()
training, validation = random_split(TensorDataset(x, y), [280, 20])
train_loader = DataLoader(training, batch_size=32, shuffle=True, drop_last=True)
val_loader = DataLoader(validation, batch_size=32, drop_last=True)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(12):
    model.train()
    for a, b in train_loader:
        optimizer.zero_grad()
        F.cross_entropy(model(a), b).backward()
        optimizer.step()
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for a, b in val_loader:
            total += F.cross_entropy(model(a), b, reduction="sum").item()
            count += len(b)
    print(epoch, "val loss", total / max(count, 1))
"""


def test_drop_last_with_too_few_samples_is_named_and_its_patch_removes_it(observed):
    ran = observed(SCRIPT)
    found, path = diagnose(ran.run), ran.script
    assert found.verdict == "sick" and found.hypotheses[0].cause == "validation-on-nothing"
    fix = found.hypotheses[0].fix
    assert fix is not None and fix.patch is not None
    subprocess.run(["patch", "-p1", "--fuzz=0", "-s"], cwd=path.parent, input=fix.patch.encode(), check=True)
    assert "DataLoader(validation, batch_size=32)" in path.read_text()
    again = observed(path)
    assert again.code == 0 and len(again.run.series("loss/validation")) == 12
    assert "validation-on-nothing" not in named(again.run)


def test_validation_with_samples_is_not_named(observed):
    run = observed(SCRIPT.replace("[280, 20]", "[260, 40]")).run
    assert "validation-on-nothing" not in named(run)


def test_a_loader_that_nobody_reads_is_no_validation(observed):
    without = SCRIPT[: SCRIPT.index("    model.eval()")].replace("[280, 20]", "[300, 0]")
    run = observed(without).run
    assert "validation-on-nothing" not in named(run)
