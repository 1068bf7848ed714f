# expect: lr-too-high
# also: batch-too-small
# about: pairwise preference model, two noisy comparisons for each update, SGD with momentum
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(5)
torch.set_num_threads(1)
items = torch.randn(6000, 10)
quality = items[:, 0] + torch.tanh(items[:, 1] * items[:, 2])
a, b = torch.randint(0, 5000, (20000,)), torch.randint(0, 5000, (20000,))
prefer = (torch.rand(20000) < torch.sigmoid(0.7 * (quality[a] - quality[b]))).float()
scorer = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(scorer.parameters(), lr=0.05, momentum=0.9)
PAIRS = 2
run = 0.0
for step in range(1, 2001):
    k = torch.randint(0, 20000, (PAIRS,))
    margin = scorer(items[a[k]]) - scorer(items[b[k]])
    loss = F.binary_cross_entropy_with_logits(margin.squeeze(1), prefer[k])
    opt.zero_grad()
    loss.backward()
    opt.step()
    run += loss.item()
    if step % 200 == 0:
        with torch.no_grad():
            s, q = scorer(items[5000:]).squeeze(1), quality[5000:]
            agree = ((s[:500] > s[500:]) == (q[:500] > q[500:])).float().mean().item()
        print(f"step {step} loss {run / 200:.4f} agreement with true order {agree:.3f}")
        run = 0.0
# cure: - opt = torch.optim.SGD(scorer.parameters(), lr=0.05, momentum=0.9)
# cure: + opt = torch.optim.SGD(scorer.parameters(), lr=0.002, momentum=0.9)
