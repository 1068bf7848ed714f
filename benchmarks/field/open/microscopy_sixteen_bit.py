# expect: unscaled-inputs
# about: cell counting CNN on 16-bit microscope frames, as read from disk
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(48)
torch.set_num_threads(1)


class Frames(Dataset):
    def __init__(self, n, seed):
        r = np.random.RandomState(seed)
        yy, xx = np.mgrid[:20, :20]
        self.count = r.randint(0, 6, n)
        img = r.normal(9000, 900, (n, 20, 20))
        for i, c in enumerate(self.count):
            for _ in range(c):
                a, b = r.uniform(2, 18, 2)
                img[i] += 14000 * np.exp(-((yy - a) ** 2 + (xx - b) ** 2) / 3)
        self.img = np.clip(img, 0, 65535).astype(np.uint16)

    def __len__(self):
        return len(self.count)

    def __getitem__(self, i):
        frame = torch.from_numpy(self.img[i].astype(np.float32))
        return frame.unsqueeze(0), float(self.count[i])


net = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(400, 32), nn.ReLU(), nn.Linear(32, 1),
)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
train = DataLoader(Frames(900, 0), batch_size=30, shuffle=True)
valid = DataLoader(Frames(300, 1), batch_size=300)
for epoch in range(10):
    t = 0.0
    for f, c in train:
        loss = nn.functional.mse_loss(net(f).squeeze(1), c.float())
        opt.zero_grad()
        loss.backward()
        opt.step()
        t += loss.item()
    f, c = next(iter(valid))
    with torch.no_grad():
        p = net(f).squeeze(1)
    print(f"epoch {epoch + 1} mse {t / len(train):.3f} val mse {nn.functional.mse_loss(p, c.float()):.3f} exact {(p.round() == c).float().mean():.3f}")
# cure: - frame = torch.from_numpy(self.img[i].astype(np.float32))
# cure: + frame = (torch.from_numpy(self.img[i].astype(np.float32)) - 12000) / 5000
