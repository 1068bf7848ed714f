"""Programs like those that people publish: what is measured of them is what they did."""

from __future__ import annotations

import pytest

from traindx.signs import measure_all


def test_accuracy_by_numpy_is_scored_with_its_own_labels(observed):
    """No scalar is read between batches, so each output has to be scored before the next batch's labels come."""
    run = observed("""
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
        """)
    accuracy = run.run.series("accuracy/validation")
    assert accuracy.values[-1] == pytest.approx(float(run.out.splitlines()[-1]), abs=0.01)


def test_accuracies_over_sets_of_several_sizes_are_no_loss(observed):
    run = observed("""
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
        """).run
    assert not run.series("loss/validation")


def test_weighted_accuracy_that_rises_is_no_loss(observed):
    run = observed("""
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
        """).run
    assert not run.series("loss/validation")


def test_a_loss_by_hand_that_is_read_in_evaluation_is_one(observed):
    run = observed("""
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
        """).run
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
def test_the_sign_of_a_term_is_that_of_its_own_path(observed, loss, seen):
    run = observed(f"""
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
        """).run
    assert (measure_all(run)["loss-negated"].level >= 0.5) == seen


TABLE = """
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


def test_passengers_who_are_alike_are_no_leak(observed):
    run = observed(TABLE.format(more="")).run
    assert measure_all(run)["samples-shared"].level < 0.3


def test_rows_copied_before_the_split_are_a_leak(observed):
    more = (
        "x[:, 0] = torch.randn(n); x[:, 1] = torch.randn(n); again = torch.randint(0, 560, (140,)); x[560:] = x[again]"
    )
    found = measure_all(observed(TABLE.format(more=more)).run)["samples-shared"]
    assert found.level > 0.7 and "about" not in found.text


def test_short_windows_of_a_text_repeat(observed):
    run = observed("""
        import pydoc_data.topics as topics
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
        """).run
    assert measure_all(run)["samples-shared"].level < 0.3


def test_recurrent_weight_of_one_time_step_has_no_gradient(observed):
    run = observed("""
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
        """).run
    assert measure_all(run)["params-zero-gradient"].level == 0


def test_target_given_first_is_the_target(observed):
    """`criterion(y, prediction)`: the squared error is the same, and so is what is said of it."""
    run = observed("""
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
        """).run
    assert 40 < run.facts["targets/train"]["mean"] < 60
    assert run.training_losses[0].input.grad_fn == "addmm"


def test_targets_of_two_losses_are_not_averaged(observed):
    run = observed("""
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
        """).run
    assert 800 < run.facts["targets/train"]["mean"] < 1200


def test_a_target_that_the_model_makes_has_no_chance_level(observed):
    run = observed("""
        model = nn.Linear(4, 1)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for step in range(20):
            x = torch.randn(16, 4)
            loss = F.mse_loss(model(x), x[:, :1] + 0.9 * model(x + 0.1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """).run
    signs = measure_all(run)
    assert "training-at-chance" not in signs and "chance" not in signs["training-learned"].text
