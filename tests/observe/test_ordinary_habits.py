"""Ordinary habits of healthy programs, each of which once looked like a fault."""

from __future__ import annotations

import pytest
from small_loops import observed

from traindx.signs import measure_all

PARTS = """
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
torch.set_num_threads(1)
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


def test_evaluation_without_no_grad_is_an_evaluation(warm, script):
    run = observed(warm, script(PARTS + EPOCHS.format(before="model.train()", mode="model.eval()"))).run
    modes = run.facts["modes"]
    assert modes["train_forwards_in_eval_mode"] == 0 and modes["train_forwards"] > 10
    assert modes["eval_forwards_in_train_mode"] == 0 and modes["eval_passes"] >= 10
    assert len(run.series("loss/validation")) == 12
    assert run.facts["losses"][0]["phase"] == "train" and any(loss["phase"] == "eval" for loss in run.facts["losses"])
    assert {loader["size"]: loader["role"] for loader in run.facts["loaders"]} == {64: "train", 32: "eval"}
    assert run.facts["overlap"]["shared"] == 0


def test_missing_eval_is_seen_without_no_grad(warm, script):
    modes = observed(warm, script(PARTS + EPOCHS.format(before="pass", mode="pass"))).run.facts["modes"]
    assert modes["train_forwards_in_eval_mode"] == 0
    assert modes["eval_forwards"] > 5 and modes["eval_forwards_in_train_mode"] == modes["eval_forwards"]


def test_forgotten_train_is_still_seen(warm, script):
    run = observed(warm, script(PARTS + EPOCHS.format(before="pass", mode="model.eval()"))).run
    assert run.facts["modes"]["train_forwards_in_eval_mode"] > 20
    assert run.facts["modes"]["first_eval_mode_step"] == 4


def test_training_in_eval_mode_from_the_start_is_training(warm, script):
    source = PARTS + "model.eval()\n" + EPOCHS.format(before="pass", mode="pass")
    modes = observed(warm, script(source)).run.facts["modes"]
    assert modes["train_forwards_in_eval_mode"] == modes["train_forwards"] > 10


@pytest.mark.parametrize(("rows", "columns"), [(256, 784), (512, 784), (256, 1024)])
def test_layer_behind_black_pixels_moves(warm, script, rows, columns):
    run = observed(
        warm,
        script(f"""
        import torch
        from torch import nn
        torch.manual_seed(0)
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
        """),
    ).run
    assert all(parameter["moved"] for parameter in run.facts["params"])


def test_few_rows_of_a_large_embedding_move(warm, script):
    run = observed(
        warm,
        script("""
        import torch
        from torch import nn
        torch.manual_seed(0)
        model = nn.Sequential(nn.Embedding(200_000, 16), nn.Linear(16, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            model(torch.randint(0, 40, (4,))).square().mean().backward()
            optimizer.step()
        """),
    ).run
    assert all(parameter["moved"] for parameter in run.facts["params"])


def test_new_optimizer_each_epoch_is_one_optimizer(warm, script):
    run = observed(
        warm,
        script(
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
        ),
    ).run
    assert [entry["steps"] for entry in run.facts["optimizers"]] == [24]
    rates = run.series("lr")
    assert sorted({round(float(v), 6) for v in rates.values}, reverse=True) == [
        round(0.01 / (1 + e), 6) for e in range(6)
    ]
    assert run.facts["optimizers"][0]["grads_kept"] == 0
    assert {entry["optimizer"] for entry in run.facts["schedulers"]} == {0}


def test_two_optimizers_stay_two(warm, script):
    run = observed(
        warm,
        script(
            PARTS
            + """
other = torch.optim.SGD([{"params": model[4].parameters()}], lr=0.5)
for a, b in train:
    for each in (optimizer, other):
        each.zero_grad()
        F.cross_entropy(model(a), b).backward()
        each.step()
"""
        ),
    ).run
    assert [entry["steps"] for entry in run.facts["optimizers"]] == [4, 4]
    assert set(run.series("lr/1.0").values) == {0.5}


def test_time_without_a_loader_is_not_waiting_for_data(warm, script):
    run = observed(
        warm,
        script("""
        import time, torch
        model = torch.nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(12):
            time.sleep(0.02)
            optimizer.zero_grad()
            model(torch.randn(8, 4)).square().mean().backward()
            optimizer.step()
        """),
    ).run
    assert not run.series("time/data") and max(run.series("time/between").values) > 0.015


def test_planned_length_is_read_from_the_loops(warm, script):
    source = PARTS + EPOCHS.format(before="model.train()", mode="model.eval()")
    assert observed(warm, script(source)).run.facts["planned"] == {"steps": 48, "source": "loops"}
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
    assert observed(warm, script(PARTS + in_functions)).run.facts["planned"]["steps"] == 35
    until = """
step = 0
while step < 9:
    step += 1
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
"""
    assert "planned" not in observed(warm, script(PARTS + until)).run.facts


def test_last_tenth_is_looked_at_whatever_the_budget(warm, script):
    source = (
        PARTS + "EPOCHS = 100\n" + EPOCHS.format(before="model.train()", mode="model.eval()").replace("12", "EPOCHS")
    )
    outcome = warm.traindx(script(source), options=("--budget", "0.01"))
    covered = outcome.run.facts["coverage"]
    assert covered["deep"]["last"] >= 360 and covered["deep"]["until"] > 0.9
    assert sum(step >= 360 for step in outcome.run.layers("update_ratio").steps) >= 3
    assert covered["evaluation"]["last"] == 400


def test_output_of_a_discriminator_is_an_output(warm, script):
    run = observed(
        warm,
        script("""
        import torch
        from torch import nn
        torch.manual_seed(0)
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
        """),
    ).run
    outputs = [model["output"] for model in run.facts["models"]]
    assert sorted(name.rsplit(".", 1)[-1] for name in outputs) == ["3", "3"] and len(set(outputs)) == 2


def test_a_loader_that_is_gone_before_its_batches_does_not_stop_the_observer(warm, script):
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
    outcome = observed(warm, script(PARTS + source))
    assert outcome.code == 0 and "observers_off" not in outcome.run.facts


def test_accuracy_by_numpy_is_scored_with_its_own_labels(warm, script):
    """No scalar is read between batches, so each output has to be scored before the next batch's labels come."""
    run = observed(
        warm,
        script("""
        import torch
        from torch import nn
        import torch.nn.functional as F
        from torch.utils.data import DataLoader, TensorDataset
        torch.manual_seed(0)
        torch.set_num_threads(1)
        x = torch.randn(96, 3)
        y = x.argmax(dim=1)
        train = DataLoader(TensorDataset(x[:64], y[:64]), batch_size=8, shuffle=True)
        test = DataLoader(TensorDataset(x[64:], y[64:]), batch_size=8)
        model = nn.Linear(3, 3)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        for epoch in range(6):
            model.train()
            for a, b in train:
                optimizer.zero_grad()
                F.cross_entropy(model(a), b).backward()
                optimizer.step()
            model.eval()
            right = []
            with torch.no_grad():
                for a, b in test:
                    scores = model(a)
                    right.extend((scores.argmax(1).numpy() == b.numpy()).tolist())
        print(sum(right) / len(right))
        """),
    )
    accuracy = run.run.series("accuracy/validation")
    assert accuracy.values[-1] == pytest.approx(float(run.out.splitlines()[-1]), abs=0.01)


def test_accuracies_over_sets_of_several_sizes_are_no_loss(warm, script):
    run = observed(
        warm,
        script("""
        import torch
        from torch import nn
        import torch.nn.functional as F
        torch.manual_seed(0)
        torch.set_num_threads(1)
        x = torch.randn(100, 3)
        y = (x[:, :1] > 0).float()
        model = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        for step in range(60):
            loss = F.binary_cross_entropy_with_logits(model(x[:70]), y[:70])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            seen, unseen = model(x[:70]), model(x[70:])
            print(((seen > 0).float() == y[:70]).float().mean().item())
            print(((unseen > 0).float() == y[70:]).float().mean().item())
        """),
    ).run
    assert not run.series("loss/validation")


def test_weighted_accuracy_that_rises_is_no_loss(warm, script):
    run = observed(
        warm,
        script("""
        import torch
        from torch import nn
        import torch.nn.functional as F
        torch.manual_seed(0)
        torch.set_num_threads(1)
        x = torch.randn(200, 3)
        y = (x[:, :1] > 0).float()
        model = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for epoch in range(30):
            for at in range(0, 100, 20):
                loss = F.binary_cross_entropy_with_logits(model(x[at:at + 20]), y[at:at + 20])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                right = ((model(x[100:]) > 0).float() == y[100:]).float()
                print((right * torch.linspace(0.9, 1.0, 100)[:, None]).mean().item())
        """),
    ).run
    assert not run.series("loss/validation")


def test_a_loss_by_hand_that_is_read_in_evaluation_is_one(warm, script):
    run = observed(
        warm,
        script("""
        import torch
        from torch import nn
        torch.manual_seed(0)
        torch.set_num_threads(1)
        x = torch.randn(200, 3)
        y = x[:, :1] * 0.5
        model = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for epoch in range(10):
            for at in range(0, 100, 20):
                loss = ((model(x[at:at + 20]) - y[at:at + 20]) ** 2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                print(((model(x[100:]) - y[100:]) ** 2).mean().item())
        """),
    ).run
    assert len(run.series("loss/validation")) == 10


@pytest.mark.parametrize(
    ("loss", "seen"),
    [
        ("F.mse_loss(out, y) / 50 - F.cosine_similarity(out, y).mean()", False),
        ("1 - F.cosine_similarity(out, y).mean() + 0.01 * F.mse_loss(out, y) - 2", False),
        ("-F.mse_loss(out, y)", True),
        ("0.001 * out.pow(2).mean() - F.mse_loss(out, y)", True),
        ("torch.stack([-F.mse_loss(out, y)]).sum()", True),
    ],
)
def test_the_sign_of_a_term_is_that_of_its_own_path(warm, script, loss, seen):
    run = observed(
        warm,
        script(f"""
        import torch
        from torch import nn
        import torch.nn.functional as F
        torch.manual_seed(0)
        torch.set_num_threads(1)
        model = nn.Linear(4, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
        for step in range(12):
            x = torch.randn(16, 4)
            y = 3 * x[:, :3]
            out = model(x)
            loss = {loss}
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """),
    ).run
    assert (measure_all(run)["loss-negated"].level >= 0.5) == seen


TABLE = """
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
torch.set_num_threads(1)
n = 700
usual = torch.tensor([7.75, 8.05, 13.0, 26.0, 10.5])[torch.randint(0, 5, (n,))]
fare = torch.where(torch.rand(n) < 0.7, usual, torch.rand(n) * 80)
age = torch.where(torch.rand(n) < 0.4, torch.full((n,), 28.0), torch.randint(1, 70, (n,)).float())
flags = (torch.rand(n, 4) < 0.25).float()
x = torch.cat([(fare / 30)[:, None], (age / 30)[:, None], flags], 1)
y = (x[:, 2] + 0.5 * torch.randn(n) > 0.5).float()[:, None]
{more}
train = DataLoader(TensorDataset(x[:560], y[:560]), batch_size=32, shuffle=True)
test = DataLoader(TensorDataset(x[560:], y[560:]), batch_size=32)
model = nn.Sequential(nn.Linear(x.shape[1], 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(12):
    model.train()
    for a, b in train:
        optimizer.zero_grad()
        F.binary_cross_entropy_with_logits(model(a), b).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(sum(F.binary_cross_entropy_with_logits(model(a), b).item() for a, b in test))
"""


def test_passengers_who_are_alike_are_no_leak(warm, script):
    run = observed(warm, script(TABLE.format(more=""))).run
    assert measure_all(run)["samples-shared"].level < 0.3


def test_rows_copied_before_the_split_are_a_leak(warm, script):
    more = (
        "x[:, 0] = torch.randn(n); x[:, 1] = torch.randn(n); again = torch.randint(0, 560, (140,)); x[560:] = x[again]"
    )
    found = measure_all(observed(warm, script(TABLE.format(more=more))).run)["samples-shared"]
    assert found.level > 0.7 and "about" not in found.text


def test_short_windows_of_a_text_repeat(warm, script):
    run = observed(
        warm,
        script("""
        import torch
        from torch import nn
        import torch.nn.functional as F
        import pydoc_data.topics as topics
        torch.manual_seed(0)
        torch.set_num_threads(1)
        text = "".join(topics.topics[name] for name in sorted(topics.topics))[:60000]
        letters = sorted(set(text))
        ids = torch.tensor([letters.index(c) for c in text])
        train, held = ids[:54000], ids[54000:]
        model = nn.Embedding(len(letters), len(letters))
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        def batch(data):
            at = torch.randint(0, len(data) - 9, (64,)).tolist()
            return torch.stack([data[i : i + 8] for i in at]), torch.stack([data[i + 1 : i + 9] for i in at])
        def loss_of(a, b):
            return F.cross_entropy(model(a).flatten(0, 1), b.flatten())
        for step in range(300):
            if step % 50 == 0:
                with torch.no_grad():
                    print(sum(loss_of(*batch(held)).item() for _ in range(20)) / 20)
            loss = loss_of(*batch(train))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """),
    ).run
    assert measure_all(run)["samples-shared"].level < 0.3


def test_recurrent_weight_of_one_time_step_has_no_gradient(warm, script):
    run = observed(
        warm,
        script("""
        import torch
        from torch import nn
        import torch.nn.functional as F
        torch.manual_seed(0)
        torch.set_num_threads(1)
        class Predictor(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn, self.head = nn.RNN(5, 5, batch_first=True), nn.Linear(5, 1)
            def forward(self, x):
                return self.head(self.rnn(x)[0][:, -1])
        model = Predictor()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for step in range(20):
            x = torch.randn(10, 1, 5)
            loss = F.mse_loss(model(x), x.mean(dim=2))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """),
    ).run
    assert measure_all(run)["params-zero-gradient"].level == 0


@pytest.mark.parametrize(("last", "seen"), [("nn.ReLU()", True), ("nn.Identity()", False)])
def test_relu_on_logits_is_seen(warm, script, last, seen):
    source = PARTS.replace("nn.Linear(16, 2))", f"nn.Linear(16, 2), {last})")
    run = observed(warm, script(source + EPOCHS.format(before="model.train()", mode="model.eval()"))).run
    assert (measure_all(run)["logits-clipped"].level >= 0.7) == seen


def test_target_given_first_is_the_target(warm, script):
    """`criterion(y, prediction)`: the squared error is the same, and so is what is said of it."""
    run = observed(
        warm,
        script("""
        import torch
        from torch import nn
        torch.manual_seed(0)
        torch.set_num_threads(1)
        x = torch.randn(100, 4)
        y = 50 + 10 * x[:, :1]
        model, criterion = nn.Linear(4, 1), nn.MSELoss()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for step in range(20):
            at = torch.randint(0, 100, (16,))
            loss = criterion(y[at], model(x[at]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """),
    ).run
    assert 40 < run.facts["targets/train"]["mean"] < 60
    assert run.training_losses[0].input.facts["grad_fn"] == "addmm"


def test_targets_of_two_losses_are_not_averaged(warm, script):
    run = observed(
        warm,
        script("""
        import torch
        from torch import nn
        import torch.nn.functional as F
        torch.manual_seed(0)
        torch.set_num_threads(1)
        body, classes, price = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)
        optimizer = torch.optim.Adam([*body.parameters(), *classes.parameters(), *price.parameters()], lr=0.01)
        for step in range(20):
            x = torch.randn(16, 4)
            features = body(x)
            loss = F.cross_entropy(classes(features), (x[:, 0] > 0).long())
            loss = loss + F.mse_loss(price(features), 1000 + 300 * torch.randn(16, 1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """),
    ).run
    assert 800 < run.facts["targets/train"]["mean"] < 1200


def test_a_target_that_the_model_makes_has_no_chance_level(warm, script):
    run = observed(
        warm,
        script("""
        import torch
        from torch import nn
        import torch.nn.functional as F
        torch.manual_seed(0)
        torch.set_num_threads(1)
        model = nn.Linear(4, 1)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for step in range(20):
            x = torch.randn(16, 4)
            loss = F.mse_loss(model(x), x[:, :1] + 0.9 * model(x + 0.1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """),
    ).run
    signs = measure_all(run)
    assert "training-at-chance" not in signs and "chance" not in signs["training-learned"].text
