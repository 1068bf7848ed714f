# expect: eval-mode-missing
# about: BatchNorm in training mode while the validation set comes class by class
import torch
from torch import nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
images, labels = torch.tensor(d.images).float()[:, None] / 16, torch.tensor(d.target)
p = torch.randperm(len(images))
tr, va = p[:1397], p[1397:]
va = va[labels[va].argsort()]
conv = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())
net = nn.Sequential(conv(1, 12), nn.MaxPool2d(2), conv(12, 24), nn.Flatten(), nn.Linear(24 * 16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 10))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)


@torch.no_grad()
def validate():
    loss = hits = 0
    for b in va.split(40):
        out = net(images[b])
        loss += nn.functional.cross_entropy(out, labels[b], reduction="sum").item()
        hits += (out.argmax(1) == labels[b]).sum().item()
    return loss / len(va), hits / len(va)


for epoch in range(7):
    net.train()
    for b in tr[torch.randperm(len(tr))].split(64):
        loss = nn.functional.cross_entropy(net(images[b]), labels[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"epoch {epoch} loss {loss.item():.4f} val %.4f acc %.4f" % validate())
# cure: - loss = hits = 0
# cure: + net.eval()
# cure: + loss = hits = 0
