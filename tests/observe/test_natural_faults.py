"""Faults as they occur in programs that people write, each beside an ordinary twin in which nothing is named."""

from __future__ import annotations

import pytest

from traindx.diagnosis import diagnose
from traindx.signs import measure_all

FACTORS = """
n_users, n_items, n_factors = 150, 100, 64
taste, quality = torch.randn(n_users, 2), torch.randn(n_items, 2)
users, items = torch.randint(0, n_users, (12000,)), torch.randint(0, n_items, (12000,))
ratings = (3.5 + 0.6 * (taste[users] * quality[items]).sum(1) + 0.1 * torch.randn(12000)).clamp(1, 5)
train = DataLoader(TensorDataset(users[:10000], items[:10000], ratings[:10000]), batch_size=128, shuffle=True)

class MatrixFactorization(nn.Module):
    def __init__(self):
        super().__init__()
        self.user_factors = nn.Embedding(n_users, n_factors)
        self.item_factors = nn.Embedding(n_items, n_factors)
        self.mean = nn.Parameter(torch.tensor(3.5))
        {init}

    def forward(self, user, item):
        return self.mean + (self.user_factors(user) * self.item_factors(item)).sum(1)

model = MatrixFactorization()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    for user, item, rating in train:
        optimizer.zero_grad()
        loss = criterion(model(user, item), rating)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(epoch, criterion(model(users[10000:], items[10000:]), ratings[10000:]).item())
"""


def test_embeddings_of_unit_size_in_a_factor_model(observed):
    found = diagnose(observed(FACTORS.format(init="pass")).run)
    assert found.verdict != "healthy" and found.leading.cause == "init-too-large"
    assert "64 dimensions" in found.leading.evidence[0] and "_factors.weight`" in found.leading.evidence[0]
    fix = found.leading.fix
    assert fix is not None and "+torch.nn.init.normal_(model.item_factors.weight, std=0.1)" in (fix.patch or "")


def test_embeddings_that_start_small_raise_nothing(observed):
    init = "nn.init.normal_(self.user_factors.weight, std=0.1); nn.init.normal_(self.item_factors.weight, std=0.1)"
    run = observed(FACTORS.format(init=init)).run
    assert measure_all(run).level("embedding-scale-large") == 0.0
    assert diagnose(run).leading.cause != "init-too-large"


Q_LEARNING = """
import random
random.seed(0)
q_net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
gamma, memory, state = 0.99, [], torch.randn(4)
for t in range(400):
    action = random.randrange(2)
    following = 0.9 * state + 0.1 * torch.randn(4) + (0.1 if action else -0.1)
    reward, done = float(-following[0].abs()), float(random.random() < 0.05)
    memory.append((state, action, reward, following, done))
    state = torch.randn(4) if done else following
    if len(memory) < 32:
        continue
    batch = list(zip(*random.sample(memory, 32)))
    states, following_states = torch.stack(batch[0]), torch.stack(batch[3])
    actions, rewards, dones = torch.tensor(batch[1]), torch.tensor(batch[2]), torch.tensor(batch[4])
    predicted = q_net(states).gather(1, actions.unsqueeze(1)).squeeze(1)
    {target}
    loss = F.{loss}(predicted, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("loss", ["mse_loss", "smooth_l1_loss"])
@pytest.mark.parametrize(
    "target",
    [
        "target = rewards + gamma * q_net(following_states).max(1)[0] * (1 - dones)",
        "target = rewards + (1 - dones) * gamma * q_net(following_states).max(dim=1).values",
        "target = rewards + gamma * q_net(following_states).gather(1, actions.unsqueeze(1)).squeeze(1)",
    ],
)
def test_a_bootstrapped_target_that_carries_gradient(observed, target, loss):
    found = diagnose(observed(Q_LEARNING.format(target=target, loss=loss)).run)
    assert found.verdict == "sick" and found.leading.cause == "wrong-loss" and found.leading.basis == "seen"
    fix = found.leading.fix
    assert fix is not None and f"+    loss = F.{loss}(predicted, target.detach())" in (fix.patch or "")


@pytest.mark.parametrize(
    "target",
    [
        "target = rewards + gamma * q_net(following_states).max(1)[0].detach() * (1 - dones)",
        "with torch.no_grad(): target = rewards + gamma * q_net(following_states).max(1)[0]",
    ],
)
def test_a_bootstrapped_target_without_gradient_is_ordinary(observed, target):
    run = observed(Q_LEARNING.format(target=target, loss="mse_loss")).run
    signs = measure_all(run)
    assert not signs["target-bootstrapped"].raised
    assert "batches-alike" not in signs  # targets that move with the network lie in no order
    assert diagnose(run).verdict != "sick"


BOTH_LEARNED = """
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))
head = nn.Linear(8, 8)
optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=1e-3)
x = torch.randn(64, 8)
for step in range(60):
    one, other = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    {body}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    "body",
    [
        "loss = F.mse_loss(head(net(one)), net(other)) + F.mse_loss(head(net(other)), net(one))",  # both sides learn
        "loss = F.mse_loss(net(one), 0.9 * net(other))",  # consistency, drawn towards zero
        "loss = F.mse_loss(net(one), net(other)) + F.mse_loss(head(net(one)), one)",
        "loss = F.l1_loss(net(one) + 1.0, net(other) + 1.0)",
        "loss = F.mse_loss(F.normalize(net(one), dim=1), F.normalize(net(other), dim=1))",
        "loss = F.mse_loss((net(one) - net(other)).pow(2).sum(1), (one - other).pow(2).sum(1))",  # metric learning
        "loss = F.mse_loss(net(one).mean(1), 0.99 * net(other).mean(1))",
    ],
)
def test_losses_between_two_outputs_are_no_bootstrapping(observed, body):
    signs = measure_all(observed(BOTH_LEARNED.format(body=body)).run)
    assert not signs["target-bootstrapped"].raised


