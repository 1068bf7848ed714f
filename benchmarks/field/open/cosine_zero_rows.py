# expect: unstable-math
# about: own cosine similarity divides by the norm; rare empty documents give 0/0
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
V = 120
topic = torch.randn(V, 6)


def bag(n):
    w = (torch.rand(n, V) < 0.06).float()
    return w


def cosine(a, b):
    return (a * b).sum(1) / (a.norm(dim=1) * b.norm(dim=1))


A, B = bag(2000), bag(2000)
A[777] = 0
sim = torch.nn.functional.cosine_similarity(A @ topic, B @ topic)
enc = nn.Sequential(nn.Linear(V, 32, bias=False), nn.ReLU(), nn.Linear(32, 16, bias=False))
opt = torch.optim.Adam(enc.parameters(), lr=2e-3)
for epoch in range(15):
    tot = 0.0
    for i in torch.randperm(1600).split(32):
        loss = (cosine(enc(A[i]), enc(B[i])) - sim[i]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 50
    with torch.no_grad():
        val = (cosine(enc(A[1600:]), enc(B[1600:])) - sim[1600:]).pow(2).mean()
    print(f"epoch {epoch} train {tot:.4f} val {val.item():.4f}")
# cure: - return (a * b).sum(1) / (a.norm(dim=1) * b.norm(dim=1))
# cure: + return torch.nn.functional.cosine_similarity(a, b, eps=1e-6)
