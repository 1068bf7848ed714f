# expect: batch-too-small
# about: image and caption vectors matched with in-batch negatives, step budget fixed
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(68)
torch.set_num_threads(1)
LAT, IMG, TXT = 12, 40, 30
Wi, Wt = torch.randn(LAT, IMG), torch.randn(LAT, TXT)


def pairs(n):
    z = torch.randn(n, LAT)
    return torch.tanh(z @ Wi / 3) + 0.3 * torch.randn(n, IMG), torch.tanh(z @ Wt / 3) + 0.3 * torch.randn(n, TXT)


def tower(i):
    return nn.Sequential(nn.Linear(i, 96), nn.ReLU(), nn.Linear(96, 16))


image, caption = tower(IMG), tower(TXT)
opt = torch.optim.Adam([*image.parameters(), *caption.parameters()], lr=2e-3)
batch_size = 2
pool_i, pool_t = pairs(20000)
vi, vt = pairs(400)


def recall():
    with torch.no_grad():
        s = F.normalize(image(vi), dim=1) @ F.normalize(caption(vt), dim=1).T
    rank = (s > s.diagonal()[:, None]).sum(1)
    return (rank == 0).float().mean().item(), rank.float().median().item()


for step in range(1, 1501):
    rows = torch.randint(0, 20000, (batch_size,))
    a, b = F.normalize(image(pool_i[rows]), dim=1), F.normalize(caption(pool_t[rows]), dim=1)
    logits = a @ b.T / 0.1
    target = torch.arange(batch_size)
    loss = (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 150 == 0:
        r1, med = recall()
        print(f"step {step} loss {loss.item():.3f} recall@1 of 400 {r1:.3f} median rank {med:.0f}")
# cure: - batch_size = 2
# cure: + batch_size = 128
