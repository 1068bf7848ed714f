"""Steps that nobody looks at and that follow each other fast: little is heard of them, and nothing is lost."""

from __future__ import annotations

import json

import numpy as np
import pytest

# No look after the first three, and no step heard of in full for the time's sake.
QUIET = """
import traindx.observe.schedule as schedule, traindx.observe.watchers.updates as updates
schedule.GRACE, updates.OBSERVED_EVERY = 0.0, 1e9
"""

SETUP = """
    x, y = torch.randn(64, 5), torch.randint(0, 3, (64,))
    model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    said = {}
"""


@pytest.fixture
def fast(observed):
    def observe(source: str, budget: str = "1e-9"):
        outcome = observed(SETUP + source, "--budget", budget, prepare=QUIET)
        assert outcome.code == 0, outcome.err
        assert "observers_off" not in outcome.run.facts
        return outcome

    return observe


@pytest.mark.parametrize("rate", ("0.1", "torch.tensor(0.1)"), ids=("number", "tensor"))
def test_every_loss_and_every_rate_is_recorded(fast, rate):
    outcome = fast(
        f"    optimizer.param_groups[0]['lr'] = {rate}"
        + """
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.98)
    said = {"loss": [], "lr": []}
    for step in range(60):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        said["lr"].append(float(optimizer.param_groups[0]["lr"]))
        optimizer.step()
        schedule.step()
        said["loss"].append(loss.item())
    print(json.dumps(said))
    """
    )
    own = json.loads(outcome.out)
    run = outcome.run
    np.testing.assert_allclose(run.series("loss/train").values, own["loss"], rtol=1e-6)
    assert list(run.series("loss/train").steps) == list(range(60))
    np.testing.assert_allclose(run.series("lr").values, own["lr"], rtol=1e-6)
    (optimizer,) = run.facts["optimizers"]
    assert (optimizer["steps"], run.facts["steps"], run.facts["backwards"]) == (60, 60, 60)
    assert optimizer["steps_heard"] < 10, "the steps were meant to be fast"
    assert optimizer["grads_kept"] == 0


def test_two_optimizers_keep_their_own_losses(fast):
    outcome = fast("""
    other = nn.Linear(5, 3)
    second = torch.optim.Adam(other.parameters(), lr=1e-2)
    said = [[], []]
    for step in range(40):
        for number, (part, rule) in enumerate([(model, optimizer), (other, second)]):
            rule.zero_grad()
            loss = F.cross_entropy(part(x), y) if number == 0 else F.mse_loss(part(x), F.one_hot(y, 3).float())
            loss.backward() if number == 0 else (loss * 1.0).backward()
            rule.step()
            said[number].append(loss.item())
    print(json.dumps(said))
    """)
    own = json.loads(outcome.out)
    np.testing.assert_allclose(outcome.run.series("loss/train").values, own[0], rtol=1e-6)
    assert [entry["steps"] for entry in outcome.run.facts["optimizers"]] == [40, 40]


def test_a_loss_that_turns_nan_on_a_fast_step_is_traced_to_its_batch(fast):
    outcome = fast("""
    for step in range(30):
        data = x.clone()
        if step == 20:
            data[3, 2] = float("nan")
        optimizer.zero_grad()
        F.cross_entropy(model(data), y).backward()
        optimizer.step()
    """)
    run = outcome.run
    assert [event.step for event in run.events_of("nonfinite-loss")] == [20]
    assert run.events_of("nonfinite-origin")[0].data["where"] == "input"
    assert "turned nan at step 20" in outcome.err


def test_a_gradient_that_turns_nan_on_a_fast_step_is_traced_to_its_operation(fast):
    outcome = fast("""
    class Distance(nn.Module):
        def __init__(self):
            super().__init__()
            self.map = nn.Linear(5, 4)
        def forward(self, a, b):
            return torch.sqrt(((self.map(a) - self.map(b)) ** 2).sum(1))
    model = Distance()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(25):
        partner = x if step == 15 else x.flip(0)
        optimizer.zero_grad()
        model(x, partner).mean().backward()
        optimizer.step()
    """)
    run = outcome.run
    assert [event.step for event in run.events_of("nonfinite-gradient")] == [15]
    assert run.events_of("nonfinite-origin")[0].data["op"] == "sqrt"


