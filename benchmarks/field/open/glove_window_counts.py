# expect: healthy
# about: GloVe on a synthetic corpus: weighted least squares on log co-occurrence, Adagrad at 0.1, two embeddings and two biases, clusters checked at the end
import collections
import math
import random

import torch

torch.set_num_threads(1)
random.seed(3)
torch.manual_seed(3)
GROUPS, PER = 12, 20
words = [(g, i) for g in range(GROUPS) for i in range(PER)]
vocab = {w: k for k, w in enumerate(words)}
zipf = [1 / (i + 1) ** 0.6 for i in range(PER)]
nxt = {g: random.sample(range(GROUPS), 3) for g in range(GROUPS)}
cooc = collections.Counter()
for _ in range(3000):
    g, sent = random.randrange(GROUPS), []
    for _ in range(12):
        sent.append(vocab[g, random.choices(range(PER), zipf)[0]])
        if random.random() < 0.4:
            g = random.choice(nxt[g]) if random.random() < 0.8 else random.randrange(GROUPS)
    for a in range(len(sent)):
        for b in range(a + 1, min(a + 5, len(sent))):
            cooc[sent[a], sent[b]] += 1 / (b - a)
            cooc[sent[b], sent[a]] += 1 / (b - a)
pairs = torch.tensor(list(cooc))
value = torch.tensor(list(cooc.values()))
print("cells", len(pairs))


class GloVe(torch.nn.Module):
    def __init__(self, n, d=24):
        super().__init__()
        self.w, self.c = torch.nn.Embedding(n, d), torch.nn.Embedding(n, d)
        self.bw, self.bc = torch.nn.Embedding(n, 1), torch.nn.Embedding(n, 1)
        for e in (self.w, self.c, self.bw, self.bc):
            torch.nn.init.uniform_(e.weight, -0.5 / d, 0.5 / d)

    def forward(self, i, j):
        return (self.w(i) * self.c(j)).sum(1) + self.bw(i).squeeze(1) + self.bc(j).squeeze(1)


model = GloVe(len(words))
opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
for epoch in range(16):
    total = 0.0
    for b in torch.randperm(len(pairs)).split(512):
        i, j = pairs[b].T
        weight = (value[b] / 10).clamp(max=1) ** 0.75
        loss = (weight * (model(i, j) - value[b].log()) ** 2).sum() / len(b)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(b)
    if epoch % 2:
        print(f"epoch {epoch + 1} loss {total / len(pairs):.5f}")
E_ = torch.nn.functional.normalize((model.w.weight + model.c.weight).detach(), dim=1)
sim = E_ @ E_.T - 2 * torch.eye(len(words))
group = torch.tensor([g for g, _ in words])
same = (group[sim.topk(5).indices] == group[:, None]).float().mean().item()
print(f"share of the 5 nearest words from the same group {same:.3f} (chance {(PER - 1) / (len(words) - 1):.3f})")
