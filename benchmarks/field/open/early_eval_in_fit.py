# expect: train-mode-missing
# about: model.train() is called once before the loop, model.eval() in each validation: dropout is off from epoch 2
import torch
from sklearn.datasets import make_classification
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = make_classification(700, 60, n_informative=8, n_redundant=0, flip_y=0.15, class_sep=1.2, random_state=5)
X, y = torch.tensor(X).float(), torch.tensor(y)
net = nn.Sequential(nn.Dropout(0.4), nn.Linear(60, 256), nn.ReLU(), nn.Dropout(0.6), nn.Linear(256, 2))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
ce = nn.CrossEntropyLoss()
net.train()
for epoch in range(35):
    total = 0.0
    for b in torch.randperm(250).split(25):
        opt.zero_grad()
        loss = ce(net(X[b]), y[b])
        loss.backward()
        opt.step()
        total += loss.item() / 10
    net.eval()
    with torch.no_grad():
        o = net(X[250:])
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1} train {total:.4f} val {ce(o, y[250:]).item():.4f} acc {(o.argmax(1) == y[250:]).float().mean().item():.3f}")
# cure: - total = 0.0
# cure: + total = 0.0
# cure: + net.train()
