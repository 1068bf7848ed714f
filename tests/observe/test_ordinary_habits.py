"""Ordinary habits of healthy programs, each of which once looked like a fault."""

from __future__ import annotations

import pytest

from traindx.diagnosis import diagnose
from traindx.signs import measure_all

PARTS = """
x = torch.randn(96, 6)
y = (x[:, 0] > 0).long()
train = DataLoader(TensorDataset(x[:64], y[:64]), batch_size=16, shuffle=True)
test = DataLoader(TensorDataset(x[64:], y[64:]), batch_size=16)
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
"""

EPOCHS = """
for epoch in range(12):
    {before}
    for a, b in train:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(a), b)
        loss.backward()
        optimizer.step()
    {mode}
    total = 0.0
    for a, b in test:
        total += F.cross_entropy(model(a), b).item()
    print(epoch, total)
"""


def test_evaluation_without_no_grad_is_an_evaluation(observed):
    run = observed(PARTS + EPOCHS.format(before="model.train()", mode="model.eval()")).run
    modes = run.facts["modes"]
    assert modes["train_forwards_in_eval_mode"] == 0 and modes["train_forwards"] > 10
    assert modes["eval_forwards_in_train_mode"] == 0 and modes["eval_passes"] >= 10
    assert len(run.series("loss/validation")) == 12
    assert run.facts["losses"][0]["phase"] == "train" and any(loss["phase"] == "eval" for loss in run.facts["losses"])
    assert {loader["size"]: loader["role"] for loader in run.facts["loaders"]} == {64: "train", 32: "eval"}
    assert run.facts["overlap"]["shared"] == 0


def test_missing_eval_is_seen_without_no_grad(observed):
    modes = observed(PARTS + EPOCHS.format(before="pass", mode="pass")).run.facts["modes"]
    assert modes["train_forwards_in_eval_mode"] == 0
    assert modes["eval_forwards"] > 5 and modes["eval_forwards_in_train_mode"] == modes["eval_forwards"]


def test_forgotten_train_is_still_seen(observed):
    run = observed(PARTS + EPOCHS.format(before="pass", mode="model.eval()")).run
    assert run.facts["modes"]["train_forwards_in_eval_mode"] > 20
    assert run.facts["modes"]["first_eval_mode_step"] == 4


def test_training_in_eval_mode_from_the_start_is_training(observed):
    source = PARTS + "model.eval()\n" + EPOCHS.format(before="pass", mode="pass")
    modes = observed(source).run.facts["modes"]
    assert modes["train_forwards_in_eval_mode"] == modes["train_forwards"] > 10


@pytest.mark.parametrize(("rows", "columns"), [(256, 784), (512, 784), (256, 1024)])
def test_layer_behind_black_pixels_moves(observed, rows, columns):
    run = observed(f"""
        model = nn.Sequential(nn.Linear({columns}, {rows}), nn.ReLU(), nn.Linear({rows}, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        step = {rows} * {columns} // 1024
        for _ in range(6):
            x = torch.rand(8, {columns})
            x[:, ::{columns} // 8] = 0
            x[:, torch.arange(0, {rows} * {columns}, step) % {columns}] = 0
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
        """).run
    assert all(parameter["moved"] for parameter in run.facts["params"])


def test_few_rows_of_a_large_embedding_move(observed):
    run = observed("""
        model = nn.Sequential(nn.Embedding(200_000, 16), nn.Linear(16, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            model(torch.randint(0, 40, (4,))).square().mean().backward()
            optimizer.step()
        """).run
    assert all(parameter["moved"] for parameter in run.facts["params"])


def test_new_optimizer_each_epoch_is_one_optimizer(observed):
    run = observed(
        PARTS
        + """
for epoch in range(6):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01 / (1 + epoch))
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for a, b in train:
        optimizer.zero_grad()
        F.cross_entropy(model(a), b).backward()
        optimizer.step()
    scheduler.step()
"""
    ).run
    assert [entry["steps"] for entry in run.facts["optimizers"]] == [24]
    rates = run.series("lr")
    assert sorted({round(float(v), 6) for v in rates.values}, reverse=True) == [
        round(0.01 / (1 + e), 6) for e in range(6)
    ]
    assert run.facts["optimizers"][0]["grads_kept"] == 0
    assert {entry["optimizer"] for entry in run.facts["schedulers"]} == {0}


def test_two_optimizers_stay_two(observed):
    run = observed(
        PARTS
        + """
other = torch.optim.SGD([{"params": model[4].parameters()}], lr=0.5)
for a, b in train:
    for each in (optimizer, other):
        each.zero_grad()
        F.cross_entropy(model(a), b).backward()
        each.step()
"""
    ).run
    assert [entry["steps"] for entry in run.facts["optimizers"]] == [4, 4]
    assert set(run.series("lr/1.0").values) == {0.5}


