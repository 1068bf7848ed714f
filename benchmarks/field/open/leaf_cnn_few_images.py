# expect: overfitting
# about: CNN on 60 noisy 12x12 images for 150 epochs without augmentation or early stop
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(12)
torch.set_num_threads(1)


def leaves(n):
    y = torch.randint(0, 3, (n,))
    img = torch.randn(n, 1, 12, 12)
    for k in range(n):
        r, c = torch.randint(0, 7, (2,)).tolist()
        if y[k] == 0:
            img[k, 0, r : r + 5, c + 2] += 1.6
        elif y[k] == 1:
            img[k, 0, r + 2, c : c + 5] += 1.6
        else:
            img[k, 0, range(r, r + 5), range(c, c + 5)] += 1.6
    return img, y


xt, yt = leaves(60)
xv, yv = leaves(400)


class LeafNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(1, 32, 3, padding=1)
        self.b = nn.Conv2d(32, 32, 3, padding=1)
        self.fc = nn.Linear(32 * 36, 128)
        self.out = nn.Linear(128, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.b(F.relu(self.a(x)))), 2)
        return self.out(F.relu(self.fc(x.flatten(1))))


def stream(step):
    return xt[idx], yt[idx]


model = LeafNet()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(1, 501):
    idx = torch.randint(0, 60, (20,))
    xb, yb = stream(step)
    loss = F.cross_entropy(model(xb), yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 0:
        with torch.no_grad():
            o = model(xv)
            print(f"step {step} train {loss.item():.4f} val {F.cross_entropy(o, yv).item():.4f} val acc {(o.argmax(1) == yv).float().mean().item():.3f}")
# cure: - return xt[idx], yt[idx]
# cure: + return leaves(20)
