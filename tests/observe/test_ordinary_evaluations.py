"""Evaluations as people write them: which numbers are a validation loss, of which set, and what it compares with."""

from __future__ import annotations

import numpy as np
import pytest
from small_loops import named

from traindx.diagnosis import diagnose
from traindx.signs import measure_all

ANOMALIES = """
train, held_out = torch.randn(128, 6) @ torch.randn(6, 6) * 0.3, None
train, held_out = train[:96], train[96:]
anomalies = 6.0 + 3.0 * torch.randn(48, 6)
model = nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 6))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(30):
    for rows in torch.randperm(96).split(16):
        optimizer.zero_grad()
        F.mse_loss(model(train[rows]), train[rows]).backward()
        optimizer.step()
    with torch.no_grad():
        normal, other = F.mse_loss(model(held_out), held_out).item(), F.mse_loss(model(anomalies), anomalies).item()
    print(normal, other)
"""


def test_anomalies_scored_beside_the_validation_set_are_another_set(observed):
    """An autoencoder for anomalies does badly on them by design."""
    seen = observed(ANOMALIES)
    normal, other = (float(word) for word in seen.out.splitlines()[-1].split())
    assert seen.run.series("loss/validation").values[-1] == pytest.approx(normal, rel=1e-3)
    assert seen.run.series("loss/validation/1").values[-1] == pytest.approx(other, rel=1e-3)
    assert diagnose(seen.run).verdict != "sick"


BY_FUNCTION = """
x = torch.randn(160, 5)
y = (x[:, 0] > 0).long()
def evaluate(inputs, labels):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for i in range(0, len(inputs), 32):
            total += F.cross_entropy(model(inputs[i : i + 32]), labels[i : i + 32]).item() * len(inputs[i : i + 32])
    model.train()
    return total / len(inputs)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(12):
    for rows in torch.randperm(96).split(16):
        optimizer.zero_grad()
        F.cross_entropy(model(x[rows]), y[rows]).backward()
        optimizer.step()
    first = evaluate(x[96:144], y[96:144])
    second = evaluate(x[144:], y[144:])
    print(first, second)
"""


def test_one_function_that_scores_two_sets_in_batches_keeps_them_apart(observed):
    seen = observed(BY_FUNCTION)
    first, second = (float(word) for word in seen.out.splitlines()[-1].split())
    assert seen.run.series("loss/validation").values[-1] == pytest.approx(first, rel=1e-3)
    assert seen.run.series("loss/validation/1").values[-1] == pytest.approx(second, rel=1e-3)


DICE = """
def images(n):
    centre = torch.rand(n, 1, 1) * 8 + 4
    grid = torch.arange(16.0)
    mask = ((grid[None, :, None] - centre) ** 2 + (grid[None, None] - 8) ** 2 < 9).float()
    return (mask + 0.4 * torch.randn(n, 16, 16))[:, None], mask[:, None]
def dice(scores, mask):
    p = scores.sigmoid()
    return 1 - ((2 * (p * mask).sum((1, 2, 3)) + 1) / (p.sum((1, 2, 3)) + mask.sum((1, 2, 3)) + 1)).mean()
x, m = images(64)
xv, mv = images(24)
model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(8):
    for rows in torch.randperm(64).split(8):
        optimizer.zero_grad()
        scores = model(x[rows])
        (F.binary_cross_entropy_with_logits(scores, m[rows]) + dice(scores, m[rows])).backward()
        optimizer.step()
    with torch.no_grad():
        print(dice(model(xv), mv).item())
"""


def test_a_dice_loss_is_not_compared_with_the_chance_level_of_cross_entropy(observed):
    run = observed(DICE).run
    signs = measure_all(run)
    assert "validation-at-chance" in signs.missing
    assert "train-val-mismatch" not in named(run)


