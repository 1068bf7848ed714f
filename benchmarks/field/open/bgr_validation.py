# expect: train-val-mismatch
# about: training images are RGB, validation images come from a reader that gives BGR
import torch
import torch.nn as nn

torch.manual_seed(2)
torch.set_num_threads(1)


def picture(kind):
    img = torch.rand(3, 10, 10) * 0.4
    r, c = torch.randint(0, 6, (2,)).tolist()
    ch = {0: 0, 1: 1, 2: 2, 3: 0}[kind]
    img[ch, r : r + 4, c : c + 4] += 0.5
    if kind == 3:
        img[1, r : r + 4, c : c + 4] += 0.5
    return img


def read_rgb(kind):
    return (picture(kind) - 0.25) / 0.2


def read_cv(kind):
    return read_rgb(kind).flip(0)


kinds = torch.randint(0, 4, (1500,))
xt = torch.stack([read_rgb(int(k)) for k in kinds[:1200]])
xv = torch.stack([read_cv(int(k)) for k in kinds[1200:]])
yt, yv = kinds[:1200], kinds[1200:]
net = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for ep in range(8):
    tr = 0.0
    for b in torch.randperm(1200).split(40):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(xt[b]), yt[b])
        loss.backward()
        opt.step()
        tr += loss.item() / 30
    with torch.no_grad():
        o = net(xv)
    print(f"epoch {ep} train_loss {tr:.4f} val_loss {nn.functional.cross_entropy(o, yv).item():.4f} val_acc {(o.argmax(1) == yv).float().mean().item():.3f}")
# cure: - return read_rgb(kind).flip(0)
# cure: + return read_rgb(kind)
