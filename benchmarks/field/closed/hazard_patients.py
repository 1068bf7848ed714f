# expect: healthy
# about: Cox partial likelihood with a small MLP, concordance on held-out patients near what the generator allows
import numpy as np
import torch
import torch.nn as nn

torch.set_num_threads(1)
rng = np.random.default_rng(11)


def simulate(n):
    x = rng.normal(size=(n, 6)).astype(np.float32)
    risk = 0.9 * x[:, 0] - 0.7 * x[:, 1] + 0.8 * np.tanh(2 * x[:, 2]) * x[:, 3]
    t = rng.exponential(1.0 / np.exp(risk))
    c = rng.exponential(3.0, size=n)
    return torch.from_numpy(x), torch.tensor(np.minimum(t, c), dtype=torch.float32), torch.tensor(t <= c)


def neg_partial_log_likelihood(score, time, event):
    order = torch.argsort(time, descending=True)
    score, event = score[order], event[order]
    log_cum = torch.logcumsumexp(score, dim=0)
    return -(score - log_cum)[event].mean()


def concordance(score, time, event):
    earlier = (time[:, None] < time[None, :]) & event[:, None]
    return (score[:, None] > score[None, :])[earlier].float().mean().item()


x, t, e = simulate(1600)
xv, tv, ev = simulate(600)
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(6, 24), nn.SELU(), nn.Linear(24, 24), nn.SELU(), nn.Linear(24, 1))
optim = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-2)
best, best_state, patience = 0.0, None, 0
for epoch in range(60):
    net.train()
    total = 0.0
    for idx in torch.randperm(len(x)).split(200):
        loss = neg_partial_log_likelihood(net(x[idx]).squeeze(-1), t[idx], e[idx])
        optim.zero_grad()
        loss.backward()
        optim.step()
        total += loss.item()
    net.eval()
    with torch.no_grad():
        c = concordance(net(xv).squeeze(-1), tv, ev)
    if c > best + 1e-4:
        best, best_state, patience = c, {k: v.clone() for k, v in net.state_dict().items()}, 0
    else:
        patience += 1
    if epoch % 5 == 0:
        print("epoch %3d  -logPL %.4f  C-index %.4f" % (epoch, total / 8, c))
    if patience == 15:
        break
net.load_state_dict(best_state)
print("stopped at epoch", epoch, "best C-index %.4f" % best)
