# expect: healthy
import os
import tempfile
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits

REGISTRY = {}


def register(cls):
    REGISTRY[cls.__name__.lower()] = cls
    return cls


class PretrainedMixin:
    @classmethod
    def from_pretrained(cls, folder, **kw):
        blob = torch.load(os.path.join(folder, "model.pt"), weights_only=True)
        m = cls(**kw)
        own = m.state_dict()
        own.update({k: v for k, v in blob.items() if k in own and own[k].shape == v.shape})
        m.load_state_dict(own)
        return m

    def save_pretrained(self, folder):
        torch.save(self.state_dict(), os.path.join(folder, "model.pt"))


@register
class SmallNet(nn.Module, PretrainedMixin):
    def __init__(self, n_classes=10):
        super().__init__()
        self.register_buffer("mean", torch.zeros(1, 1, 8, 8))
        self.register_buffer("scale", torch.ones(()))
        self.stem = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.layer1 = nn.Sequential(nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.BatchNorm2d(32), nn.ReLU())
        self.layer2 = nn.Sequential(nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU())
        self.classifier = nn.Linear(32 * 16, n_classes)

    def freeze_until(self, name):
        for n, child in self.named_children():
            if n == name:
                break
            for p in child.parameters():
                p.requires_grad_(False)
        return self

    def forward(self, x):
        x = (x - self.mean) / self.scale
        return self.classifier(self.layer2(self.layer1(self.stem(x))).flatten(1))


class Engine:
    def __init__(self, model, lr):
        self.model = model
        self.opt = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), lr=lr)

    def train(self, loader):
        self.model.train()
        s = 0
        for x, y in loader:
            self.opt.zero_grad()
            loss = nn.functional.cross_entropy(self.model(x), y)
            loss.backward()
            self.opt.step()
            s += loss.item()
        return s / len(loader)

    @torch.inference_mode()
    def test(self, loader):
        self.model.eval()
        return sum((self.model(x).argmax(1) == y).sum().item() for x, y in loader) / len(loader.dataset)


if __name__ == "__main__":
    torch.manual_seed(31)
    d = load_digits()
    x, y = torch.tensor(d.images).float().unsqueeze(1), torch.tensor(d.target)
    i = torch.randperm(len(x))
    tr, te = i[:1300], i[1300:]
    src = SmallNet(n_classes=2)
    src.mean.copy_(x[tr].mean(0, keepdim=True))
    src.scale.copy_(x[tr].std())
    # source task: odd or even
    ys = (y % 2)
    e = Engine(src, 2e-3)
    dl = DataLoader(TensorDataset(x[tr], ys[tr]), batch_size=50, shuffle=True)
    for ep in range(6):
        print("source", ep, e.train(dl))
    with tempfile.TemporaryDirectory() as tmp:
        src.save_pretrained(tmp)
        net = REGISTRY["smallnet"].from_pretrained(tmp, n_classes=10).freeze_until("layer2")
    e = Engine(net, 1e-3)
    dl = DataLoader(TensorDataset(x[tr], y[tr]), batch_size=50, shuffle=True)
    tl = DataLoader(TensorDataset(x[te], y[te]), batch_size=100)
    for ep in range(12):
        print("target", ep, e.train(dl), e.test(tl))