def test_an_evaluation_between_fast_steps_is_heard(fast):
    outcome = fast("""
    said = []
    for step in range(40):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        if step % 10 == 9:
            model.eval()
            with torch.no_grad():
                said.append(F.cross_entropy(model(x[:32]), y[:32]).item())
            model.train()
    print(json.dumps(said))
    """)
    validation = outcome.run.series("loss/validation")
    np.testing.assert_allclose(validation.values, json.loads(outcome.out), rtol=1e-6)
    assert list(validation.steps) == [10, 20, 30, 40]


def test_a_model_left_in_eval_mode_is_noticed_at_once(fast):
    outcome = fast("""
    for step in range(40):
        if step == 25:
            model.eval()
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    """)
    modes = outcome.run.facts["modes"]
    assert modes["first_eval_mode_step"] == 25
    assert modes["train_forwards_in_eval_mode"] == 15


def test_gradients_that_are_never_cleared_show_without_fast_steps_being_counted(fast):
    outcome = fast("""
    for step in range(40):
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    """)
    (optimizer,) = outcome.run.facts["optimizers"]
    assert optimizer["steps"] == 40
    assert 2 <= optimizer["grads_kept"] == optimizer["steps_heard"] - 1 < 10


def test_a_closure_is_never_fast(fast):
    outcome = fast("""
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)
    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        return loss
    for step in range(12):
        optimizer.step(closure)
    """)
    assert outcome.run.facts["optimizers"][-1]["steps_heard"] == 12


def test_a_loss_of_many_elements_is_heard_in_full(fast):
    outcome = fast("""
    for step in range(30):
        optimizer.zero_grad()
        losses = F.cross_entropy(model(x), y, reduction="none")
        losses.backward(torch.full_like(losses, 1 / 64))
        optimizer.step()
        said.setdefault("loss", []).append(losses.mean().item())
    print(json.dumps(said))
    """)
    own = json.loads(outcome.out)["loss"]
    np.testing.assert_allclose(outcome.run.series("loss/train").values, own, rtol=1e-5)


def test_a_gradient_that_is_given_to_one_loss_changes_nothing(fast):
    outcome = fast("""
    for step in range(30):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward(torch.tensor(0.5))
        optimizer.step()
        said.setdefault("loss", []).append(loss.item())
    print(json.dumps(said))
    """)
    np.testing.assert_allclose(outcome.run.series("loss/train").values, json.loads(outcome.out)["loss"], rtol=1e-6)
    assert outcome.run.facts["optimizers"][0]["steps_heard"] < 10


def test_losses_of_two_places_keep_apart(fast):
    outcome = fast("""
    said = [[], []]
    for step in range(30):
        optimizer.zero_grad()
        first, second = F.cross_entropy(model(x), y), model(x).square().mean()
        first.backward()
        torch.autograd.backward((second,))
        optimizer.step()
        said[0].append(first.item())
        said[1].append(second.item())
    print(json.dumps(said))
    """)
    own = json.loads(outcome.out)
    for site in (0, 1):
        np.testing.assert_allclose(outcome.run.series(f"loss/train/{site}").values, own[site], rtol=1e-6)
    assert [entry["count"] for entry in outcome.run.facts["backward_sites"]] == [30, 30]
    assert outcome.run.facts["optimizers"][0]["steps_heard"] < 10


