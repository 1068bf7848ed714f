# expect: healthy
# about: magnitude pruning in four rounds with torch.nn.utils.prune, loss jumps after each round and recovers, 90 % of the weights end as exact zeros
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.utils import prune

torch.set_num_threads(1)
torch.manual_seed(49)
d = load_digits()
X, Y = torch.tensor(d.data, dtype=torch.float32) / 16, torch.tensor(d.target)
order = torch.randperm(len(X))
train_x, train_y = X[order[:1350]], Y[order[:1350]]
test_x, test_y = X[order[1350:]], Y[order[1350:]]
net = nn.Sequential(nn.Linear(64, 200), nn.ReLU(), nn.Linear(200, 100), nn.ReLU(), nn.Linear(100, 10))
layers = [(m, "weight") for m in net if isinstance(m, nn.Linear)]
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-3)


def run_epochs(n, tag):
    for g in opt.param_groups:
        g["lr"] = 0.05
    for e in range(n):
        if e == n - 2:
            for g in opt.param_groups:
                g["lr"] = 0.01
        total = 0.0
        for b in torch.randperm(1350).split(50):
            loss = nn.functional.cross_entropy(net(train_x[b]), train_y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() / 27
        if e in (0, n - 1):
            with torch.no_grad():
                acc = (net(test_x).argmax(1) == test_y).float().mean().item()
            zeros = sum((m.weight == 0).sum().item() for m, _ in layers) / sum(m.weight.numel() for m, _ in layers)
            print(f"{tag} epoch {e + 1} loss {total:.4f} test acc {acc:.4f} zeros {zeros:.2f}")


run_epochs(12, "dense")
for round_, amount in enumerate([0.5, 0.5, 0.4, 0.35]):
    prune.global_unstructured(layers, pruning_method=prune.L1Unstructured, amount=amount)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-3)
    with torch.no_grad():
        print(f"round {round_}: right after pruning loss {nn.functional.cross_entropy(net(train_x), train_y).item():.4f}")
    run_epochs(7, f"round {round_}")
