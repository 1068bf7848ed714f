"""What a number is about: the call of a layer, one term of a sum, the operation that made a loss's input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from look_alikes import DATA

from traindx.diagnosis import diagnose
from traindx.signs import Missing, all_signs, measure_all
from traindx.signs._chance import chance_level

REUSED = (
    DATA
    + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(16, 32), nn.Linear(32, 32), nn.Linear(32, 4)
        self.relu = nn.ReLU()
        nn.init.constant_(self.fc2.bias, BIAS)
    def forward(self, x):
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))
net = Net()
opt = torch.optim.SGD(net.parameters(), 0.05)
for _ in range(60):
    x, y = make(64)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
)


@pytest.mark.parametrize(("bias", "dead"), [("-50.0", True), ("0.0", False)])
def test_a_dead_layer_behind_an_activation_that_is_used_twice(observed, bias, dead) -> None:
    run = observed(REUSED.replace("BIAS", bias)).run
    sign = measure_all(run)["dead-units"]
    assert sign.raised == dead
    if dead:
        assert "`relu after fc2`: 100 %" in sign.text
        assert run.layers("act_dead").column("relu")[-1] < 0.6


KILLED = """
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
nn.init.constant_(net[2].bias, BIAS)
opt = torch.optim.Adam(net.parameters(), lr=RATE)
X = torch.randn(1200, 16)
y = (X @ torch.randn(16, 5)).argmax(1)
for epoch in range(6):
    for i in torch.randperm(1200).split(50):
        loss = F.cross_entropy(net(X[i]), y[i])
        opt.zero_grad(); loss.backward(); opt.step()
"""


@pytest.mark.parametrize(("bias", "rate", "first"), [("-50.0", "1e-3", "dead-relus"), ("0.0", "3.0", "lr-too-high")])
def test_what_killed_the_units_is_named_before_them(observed, bias, rate, first) -> None:
    found = diagnose(observed(KILLED.replace("BIAS", bias).replace("RATE", rate)).run)
    assert found.hypotheses[0].cause == first
    assert found.headline.kind == "condition"
    assert "measured" in [hypothesis.basis for hypothesis in found.hypotheses[:2]]


def test_after_the_first_nan_no_unit_is_dead(observed) -> None:
    source = REUSED.replace("BIAS", "0.0").replace("loss = F", "x = x / 0 * 0 if _ > 2 else x\n    loss = F")
    dead = observed(source).run.layers("act_dead")
    assert not len(dead) or not np.isfinite(dead.values).any()


SUMMED = (
    DATA
    + """
net = nn.Sequential(nn.Embedding(12, 16), nn.Linear(16, 12))
opt = torch.optim.Adam(net.parameters(), 1e-2)
def batch():
    x = torch.randint(0, 12, (16, 10))
    y = (x + 1) % 12
    y[torch.arange(10)[None] >= torch.randint(3, 10, (16, 1))] = -100
    return x, y
means = []
for epoch in range(4):
    for _ in range(15):
        x, y = batch()
        loss = F.cross_entropy(net(x).flatten(0, 1), y.flatten(), reduction="sum") / DIVISOR
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        x, y = batch()
        F.cross_entropy(net(x).flatten(0, 1), y.flatten(), reduction="sum")
        means.append(F.cross_entropy(net(x).flatten(0, 1), y.flatten()).item())
    net.train()
print(means)
"""
)


@pytest.mark.parametrize("divisor", ["(y != -100).sum()", "1"])
def test_a_summed_loss_is_counted_in_targets_that_are_not_ignored(observed, divisor) -> None:
    done = observed(SUMMED.replace("DIVISOR", divisor))
    signs = measure_all(done.run)
    assert signs["first-loss-above-chance"].value == pytest.approx(1.0, abs=0.2)
    means = [float(value) for value in done.out.strip("[]\n ").split(",")]
    np.testing.assert_allclose(done.run.series("loss/validation").values, means, rtol=1e-4)


def test_the_chance_of_a_sum_that_is_divided_is_that_of_one_target(observed) -> None:
    signs = measure_all(observed(SUMMED.replace("DIVISOR", "(y != -100).sum()")).run)
    assert 0.0 < signs["training-learned"].value < 1.0


SQUASHED = (
    DATA
    + """
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1), LAST)
opt = torch.optim.Adam(net.parameters(), 3e-3)
for _ in range(60):
    x, y = make(64)
    loss = F.binary_cross_entropy_with_logits(net(x).squeeze(1), (y > 1).float())
    loss += 1e-4 * sum(p.pow(2).sum() for p in net.parameters())
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
)


@pytest.mark.parametrize(("last", "wrong"), [("nn.Sigmoid()", True), ("nn.Identity()", False)])
def test_what_made_a_loss_input_is_known_behind_other_terms(observed, last, wrong) -> None:
    sign = measure_all(observed(SQUASHED.replace("LAST", last)).run)["loss-inputs-are-probabilities"]
    assert sign.level == float(wrong)