def test_batches_of_fast_steps_are_counted_for_their_loader(fast):
    outcome = fast("""
    from torch.utils.data import DataLoader, TensorDataset
    for epoch in range(3):
        train = DataLoader(TensorDataset(x[:48], y[:48]), batch_size=4)
        for inputs, labels in train:
            optimizer.zero_grad()
            F.cross_entropy(model(inputs), labels).backward()
            optimizer.step()
    test = DataLoader(TensorDataset(x[48:], y[48:]), batch_size=8)
    model.eval()
    with torch.no_grad():
        said = [F.cross_entropy(model(inputs), labels).item() for inputs, labels in test]
    print(json.dumps(said))
    """)
    loaders = outcome.run.facts["loaders"]
    assert [(entry["delivered"], entry["role"]) for entry in loaders] == [(12, "train")] * 3 + [(2, "eval")]
    own = json.loads(outcome.out)
    np.testing.assert_allclose(outcome.run.series("loss/validation").values, [sum(own) / 2], rtol=1e-6)


def test_labels_that_a_loader_delivers_while_it_is_fast_score_an_evaluation(fast):
    """The script computes no loss there: it follows from its logits and from the labels of the last batch."""
    outcome = fast(
        """
    from torch.utils.data import DataLoader, TensorDataset
    train = DataLoader(TensorDataset(x[:48], y[:48]), batch_size=4)
    test = DataLoader(TensorDataset(x[48:], y[48:]), batch_size=16)
    for epoch in range(2):
        model.train()
        for inputs, labels in train:
            optimizer.zero_grad()
            F.cross_entropy(model(inputs), labels).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            for inputs, labels in test:
                logits = model(inputs)
                said.setdefault("hits", []).append((logits.argmax(1) == labels).float().mean().item())
                said.setdefault("loss", []).append(float(F.cross_entropy.__wrapped__(logits, labels)))
    print(json.dumps(said))
    """,
        budget="5",
    )
    own = json.loads(outcome.out)
    np.testing.assert_allclose(outcome.run.series("loss/validation").values, own["loss"], rtol=1e-6)
    np.testing.assert_allclose(outcome.run.series("accuracy/validation").values, own["hits"], rtol=1e-6)


def test_scalars_are_read_by_torch_itself_while_no_evaluation_goes_on(fast):
    """Adam reads one for every parameter, at every step."""
    outcome = fast("""
    optimizer = torch.optim.Adam(model.parameters())
    own = torch._C.TensorBase.item
    for step in range(40):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        said.setdefault("fast", []).append(torch.Tensor.item is own)
        if step % 20 == 19:
            model.eval()
            with torch.no_grad():
                model(x[:32])
                said.setdefault("evaluating", []).append(torch.Tensor.item is own)
            model.train()
    print(json.dumps(said))
    """)
    own = json.loads(outcome.out)
    assert all(own["fast"][5:20]) and all(own["fast"][25:]) and not any(own["evaluating"])


def test_a_method_of_torch_is_not_exchanged_again_and_again(fast):
    """Python gives up its caches of a class that changes too often: a forward without gradients in every step."""
    outcome = fast("""
    changes, last = 0, torch.Tensor.item
    for step in range(600):
        with torch.no_grad():
            model(x[:8])
        changes, last = changes + (torch.Tensor.item is not last), torch.Tensor.item
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        changes, last = changes + (torch.Tensor.item is not last), torch.Tensor.item
    print(json.dumps(changes))
    """)
    assert 0 < json.loads(outcome.out) <= 500


def test_an_optimizer_whose_first_group_is_empty(fast):
    run = fast("""
    optimizer = torch.optim.Adam([{"params": []}, {"params": list(model.parameters())}], lr=1e-2)
    for step in range(40):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    """).run
    assert "observers_off" not in run.facts
    assert run.facts["optimizers"][-1]["steps"] == len(run.series("loss/train")) == 40


@pytest.mark.parametrize("kept", ["", "first = optimizer"])
def test_an_optimizer_that_takes_the_place_of_one_that_never_stepped(fast, kept):
    outcome = fast(f"""
    {kept}
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(80):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        print(loss.item())
    """)
    own = [float(line) for line in outcome.out.split()]
    np.testing.assert_allclose(outcome.run.series("loss/train").values, own, rtol=1e-6)
