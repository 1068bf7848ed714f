# expect: healthy
# about: DeepSurv: Cox partial likelihood over the full risk set, censored data; concordance tells, the loss hardly moves
import torch
import torch.nn as nn

torch.set_num_threads(1)
gen = torch.Generator().manual_seed(3)


def simulate(n):
    x = torch.randn(n, 6, generator=gen)
    risk = 1.1 * x[:, 0] - 0.8 * x[:, 1] + 0.9 * (x[:, 2] ** 2 - 1) * 0.7
    t = -torch.log(torch.rand(n, generator=gen)) * torch.exp(-risk)
    c = -torch.log(torch.rand(n, generator=gen)) * 2.0
    return x, torch.minimum(t, c), (t <= c).float()


def neg_partial_log_likelihood(score, time, event):
    order = time.argsort(descending=True)
    score, event = score[order], event[order]
    return -((score - torch.logcumsumexp(score, 0)) * event).sum() / event.sum()


def c_index(score, time, event):
    earlier = (time[:, None] < time[None, :]) & (event[:, None] > 0)
    return (score[:, None] > score[None, :])[earlier].float().mean().item()


class DeepSurv(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 48), nn.SELU(), nn.AlphaDropout(0.1), nn.Linear(48, 24), nn.SELU())
        self.risk = nn.Linear(24, 1, bias=False)

    def forward(self, x):
        return self.risk(self.body(x)).squeeze(-1)


torch.manual_seed(3)
xt, tt, et = simulate(1500)
xv, tv, ev = simulate(600)
model = DeepSurv()
optimizer = torch.optim.NAdam(model.parameters(), lr=4e-3, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 300)
for step in range(300):
    model.train()
    loss = neg_partial_log_likelihood(model(xt), tt, et)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 30 == 29:
        model.eval()
        with torch.no_grad():
            s = model(xv)
            print(f"{step + 1:4d} loss {loss.item():.4f} val {neg_partial_log_likelihood(s, tv, ev):.4f} c-index {c_index(s, tv, ev):.4f}")