def test_values_that_may_be_either_are_not_called_logits(observed) -> None:
    class_of_its_own = "type('Own', (nn.Module,), {'forward': lambda self, z: (z.atan() / 4 + 0.5)})()"
    run = observed(SQUASHED.replace("LAST", class_of_its_own).replace("60", "30")).run
    assert isinstance(all_signs()["loss-inputs-are-probabilities"].measure(run), Missing)


COUNTED_BY_HAND = (
    DATA
    + """
from torch.utils.data import DataLoader, TensorDataset
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), 1e-2)
train, held = TensorDataset(*make(160)), TensorDataset(*make(300))
batches = DataLoader(held, 100) if LOADER else list(zip(*(part.split(100) for part in held.tensors)))
shares, losses = [], []
for epoch in range(5):
    for x, y in DataLoader(train, 32, shuffle=True):
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    right = 0
    with torch.no_grad():
        for x, y in batches:
            right += COUNT.sum().item()
    net.train()
    shares.append(right / 300)
    losses.append(F.cross_entropy(net(held.tensors[0]), held.tensors[1]).item())
print([shares, losses])
"""
)


@pytest.mark.parametrize("loader", ["True", "False"])
@pytest.mark.parametrize("count", ["(torch.max(net(x), 1)[1] == y)", "net(x).argmax(1, keepdim=True).eq(y[:, None])"])
def test_an_accuracy_that_is_counted_by_hand_is_an_evaluation(observed, loader, count) -> None:
    done = observed(COUNTED_BY_HAND.replace("LOADER", loader).replace("COUNT", count))
    shares, losses = json.loads(done.out)
    np.testing.assert_allclose(done.run.series("accuracy/validation").values, shares, rtol=1e-5)
    if loader == "True":  # which has delivered the labels
        np.testing.assert_allclose(done.run.series("loss/validation").values, losses, rtol=1e-4)


def test_a_mask_within_an_evaluation_is_no_accuracy(observed) -> None:
    source = COUNTED_BY_HAND.replace("LOADER", "False").replace("COUNT", "(net(x).argmax(1) >= 0)")
    source = source.replace("for x, y in batches:", "for x, y in batches:\n            same = torch.eq(y[:50], y[50:])")
    # The only accuracy is that of the loss over the held-out samples; the mask holds everywhere.
    assert 1.0 not in observed(source).run.series("accuracy/validation").values


WEIGHED = (
    DATA
    + """
def score(z, y):
    each = F.cross_entropy(z, y, reduction="none")
    return WEIGHTED.mean()
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), 2e-3)
xv, yv = make(200)
means = []
for epoch in range(6):
    for _ in range(15):
        loss = score(net((b := make(64))[0]), b[1])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        means.append(score(net(xv), yv).item())
    net.train()
print(means)
"""
)


@pytest.mark.parametrize("weighted", ["each", "(each * (1 - (-each).exp()) ** 2)"])
def test_a_loss_that_the_script_weighs_itself_is_its_own(observed, weighted) -> None:
    done = observed(WEIGHED.replace("WEIGHTED", weighted))
    np.testing.assert_allclose(done.run.series("loss/validation").values, json.loads(done.out), rtol=1e-4)
    assert (chance_level(done.run) is not None) == (weighted == "each")


def test_predictions_of_nan_are_none(observed) -> None:
    source = WEIGHED.replace("WEIGHTED", "each").replace("loss = score(net(", "loss = score(BAD * net(")
    run = observed(source.replace("    for _ in", "    BAD = 1.0 if epoch < 3 else float('nan')\n    for _ in")).run
    accuracy = run.series("accuracy/train")
    assert (
        np.isnan(accuracy.values[accuracy.steps >= 45]).all()
        and np.isfinite(accuracy.values[accuracy.steps < 45]).all()
    )
    assert not measure_all(run)["predictions-collapsed"].raised


CARRIED = (
    DATA
    + """
net = nn.Sequential(nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 4))  # the backward of the last layer needs its weights
opt = torch.optim.SGD(net.parameters(), 0.1)
state = torch.zeros(64, 4)
for _ in range(30):
    x, y = make(64)
    state = net(x) + 0.5 * state
    loss = F.cross_entropy(state, y)
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
"""
)


def test_weights_changed_under_a_graph_that_is_kept_are_the_graph_of_an_earlier_step(observed) -> None:
    done = observed(CARRIED)
    assert done.code == 1 and "modified by an inplace operation" in done.err
    assert measure_all(done.run)["crash-graph-used-twice"].raised
    fix = diagnose(done.run).hypotheses[0].fix
    assert fix is not None and fix.patch is None  # without the graph that is kept, the script dies one error later
    own_fault = CARRIED.replace("loss = F", "state.relu_().mul_(state)\n    loss = F").replace(" + 0.5 * state", "")
    other = observed(own_fault)
    assert other.code == 1 and not measure_all(other.run)["crash-graph-used-twice"].raised