OVERSAMPLED = """
import numpy as np
rng = np.random.default_rng(0)
X = rng.normal(size=(1000, 10)).astype("float32")
y = (rng.random(1000) < 1 / (1 + np.exp(2.2 - X[:, 0] - X[:, 1]))).astype("int64")

def oversample(X, y):
    rare = np.where(y == 1)[0]
    extra = rng.choice(rare, size=(y == 0).sum() - len(rare))
    return np.concatenate([X, X[extra]]), np.concatenate([y, y[extra]])

def split(X, y):
    order = rng.permutation(len(X))
    cut = int(0.8 * len(X))
    return X[order[:cut]], y[order[:cut]], X[order[cut:]], y[order[cut:]]

{prepare}
train = DataLoader(TensorDataset(torch.tensor(X_train), torch.tensor(y_train)), batch_size=64, shuffle=True)
valid = DataLoader(TensorDataset(torch.tensor(X_valid), torch.tensor(y_valid)), batch_size=64)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(10):
    model.train()
    for a, b in train:
        optimizer.zero_grad()
        loss = criterion(model(a), b)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, sum(criterion(model(a), b).item() for a, b in valid) / len(valid))
"""


def test_rows_oversampled_before_the_split_leak(observed):
    prepare = "X, y = oversample(X, y)\nX_train, y_train, X_valid, y_valid = split(X, y)"
    found = diagnose(observed(OVERSAMPLED.format(prepare=prepare)).run)
    assert found.verdict == "sick" and found.leading.cause == "leaked-validation" and found.leading.basis == "seen"


def test_rows_oversampled_after_the_split_do_not(observed):
    prepare = "X_train, y_train, X_valid, y_valid = split(X, y)\nX_train, y_train = oversample(X_train, y_train)"
    run = observed(OVERSAMPLED.format(prepare=prepare)).run
    assert not measure_all(run)["samples-shared"].raised
    assert diagnose(run).verdict != "sick"


PRICES = """
import numpy as np
rng = np.random.default_rng(0)
X = rng.normal(size=(1000, 8)).astype("float32")
price = np.exp(12 + 0.3 * X[:, 0] + 0.2 * X[:, 1] - 0.1 * X[:, 2] + 0.05 * rng.normal(size=1000)).astype("float32")
y = {target}
data = TensorDataset(torch.tensor(X), torch.tensor(y).float().unsqueeze(1))
loader = DataLoader(data, batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(12):
    for a, b in loader:
        optimizer.zero_grad()
        loss = criterion(model(a), b)
        loss.backward()
        optimizer.step()
"""


def test_raw_prices_as_targets(observed):
    found = diagnose(observed(PRICES.format(target="price")).run)
    assert found.verdict == "sick" and found.leading.cause == "unscaled-targets"


def test_standardised_log_prices_are_fine(observed):
    target = "(np.log(price) - np.log(price).mean()) / np.log(price).std()"
    assert diagnose(observed(PRICES.format(target=target)).run).verdict == "healthy"
