# expect: healthy
# about: language model of a second-order Markov chain; the loss stands at the chain's entropy and can go no lower
import math

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(99)
V = 6
table = torch.distributions.Dirichlet(torch.full((V,), 0.6)).sample((V, V))
entropy_rate = None


def sample(batch, length):
    seq = torch.randint(0, V, (batch, 2))
    cols = [seq[:, 0], seq[:, 1]]
    for _ in range(length - 2):
        cols.append(torch.multinomial(table[cols[-2], cols[-1]], 1).squeeze(1))
    return torch.stack(cols, 1)


class GRULM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, 16)
        self.rnn = nn.GRU(16, 48, batch_first=True)
        self.out = nn.Linear(48, V)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


model = GRULM()
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 500)
for step in range(500):
    s = sample(32, 33)
    logits = model(s[:, :-1])
    loss = nn.functional.cross_entropy(logits[:, 1:].reshape(-1, V), s[:, 2:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if (step + 1) % 50 == 0:
        print(f"step {step + 1}: loss {loss.item():.4f} perplexity {math.exp(loss.item()):.3f}")
with torch.no_grad():
    s = sample(256, 60)
    p = table[s[:, :-2], s[:, 1:-1]]
    floor = -(p.gather(2, s[:, 2:, None]).log()).mean().item()
    got = nn.functional.cross_entropy(model(s[:, :-1])[:, 1:].reshape(-1, V), s[:, 2:].reshape(-1)).item()
print(f"held-out cross-entropy {got:.4f}, the chain itself {floor:.4f}, uniform {math.log(V):.4f}")