ATTENDING = (
    DATA
    + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.out = nn.Linear(2, 24), nn.Linear(24, 4)
        self.q, self.k, self.v = nn.Linear(24, 24), nn.Linear(24, 24), nn.Linear(24, 24)
        self.drop = nn.Dropout(0.1)
    def forward(self, x):
        x = self.embed(x.view(-1, 8, 2))
        q, k, v = self.q(x), self.k(x), self.v(x)
        WEIGH
        return self.out(x.mean(1))
net = Net()
opt = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(30):
    x, y = make(48)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
)
HEADS = "q, k, v = (t.view(-1, 8, 2, 12).transpose(1, 2) for t in (q, k, v)); "
WEIGHINGS = {
    "over the queries": ("x = (q @ k.transpose(1, 2) / 5).softmax(1) @ v", True),
    "over the queries, by heads": (
        HEADS + "x = (self.drop((q @ k.mT / 3.5).softmax(-2)) @ v).transpose(1, 2).reshape(-1, 8, 24)",
        True,
    ),
    "keys first, and turned": ("x = (k @ q.mT / 5).softmax(2).mT @ v", True),
    "over the keys": ("x = self.drop((q @ k.transpose(1, 2) / 5).softmax(-1)) @ v", False),
    "keys first, over the keys": ("x = (k @ q.mT / 5).softmax(1).mT @ v", False),
    "by heads": (HEADS + "x = ((q @ k.mT / 3.5).softmax(3) @ v).transpose(1, 2).reshape(-1, 8, 24)", False),
    "renormalised, as slots are": ("a = (q @ k.mT / 5).softmax(1); x = (a / a.sum(2, keepdim=True)) @ v", False),
    "clusters of nodes": ("a = nn.functional.pad(q[..., :4], (0, 4)).softmax(2); x = a.mT @ v", False),
}


@pytest.mark.parametrize("name", WEIGHINGS)
def test_attention_weights_sum_to_one_over_what_they_are_summed_over(observed, name) -> None:
    weigh, wrong = WEIGHINGS[name]
    sign = measure_all(observed(ATTENDING.replace("WEIGH", weigh)).run)["softmax-over-batch"]
    assert sign.raised == wrong
    assert sign.level <= 0.8  # the axes alone are one witness


def test_what_comes_before_the_first_step_is_no_part_of_it(observed) -> None:
    slow = REUSED.replace("BIAS", "0.0").replace("for _ in", "import time; time.sleep(0.5)\nfor _ in")
    assert observed(slow).run.series("time/total").values.max() < 0.5


def test_boxes_beside_scores_are_not_scored(observed) -> None:
    source = """
from torch.utils.data import DataLoader, TensorDataset
class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.box, self.cls = nn.Linear(16, 32), nn.Linear(32, 4), nn.Linear(32, 3)
    def forward(self, x):
        h = self.body(x).relu()
        return self.box(h).sigmoid(), self.cls(h)
C = torch.randn(3, 16) * 1.2
def make(n):
    y = torch.randint(0, 3, (n,))
    return TensorDataset(C[y] + torch.randn(n, 16), torch.rand(n, 4), y)
net = Detector()
opt = torch.optim.Adam(net.parameters(), 1e-2)
held, shares = make(300), []
for epoch in range(5):
    for x, b, c in DataLoader(make(160), 32, shuffle=True):
        box, scores = net(x)
        loss = F.smooth_l1_loss(box, b) + F.cross_entropy(scores, c)
        opt.zero_grad(); loss.backward(); opt.step()
    net.eval()
    with torch.no_grad():
        for x, b, c in DataLoader(held, 300):
            box, scores = net(x)
            shares.append((scores.argmax(1) == c).float().mean().item())
    net.train()
print(shares)
"""
    done = observed(source)
    np.testing.assert_allclose(done.run.series("accuracy/validation").values, json.loads(done.out), rtol=1e-5)


def test_lengths_beside_labels_are_not_taken_for_them(observed) -> None:
    source = """
from torch.utils.data import DataLoader, TensorDataset
C = torch.randn(3, 16) * 1.2
def make(n):
    y = torch.randint(0, 3, (n,))
    return TensorDataset(C[y] + torch.randn(n, 16), y, torch.randint(0, 3, (n,)))
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters(), 1e-2)
held, shares = make(300), []
for epoch in range(5):
    for x, y, lengths in DataLoader(make(160), 32, shuffle=True):
        opt.zero_grad(); F.cross_entropy(net(x), y).backward(); opt.step()
    net.eval()
    with torch.no_grad():
        for x, y, lengths in DataLoader(held, 300):
            shares.append((net(x).argmax(1) == y).float().mean().item())
    net.train()
print(shares)
"""
    done = observed(source)
    np.testing.assert_allclose(done.run.series("accuracy/validation").values, json.loads(done.out), rtol=1e-5)