ADVERSARY = """
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        return -g
x = torch.randn(400, 4)
y = (x[:, 0] + x[:, 1] > 0).long()
domain = torch.arange(400) % 2
body, label, which = nn.Sequential(nn.Linear(4, 16), nn.ReLU()), nn.Linear(16, 2), nn.Linear(16, 2)
optimizer = torch.optim.Adam([*body.parameters(), *label.parameters(), *which.parameters()], lr=0.01)
for epoch in range(20):
    weight = (1 + torch.exp(torch.tensor(-epoch / 5.0))).item()
    for rows in torch.randperm(300).split(20):
        h = body(x[rows])
        loss = F.cross_entropy(label(h), y[rows])
        loss = loss + F.cross_entropy(which(Reverse.apply(h)), domain[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print((label(body(x[300:])).argmax(1) == y[300:]).float().mean().item())
"""


def test_a_domain_loss_that_stays_at_chance_by_design_is_no_failure_to_learn(observed):
    """Two cross entropies are added, and the second is to stay at chance."""
    found = diagnose(observed(ADVERSARY).run)
    assert found.verdict != "sick"


def test_a_number_read_between_an_evaluation_and_training_is_no_validation_loss(observed):
    """The evaluation reads an accuracy; the annealed weight is read outside of it."""
    run = observed(ADVERSARY).run
    assert not any(name.startswith("loss/validation") for name in run.series_names)


EMPTY = """
x, y = torch.randn(200, 4), torch.randint(0, 3, (200,))
y = x[:, :3].argmax(1)
train_x, val_x, train_y, val_y = x[:200], x[200:240], y[:200], y[200:240]
model = nn.Linear(4, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for epoch in range(10):
    for rows in torch.randperm(200).split(20):
        optimizer.zero_grad()
        F.cross_entropy(model(train_x[rows]), train_y[rows]).backward()
        optimizer.step()
    with torch.no_grad():
        print(F.cross_entropy(model(val_x), val_y).item())
"""


def test_a_slice_behind_the_end_is_seen_as_an_empty_validation_set(observed):
    """The mean over nothing is NaN: neither the weights nor the training loss have to do with it."""
    found = diagnose(observed(EMPTY).run)
    leading = found.hypotheses[0]
    assert leading.cause == "validation-on-nothing" and leading.basis == "seen" and leading.confidence > 0.9
    assert not any("weights are NaN" in text for text in found.do_now)
    assert not leading.against


DISTILLATION = """
x = torch.randn(256, 8)
y = (x @ torch.randn(8, 4)).argmax(1)
teacher = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)).eval()
student = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
optimizer = torch.optim.Adam(student.parameters(), lr=0.01)
for epoch in range(60):
    total = 0.0
    for rows in torch.randperm(256).split(32):
        scores = student(x[rows])
        with torch.no_grad():
            wanted = teacher(x[rows])
        loss = F.kl_div(F.log_softmax(scores, 1), F.softmax(wanted, 1), reduction="batchmean")
        loss = 0.5 * loss + 0.5 * F.cross_entropy(scores, y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
"""


def test_a_teacher_asked_after_the_student_is_no_evaluation(observed):
    """Also not where the student's forward is on the fast path, which the teacher's ends."""
    run = observed(DISTILLATION).run
    assert not run.series("loss/validation") and not run.series("accuracy/validation")
    assert not run.facts["eval_passes"]


ALL_PADDING = """
ids = torch.randint(1, 6, (96, 5))
ids[::4, 3:] = 0
model = nn.Sequential(nn.Embedding(6, 8), nn.Linear(8, 6))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
criterion = nn.CrossEntropyLoss(ignore_index=0)
for epoch in range(12):
    for rows in torch.randperm(64).split(16):
        optimizer.zero_grad()
        criterion(model(ids[rows]).transpose(1, 2), ids[rows]).backward()
        optimizer.step()
    losses = []
    with torch.no_grad():
        for row in ids[64:]:
            for place in range(5):
                losses.append(criterion(model(row[None, place]), row[None, place]).item())
    print(torch.tensor(losses).nanmean().item())
"""


