# expect: train-val-mismatch
# also: noisy-labels
# about: string labels encoded by order of appearance, separately for train and validation
import torch
from torch import nn
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split


def encode(strings, table=None):
    table = table if table is not None else {s: i for i, s in enumerate(dict.fromkeys(strings))}
    return torch.tensor([table[s] for s in strings]), table


torch.manual_seed(0)
torch.set_num_threads(1)
wine = load_wine()
names = [["barolo", "grignolino", "barbera"][t] for t in wine.target]
X = (wine.data - wine.data.mean(0)) / wine.data.std(0)
X_tr, X_va, n_tr, n_va = train_test_split(X, names, test_size=0.3, random_state=2)
y_tr, table = encode(n_tr)
y_va, _ = encode(n_va)
X_tr, X_va = torch.tensor(X_tr).float(), torch.tensor(X_va).float()
net = nn.Sequential(nn.Linear(13, 20), nn.ReLU(), nn.Linear(20, 3))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(30):
    net.train()
    for b in torch.randperm(len(X_tr)).split(12):
        loss = nn.functional.cross_entropy(net(X_tr[b]), y_tr[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        o = net(X_va)
        if epoch % 3 == 2:
            print(epoch + 1, "train", round(loss.item(), 4), "val", round(nn.functional.cross_entropy(o, y_va).item(), 4), "acc", round((o.argmax(1) == y_va).float().mean().item(), 3))
# cure: - y_va, _ = encode(n_va)
# cure: + y_va, _ = encode(n_va, table)
