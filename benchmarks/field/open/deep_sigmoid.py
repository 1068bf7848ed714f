# expect: vanishing-gradients
# about: ten sigmoid layers, default initialisation
# also: saturated-activations
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
X, y = torch.tensor(d.data).float() / 16 - 0.3, torch.tensor(d.target)
p = torch.randperm(len(X))
tr, va = p[:1400], p[1400:]
act = nn.Sigmoid
layers = [nn.Linear(64, 48), act()]
for _ in range(8):
    layers += [nn.Linear(48, 48), act()]
layers += [nn.Linear(48, 10)]
net = nn.Sequential(*layers)
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for epoch in range(14):
    for b in tr[torch.randperm(1400)].split(32):
        loss = nn.functional.cross_entropy(net(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = net(X[va])
    print(epoch, round(loss.item(), 4), "val", round(nn.functional.cross_entropy(o, y[va]).item(), 4), "acc", round((o.argmax(1) == y[va]).float().mean().item(), 3))
# cure: - act = nn.Sigmoid
# cure: + act = nn.ReLU
# cure: - net = nn.Sequential(*layers)
# cure: + net = nn.Sequential(*layers)
# cure: + [nn.init.kaiming_normal_(m.weight, nonlinearity="relu") for m in layers if isinstance(m, nn.Linear)]