def test_evaluation_batches_of_padding_alone_are_no_nan(observed):
    """The mean over no label at all is NaN; who scores position by position leaves these out."""
    seen = observed(ALL_PADDING)
    last = seen.run.series("loss/validation").values[-1]
    assert last == pytest.approx(float(seen.out.splitlines()[-1]), rel=1e-3)


BUILT_LATE = """
class Late(nn.Module):
    def forward(self, x):
        if not hasattr(self, "inner"):
            self.inner = nn.Linear(x.shape[1], 1)
        return self.inner(x)
x = torch.randn(160, 5)
y = x.sum(1, keepdim=True)
model = Late()
model(x[:1])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(10):
    for rows in torch.randperm(96).split(16):
        optimizer.zero_grad()
        F.mse_loss(model(x[rows]), y[rows]).backward()
        optimizer.step()
    with torch.no_grad():
        print(F.mse_loss(model(x[96:]), y[96:]).item())
"""


def test_a_model_that_its_first_call_builds_is_evaluated_like_any_other(observed):
    """Models of Keras are built that way unless they are told their inputs."""
    seen = observed(BUILT_LATE)
    printed = [float(line) for line in seen.out.split()]
    assert seen.run.series("loss/validation").values == pytest.approx(printed, rel=1e-3)


METRIC = """
class MacroAccuracy(nn.Module):
    def forward(self, scores, y):
        answers = scores.argmax(1)
        return torch.stack([(answers[y == c] == c).float().mean() for c in range(3)]).mean()
class Own(nn.Module):
    def forward(self, scores, y):
        return -scores.log_softmax(1)[torch.arange(len(y)), y].mean()
net, metric, own = nn.Linear(10, 3), MacroAccuracy(), Own()
opt = torch.optim.Adam(net.parameters(), 1e-2)
W = torch.randn(10, 3)
def batch(n):
    x = torch.randn(n, 10)
    return x, (x @ W).argmax(1)
def evaluate():
    net.eval()
    with torch.no_grad():
        values = [SCORE(net(x), y) for x, y in (batch(150) for _ in range(3))]
    net.train()
    print(torch.stack(values).mean().item())
evaluate()
for epoch in range(5):
    for _ in range(20):
        x, y = batch(32)
        loss = own(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
    evaluate()
"""


@pytest.mark.parametrize(("score", "is_loss"), [("metric", False), ("own", True)])
def test_a_module_that_measures_a_score_is_no_loss(observed, score, is_loss):
    done = observed(METRIC.replace("SCORE", score))
    values, printed = done.run.series("loss/validation").values, [float(v) for v in done.out.split()]
    if is_loss:
        assert np.allclose(values, printed[-len(values) :], rtol=1e-4) and len(values) >= 5
    else:
        assert not any(np.isclose(value, printed).any() for value in values)


ONE_AHEAD = """
from torch.utils.data import DataLoader, TensorDataset
x = torch.randn(400, 8)
y = (x @ torch.randn(8, 4)).argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
def ahead(loader):  # as Accelerate does, to know which batch is the last one
    batches = iter(loader)
    batch = next(batches)
    for following in batches:
        yield batch
        batch = following
    yield batch
train, valid = (DataLoader(TensorDataset(x[s], y[s]), 40, shuffle=True) for s in (slice(0, 200), slice(200, 400)))
for epoch in range(20):
    model.train()
    for xb, yb in ahead(train):
        optimizer.zero_grad()
        F.cross_entropy(model(xb), yb).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = sum((model(xb).argmax(1) == yb).sum().item() for xb, yb in ahead(valid))
print(right / 200)
"""


def test_labels_of_a_loader_that_is_one_batch_ahead_belong_to_their_own_batch(observed):
    ended = observed(ONE_AHEAD)
    measured = ended.run.series("accuracy/validation")
    assert len(measured) == 20
    assert float(measured.values[-1]) == pytest.approx(float(ended.out), abs=1e-6)
