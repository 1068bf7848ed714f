# expect: noisy-labels
# about: labels read from a file in numeric order, images listed in alphabetical order (img_10 before img_2)
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset

torch.manual_seed(0)
torch.set_num_threads(1)
raw = load_digits()
store = {f"img_{i}.png": raw.images[i] for i in range(len(raw.images))}
labels_csv = [(f"img_{i}.png", int(raw.target[i])) for i in range(len(raw.target))]


class FolderDigits(Dataset):
    def __init__(self):
        self.files = sorted(store)
        self.labels = [label for _, label in labels_csv]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.tensor(store[self.files[i]], dtype=torch.float32).unsqueeze(0) / 16, self.labels[i]


data = FolderDigits()
ids = torch.randperm(len(data)).tolist()
train = DataLoader(Subset(data, ids[:1400]), batch_size=70, shuffle=True)
valid = DataLoader(Subset(data, ids[1400:]), batch_size=397)
net = nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.Conv2d(12, 24, 3), nn.ReLU(), nn.Flatten(), nn.Linear(384, 48), nn.ReLU(), nn.Linear(48, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
ce = nn.CrossEntropyLoss()
for epoch in range(15):
    seen = right = 0
    for x, y in train:
        out = net(x)
        loss = ce(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen += len(y)
        right += (out.argmax(1) == y).sum().item()
    with torch.no_grad():
        x, y = next(iter(valid))
        o = net(x)
    print(f"Epoch {epoch + 1} | loss {loss.item():.3f} | train acc {right / seen:.3f} | val loss {ce(o, y).item():.3f} | val acc {(o.argmax(1) == y).float().mean().item():.3f}")
# cure: - self.labels = [label for _, label in labels_csv]
# cure: + self.labels = [label for _, label in sorted(labels_csv)]
