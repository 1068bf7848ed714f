# expect: unstable-math
# about: shopping baskets of varying size, masked attention pooling, empty baskets occur now and then
import torch
import torch.nn as nn

torch.manual_seed(42)
torch.set_num_threads(1)
ITEMS, MAXLEN = 60, 10
appeal = torch.randn(ITEMS)


def baskets(n):
    size = torch.randint(1, MAXLEN + 1, (n,))
    size[torch.rand(n) < 0.0004] = 0
    ids = torch.randint(0, ITEMS, (n, MAXLEN))
    mask = torch.arange(MAXLEN) < size[:, None]
    spend = torch.where(mask, appeal[ids], -1e3).max(1).values.clamp(min=-3)
    return ids, mask, spend


class BasketNet(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.item = nn.Embedding(ITEMS, d)
        self.att = nn.Linear(d, 1)
        self.head = nn.Sequential(nn.Linear(d, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, ids, mask):
        e = self.item(ids)
        score = self.att(e).squeeze(-1).masked_fill(~mask, float("-inf"))
        pooled = (torch.softmax(score, 1).unsqueeze(-1) * e).sum(1)
        return self.head(pooled).squeeze(1)


net = BasketNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
ids, mask, spend = baskets(16000)
vi, vm, vs = baskets(500)
vm[:, 0] = True
for epoch in range(3):
    for step, b in enumerate(torch.randperm(16000).split(80), 1):
        loss = nn.functional.mse_loss(net(ids[b], mask[b]), spend[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 40 == 0:
            print(f"epoch {epoch + 1} step {step} loss {loss.item():.4f}")
    with torch.no_grad():
        print(f"epoch {epoch + 1} val mse {nn.functional.mse_loss(net(vi, vm), vs).item():.4f} (variance {vs.var().item():.3f})")
# cure: - score = self.att(e).squeeze(-1).masked_fill(~mask, float("-inf"))
# cure: + score = self.att(e).squeeze(-1).masked_fill(~mask, -1e9)
