# expect: eval-mode-missing
# about: time-series classes by a 1-D CNN with BatchNorm; validation walks sequence by sequence
import torch
import torch.nn as nn

torch.manual_seed(5)
torch.set_num_threads(1)


def series(n):
    y = torch.randint(0, 3, (n,))
    level = (y.float() - 1) * 0.7
    return level[:, None, None] + torch.randn(n, 1, 20), y


xt, yt = series(900)
xv, yv = series(200)
net = nn.Sequential(nn.Conv1d(1, 12, 5), nn.BatchNorm1d(12), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(12, 3))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)


def validate():
    right = 0
    with torch.no_grad():
        for x, y in zip(xv, yv):
            right += int(net(x[None]).argmax() == y)
    return right / len(yv)


for epoch in range(8):
    net.train()
    for b in torch.randperm(900).split(30):
        loss = nn.functional.cross_entropy(net(xt[b]), yt[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    acc = validate()
    print(f"epoch {epoch} loss {loss.item():.4f} val acc {acc:.3f}")
# cure: - right = 0
# cure: + net.eval()
# cure: + right = 0
