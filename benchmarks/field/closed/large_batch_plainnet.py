# expect: no-warmup
# also: lr-too-high
# about: plain deep ReLU network, big batches and a big momentum-SGD rate from the first step; it never leaves chance
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(21)
protos = torch.randn(40, 16)
lab = torch.randint(40, (5000,))
X, Y = protos[lab] + 0.6 * torch.randn(5000, 16), lab % 8
xv, yv = X[4000:], Y[4000:]
layers = []
for i in range(6):
    lin = nn.Linear(16 if i == 0 else 64, 64)
    nn.init.kaiming_normal_(lin.weight, nonlinearity="relu")
    layers += [lin, nn.ReLU()]
net = nn.Sequential(*layers, nn.Linear(64, 8))
optimizer = torch.optim.SGD(net.parameters(), lr=0.15, momentum=0.9)
lr_lambda = lambda s: 1.0
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda)
for epoch in range(30):
    for b in torch.randperm(4000).split(400):
        loss = F.cross_entropy(net(X[b]), Y[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    if epoch % 3 == 2:
        with torch.no_grad():
            o = net(xv)
        print(f"epoch {epoch + 1} train {loss.item():.3f} val {F.cross_entropy(o, yv).item():.3f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
# cure: - lr_lambda = lambda s: 1.0
# cure: + lr_lambda = lambda s: min(1.0, (s + 1) / 100)
