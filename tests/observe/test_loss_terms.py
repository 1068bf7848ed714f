"""Losses of several terms, as people write them: each is recorded with its line, and only real faults are named."""

from __future__ import annotations

import pytest
from small_loops import told

from traindx.diagnosis import diagnose
from traindx.signs import measure_all

TERM_SIGNS = ("posterior-collapsed", "term-hidden", "term-not-finite", "term-unbounded")

VAE = """
data = torch.sigmoid(torch.randn(512, 4) @ torch.randn(4, 64))

class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.mean, self.log_variance = nn.Linear(64, 48), nn.Linear(48, 6), nn.Linear(48, 6)
        self.decoder = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 64), nn.Sigmoid())

    def forward(self, x):
        hidden = torch.relu(self.hidden(x))
        mu, logvar = self.mean(hidden), self.log_variance(hidden)
        return self.decoder(mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)), mu, logvar

def loss_function(recon_x, x, mu, logvar):
    {body}

model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(60):
    for rows in torch.randperm(512).split(64):
        x = data[rows]
        loss = loss_function(*[(out := model(x))[0], x, *out[1:]])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
KLD = "-0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())"


def vae(*lines: str) -> str:
    return VAE.format(body="\n    ".join(lines))


def loop(setup: str, body: str, steps: int = 400) -> str:
    """A training loop around `body`, which computes `loss`."""
    inner = "\n".join("    " + line for line in body.strip().splitlines())
    ends = "    loss.backward()\n    optimizer.step()\n"
    return f"{setup}\nfor step in range({steps}):\n    optimizer.zero_grad()\n{inner}\n{ends}"


ORDINARY = {
    "vae, both terms summed": vae(
        "bce = F.binary_cross_entropy(recon_x, x, reduction='sum')", f"kld = {KLD}", "return bce + kld"
    ),
    "beta-vae": vae(
        "recon = F.mse_loss(recon_x, x, reduction='sum') / x.size(0)",
        f"kld = {KLD} / x.size(0)",
        "return recon + 0.1 * kld",
    ),
    "vae, a loss for each sample": vae(
        "recon = ((recon_x - x) ** 2).sum(dim=1)",
        "kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(dim=1)",
        "return (recon + 0.05 * kl).mean()",
    ),
    "penalties on the weights": loop(
        """
x, model = torch.randn(256, 8), nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
y = x[:, :1] * x[:, 1:2]
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
""",
        """
fit = F.mse_loss(model(x), y)
l1 = sum(p.abs().sum() for p in model.parameters())
l2 = sum((p ** 2).sum() for p in model.parameters())
loss = fit + 1e-5 * l1 + 1e-4 * l2
""",
    ),
    "detection with five terms": loop(
        """
x, boxes, labels = torch.randn(256, 16), torch.rand(256, 4), torch.randint(0, 3, (256,))
x[:, :4] += 3 * boxes
x[torch.arange(256), 4 + labels] += 2
present = (x[:, 8:9] > 0).float()
body = nn.Sequential(nn.Linear(16, 64), nn.ReLU())
heads = nn.ModuleDict({"box": nn.Linear(64, 4), "cls": nn.Linear(64, 3), "obj": nn.Linear(64, 1)})
model = nn.ModuleDict({"body": body, "heads": heads})
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
""",
        """
features = body(x)
out = {name: head(features) for name, head in heads.items()}
losses = {
    "centre": 5.0 * F.mse_loss(out["box"][:, :2], boxes[:, :2]),
    "size": 5.0 * F.mse_loss(out["box"][:, 2:], boxes[:, 2:]),
    "object": F.binary_cross_entropy_with_logits(out["obj"], present),
    "empty": 0.5 * F.binary_cross_entropy_with_logits(-out["obj"], 1 - present),
    "class": F.cross_entropy(out["cls"], labels),
}
loss = sum(losses.values())
""",
    ),
    "distillation": loop(
        """
x = torch.randn(256, 8)
y = (x[:, 0] + x[:, 1] > 0).long()
teacher, model = nn.Linear(8, 2), nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
teacher.weight.data[:] = 0
teacher.weight.data[1, :2] = 3.0
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
""",
        """
scores = model(x)
with torch.no_grad():
    wanted = teacher(x)
soft = F.kl_div(F.log_softmax(scores / 4, dim=1), F.softmax(wanted / 4, dim=1), reduction="batchmean") * 16
loss = 0.7 * soft + 0.3 * F.cross_entropy(scores, y)
""",
    ),
    "physics-informed": loop(
        """
model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
""",
        """
t = torch.linspace(0, 1, 64).unsqueeze(1).requires_grad_()
u = model(t)
du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
residual = ((du + u) ** 2).mean()
boundary = (model(torch.zeros(1, 1)) - 1.0).pow(2).mean()
loss = residual + 10 * boundary
""",
        600,
    ),
    "gan that also copies": loop(
        """
x = torch.randn(256, 8)
y = torch.tanh(x @ torch.randn(8, 4))
generator = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
critic = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(generator.parameters(), lr=2e-3)
critics = torch.optim.Adam(critic.parameters(), lr=2e-3)
""",
        """
fake = generator(x)
real, made = critic(y), critic(fake.detach())
d_loss = F.binary_cross_entropy_with_logits(real, torch.ones_like(real)) + \\
    F.binary_cross_entropy_with_logits(made, torch.zeros_like(made))
critics.zero_grad()
d_loss.backward()
critics.step()
judged = critic(fake)
adversarial = F.binary_cross_entropy_with_logits(judged, torch.ones_like(judged))
loss = adversarial + 100 * F.l1_loss(fake, y)
""",
        250,
    ),
    "an auxiliary task that the script weighs down": loop(
        """