def test_time_without_a_loader_is_not_waiting_for_data(observed):
    run = observed("""
        import time
        model = torch.nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(12):
            time.sleep(0.02)
            optimizer.zero_grad()
            model(torch.randn(8, 4)).square().mean().backward()
            optimizer.step()
        """).run
    assert not run.series("time/data") and max(run.series("time/between").values) > 0.015


def test_planned_length_is_read_from_the_loops(observed):
    source = PARTS + EPOCHS.format(before="model.train()", mode="model.eval()")
    assert observed(source).run.facts["planned"] == {"steps": 48, "source": "loops"}
    in_functions = """
import argparse
args = argparse.Namespace(epochs=7, batches=5)
def one_epoch(model):
    for i in range(args.batches):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
def main():
    for epoch in range(1, args.epochs + 1):
        one_epoch(model)
main()
"""
    assert observed(PARTS + in_functions).run.facts["planned"]["steps"] == 35
    until = """
step = 0
while step < 9:
    step += 1
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
"""
    assert "planned" not in observed(PARTS + until).run.facts


def test_last_tenth_is_looked_at_whatever_the_budget(observed):
    source = (
        PARTS + "EPOCHS = 100\n" + EPOCHS.format(before="model.train()", mode="model.eval()").replace("12", "EPOCHS")
    )
    outcome = observed(source, "--budget", "0.01")
    covered = outcome.run.facts["coverage"]
    assert covered["deep"]["last"] >= 360 and covered["deep"]["until"] > 0.9
    assert sum(step >= 360 for step in outcome.run.layers("update_ratio").steps) >= 3
    assert covered["evaluation"]["last"] == 400


def test_output_of_a_discriminator_is_an_output(observed):
    run = observed("""
        generator = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2), nn.Tanh())
        critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(), nn.Linear(8, 1), nn.Sigmoid())
        makes, judges = (torch.optim.Adam(net.parameters(), lr=1e-3) for net in (generator, critic))
        for _ in range(8):
            real, fake = torch.randn(16, 2), generator(torch.randn(16, 4))
            judges.zero_grad()
            bce = nn.functional.binary_cross_entropy
            (bce(critic(real), torch.ones(16, 1)) + bce(critic(fake.detach()), torch.zeros(16, 1))).backward()
            judges.step()
            makes.zero_grad()
            bce(critic(fake), torch.ones(16, 1)).backward()
            makes.step()
        """).run
    outputs = [model["output"] for model in run.facts["models"]]
    assert sorted(name.rsplit(".", 1)[-1] for name in outputs) == ["3", "3"] and len(set(outputs)) == 2


def test_a_loader_that_is_gone_before_its_batches_does_not_stop_the_observer(observed):
    source = """
class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(zip(x, y))
def stream():
    return iter(DataLoader(Stream(), batch_size=16))  # only the iterator is kept
for epoch in range(3):
    for a, b in stream():
        optimizer.zero_grad()
        F.cross_entropy(model(a), b).backward()
        optimizer.step()
"""
    outcome = observed(PARTS + source)
    assert outcome.code == 0 and "observers_off" not in outcome.run.facts


@pytest.mark.parametrize(("last", "seen"), [("nn.ReLU()", True), ("nn.Identity()", False)])
def test_relu_on_logits_is_seen(observed, last, seen):
    source = PARTS.replace("nn.Linear(16, 2))", f"nn.Linear(16, 2), {last})")
    run = observed(source + EPOCHS.format(before="model.train()", mode="model.eval()")).run
    assert (measure_all(run)["logits-clipped"].level >= 0.7) == seen


SUMMED = """
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), 3e-3)
X = torch.randn(1600, 8)
y = X.sum(1, keepdim=True)
total = 0
def run_epoch():
    HOW
    for i in torch.randperm(1600).split(20):
        loss = ((net(X[i]) - y[i]) ** 2).mean()
        total += loss
        opt.zero_grad(); loss.backward(); opt.step()
    return total / 80
for epoch in range(8): print(run_epoch().item())
"""


@pytest.mark.parametrize(("how", "verdict"), [("total = 0", "healthy"), ("global total", "sick")])
def test_graphs_that_are_let_go_after_each_epoch_are_advice(observed, how, verdict):
    found = diagnose(observed(SUMMED.replace("HOW", how)).run)
    assert found.verdict == verdict
    assert "graph-retained" in [hypothesis.cause for hypothesis in found.hypotheses]
