# expect: noisy-labels
# also: train-val-mismatch
# about: a Dataset whose image list is filtered but whose label list is not, so labels slide out of step
import torch
from torch import nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset


class CleanDigits(Dataset):
    """Leaves out nearly empty scans."""

    def __init__(self, images, labels, min_ink):
        keep = images.sum((1, 2)) > min_ink
        self.images = images[keep]
        self.labels = labels

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i].flatten(), self.labels[i]


torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
images, labels = torch.tensor(d.images).float() / 16, torch.tensor(d.target)
perm = torch.randperm(len(images))
images, labels = images[perm], labels[perm]
train = DataLoader(CleanDigits(images[:1400], labels[:1400], 17.0), batch_size=32, shuffle=True)
val = DataLoader(CleanDigits(images[1400:], labels[1400:], 17.0), batch_size=128)
net = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for epoch in range(12):
    net.train()
    s = 0.0
    for x, y in train:
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item()
    net.eval()
    with torch.no_grad():
        res = [(nn.functional.cross_entropy(net(x), y).item(), (net(x).argmax(1) == y).float().mean().item()) for x, y in val]
    print("epoch", epoch, "train %.4f" % (s / len(train)), "val %.4f acc %.3f" % tuple(sum(r) / len(res) for r in zip(*res)))
# cure: - self.labels = labels
# cure: + self.labels = labels[keep]