x = torch.randn(256, 8)
y, noise = x[:, :1] * 3, torch.randn(256, 1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
""",
        """
out = model(x)
loss = F.mse_loss(out[:, :1], y, reduction="sum") / 16 + 0.01 * F.mse_loss(out[:, 1:], noise)
""",
    ),
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_sums_raise_nothing(observed, name):
    run = observed(ORDINARY[name]).run
    signs = measure_all(run)
    assert not signs.errors
    assert not [signs[s].text for s in TERM_SIGNS if s in signs and signs[s].raised]
    assert diagnose(run).leading.cause != "wrong-loss"
    assert len(run.entries("loss_terms")) >= 2


COLLAPSED = vae("mse = F.mse_loss(recon_x, x)", f"kld = {KLD}", "return mse + kld")


def test_summed_divergence_beside_a_mean_is_a_wrong_loss(observed):
    ran = observed(COLLAPSED)
    found, path = diagnose(ran.run), ran.script
    assert found.verdict == "sick" and found.leading.cause == "wrong-loss" and found.leading.basis == "suspected"
    line = 1 + next(i for i, text in enumerate(path.read_text().splitlines()) if "kld = " in text)
    assert f"{path.name}:{line}" in found.leading.evidence[0]
    assert found.leading.fix is not None and "4,096" in found.leading.fix.summary  # 64 samples of 64 pixels
    assert "+    kld = (" in (found.leading.fix.patch or "")
    assert "`kld`" in found.terms and "`mse`" in found.terms and "TERMS" in str(found)


def test_the_fix_for_a_collapsed_posterior_lets_it_learn(observed):
    cured = COLLAPSED.replace(KLD, f"({KLD}) / 4096")
    signs = measure_all(observed(cured).run)
    assert signs.level("posterior-collapsed") == 0.0 and (signs.level("training-learned") or 0) > 0.5


HIDDEN = loop(
    """
x = torch.randn(256, 8)
y = (x[:, :3] * torch.tensor([2.0, -1.0, 0.5])).sum(1, keepdim=True)
body = nn.Sequential(nn.Linear(8, 32), nn.Tanh())
value, copy = nn.Linear(32, 1), nn.Linear(32, 8)
model = nn.ModuleList([body, value, copy])
optimizer = torch.optim.SGD(model.parameters(), lr=2e-5)
""",
    """
features = body(x)
main = F.mse_loss(value(features), y)
auxiliary = 2000 * F.mse_loss(copy(features), x)
loss = main + auxiliary
""",
)


def test_a_term_that_hides_another_is_suspected(observed):
    run = observed(HIDDEN).run
    signs = measure_all(run)
    assert signs["term-hidden"].raised
    found = diagnose(run)
    assert found.verdict != "healthy" and "wrong-loss" in [h.cause for h in found.hypotheses]


@pytest.mark.parametrize(
    "total",
    [
        "loss = a + 0.5 * b - c",
        "loss = sum([a, 0.5 * b, -c])",
        "loss = torch.stack([a, 0.5 * b, -c]).sum()",
        "parts = {'a': a, 'b': 0.5 * b, 'c': -c}\nloss = sum(parts.values())",
        "loss = 1 * a\nloss += 0.5 * b\nloss -= c",
        "loss = (2 * a + b - 2 * c) / 2",
    ],
)
def test_values_weights_and_signs_of_terms(observed, total):
    setup = """
model = nn.Linear(3, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
x = torch.randn(16, 3)
"""
    body = f"""
out = model(x)
a = out.pow(2).mean()
b = out.abs().mean()
c = torch.cos(out).mean()
{total}
if step == 0:
    print(json.dumps([a.item(), 0.5 * b.item(), -c.item()]))
"""
    outcome = observed(loop(setup, body, 12))
    wanted = sorted(told(outcome))
    run = outcome.run
    terms = run.entries("loss_terms")
    scale = 2.0 if "/ 2" in total else 1.0  # values are those of the sum itself
    got = sorted(float(run.series(f"loss/term/{i}").values[0]) / scale for i in range(len(terms)))
    assert got == pytest.approx(wanted, rel=1e-4)


def test_terms_of_one_line_in_a_loop_are_one_term(observed):
    setup = """
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(5, 16, 3), torch.randn(5, 16, 1)
"""
    body = """
loss = 0
for t in range(5):
    loss = loss + F.mse_loss(model(x[t]), y[t])
loss = loss + 0.1 * model.weight.pow(2).sum()
"""
    run = observed(loop(setup, body, 12)).run
    terms = run.entries("loss_terms")
    assert [(t["fn"], t["count"], t["penalty"]) for t in terms] == [("mse_loss", 5, False), (None, 1, True)]


def test_the_term_that_is_not_finite_is_named(observed):
    setup = "model = nn.Linear(3, 1)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.0)\nx = torch.randn(16, 3)\n"
    body = "fit = model(x).pow(2).mean()\nrare = (model(x).mean() * 0 + (step - 5)).sqrt()\nloss = fit + rare"
    signs = measure_all(observed(loop(setup, body, 12)).run)
    assert signs["term-not-finite"].raised and "`rare`" in signs["term-not-finite"].text


def test_the_term_that_falls_without_bound_is_named(observed):
    setup = """
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(64, 3) + 1
"""
    body = "fit = model(x).cos().mean()\nlikelihood = -model(x).mean()\nloss = fit + likelihood"
    signs = measure_all(observed(loop(setup, body, 200)).run)
    assert signs["term-unbounded"].raised and "`likelihood`" in signs["term-unbounded"].text
