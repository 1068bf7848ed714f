# expect: healthy
# about: batches of 4 with LayerNorm and a small rate: noisy curve, good result
import torch
from torch import nn
from sklearn.datasets import load_iris

torch.manual_seed(2)
torch.set_num_threads(1)
iris = load_iris()
x = torch.tensor(iris.data, dtype=torch.float32)
x = (x - x.mean(0)) / x.std(0)
t = torch.tensor(iris.target)
perm = torch.randperm(150)
tr, te = perm[:110], perm[110:]
net = nn.Sequential(nn.Linear(4, 24), nn.LayerNorm(24), nn.ReLU(), nn.Linear(24, 3))
sgd = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.5)
for epoch in range(40):
    net.train()
    for b in tr[torch.randperm(110)].split(4):
        sgd.zero_grad()
        loss = nn.functional.cross_entropy(net(x[b]), t[b])
        loss.backward()
        sgd.step()
    if epoch % 5 == 4:
        net.eval()
        with torch.no_grad():
            ltr = nn.functional.cross_entropy(net(x[tr]), t[tr]).item()
            lte = nn.functional.cross_entropy(net(x[te]), t[te]).item()
            acc = (net(x[te]).argmax(1) == t[te]).float().mean().item()
        print(f"{epoch+1:3d} train {ltr:.4f} test {lte:.4f} acc {acc:.3f}")
