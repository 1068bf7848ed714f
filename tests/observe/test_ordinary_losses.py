"""Losses as people write them by hand: what is taken for a target is one."""

from __future__ import annotations

from small_loops import named

from traindx.diagnosis import diagnose
from traindx.signs import measure_all

BINARY = """
x = torch.randn(256, 6)
y = (x[:, 0] - x[:, 1] + 0.5 * torch.randn(256) > 0).float()
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Linear(6, 16), nn.Linear(16, 1)
    def forward(self, x):
        return torch.sigmoid(self.out(torch.relu(self.hidden(x))) * SCALE).view(-1)
model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(12):
    for rows in torch.randperm(256).split(32):
        p = model(x[rows])
        loss = -(y[rows] * torch.log(p) + (1 - y[rows]) * torch.log(1 - p)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_one_minus_a_probability_is_no_error_against_a_target(observed):
    run = observed(BINARY.replace("SCALE", "1.0")).run
    assert not run.training_losses
    assert diagnose(run).verdict != "sick"


def test_a_logarithm_of_zero_comes_before_what_its_nan_looks_like(observed):
    """Every number behind the first NaN is one too: no order of the data follows from them."""
    run = observed(BINARY.replace("SCALE", "30.0")).run
    first = diagnose(run).hypotheses[0]
    assert first.cause == "unstable-math" and first.basis == "seen"
    assert "unshuffled-data" not in named(run)


LSGAN = """
class GANLoss(nn.Module):
    def forward(self, prediction, is_real):
        return F.mse_loss(prediction, torch.ones_like(prediction) if is_real else torch.zeros_like(prediction))
data = torch.randn(512, 2) * 0.3 + torch.tensor([1.0, -1.0])
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
optimizer_d = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.999))
criterion = GANLoss()
for epoch in range(12):
    for rows in torch.randperm(512).split(32):
        fake = generator(torch.randn(len(rows), 4))
        for real in (True, False):
            optimizer_d.zero_grad()
            criterion(critic(data[rows] if real else fake.detach()), real).backward()
            optimizer_d.step()
        optimizer_g.zero_grad()
        criterion(critic(fake), True).backward()
        optimizer_g.step()
"""


def test_real_and_generated_batches_are_not_sorted_data(observed):
    run = observed(LSGAN).run
    assert (measure_all(run).level("batches-alike") or 0.0) < 0.5
    assert diagnose(run).verdict != "sick"


ATTENTION = """
V, T, B, H = 8, 6, 16, 12
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.rnn, self.score = nn.Embedding(V, H), nn.GRU(2 * H, H), nn.Linear(2 * H, 1)
        self.out = nn.Linear(H, V)
    def forward(self, token, state, encoded):
        weights = F.softmax(self.score(torch.cat([state.expand(T, -1, -1), encoded], 2)), dim=0)
        context = (weights * encoded).sum(0, keepdim=True)
        output, state = self.rnn(torch.cat([self.words(token), context], 2), state)
        return self.out(output[0]), state
words, encoder, decoder = nn.Embedding(V, H), nn.GRU(H, H), Decoder()
optimizer = torch.optim.Adam([*words.parameters(), *encoder.parameters(), *decoder.parameters()], lr=0.01)
for step in range(40):
    source = torch.randint(1, V, (T, B))
    encoded, state = encoder(words(source))
    token, loss = torch.zeros(1, B, dtype=torch.long), 0
    for t in range(T):
        scores, state = decoder(token, state, encoded)
        loss = loss + F.cross_entropy(scores, source[t])
        token = source[t : t + 1]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_attention_over_time_that_comes_first_is_no_softmax_over_the_batch(observed):
    run = observed(ATTENTION).run
    assert measure_all(run).level("softmax-over-batch") == 0.0
    assert "softmax-wrong-axis" not in named(run)
