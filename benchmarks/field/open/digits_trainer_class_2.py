# expect: optimizer-misconfigured
# also: lr-too-low
from dataclasses import dataclass, field
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


@dataclass
class OptimConfig:
    lr: float = 1e-3
    betas: tuple = (0.9, 0.999)
    eps: float = 1.0
    weight_decay: float = 1e-4


@dataclass
class TrainConfig:
    epochs: int = 30
    batch_size: int = 64
    hidden: tuple = (128, 64)
    optim: OptimConfig = field(default_factory=OptimConfig)
    seed: int = 0


class Experiment:
    def __init__(self, cfg: TrainConfig):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        X, y = load_digits(return_X_y=True)
        X = (X - X.mean()) / X.std()
        a, b, c, d = train_test_split(X, y, test_size=0.25, random_state=cfg.seed)
        self.xtr, self.xva = (torch.tensor(v, dtype=torch.float32) for v in (a, b))
        self.ytr, self.yva = torch.tensor(c), torch.tensor(d)
        dims = (64, *cfg.hidden)
        layers = []
        for i, o in zip(dims[:-1], dims[1:]):
            layers += [nn.Linear(i, o), nn.LayerNorm(o), nn.GELU()]
        self.model = nn.Sequential(*layers, nn.Linear(dims[-1], 10))
        oc = cfg.optim
        self.opt = torch.optim.Adam(self.model.parameters(), lr=oc.lr, betas=oc.betas, eps=oc.eps, weight_decay=oc.weight_decay)
        self.loss = nn.CrossEntropyLoss()

    def run_epoch(self):
        self.model.train()
        perm = torch.randperm(len(self.xtr))
        tot = 0.0
        for idx in perm.split(self.cfg.batch_size):
            self.opt.zero_grad()
            l = self.loss(self.model(self.xtr[idx]), self.ytr[idx])
            l.backward()
            self.opt.step()
            tot += l.item() * len(idx)
        return tot / len(self.xtr)

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        o = self.model(self.xva)
        return self.loss(o, self.yva).item(), (o.argmax(1) == self.yva).float().mean().item()

    def run(self):
        for e in range(self.cfg.epochs):
            tl = self.run_epoch()
            vl, acc = self.evaluate()
            if e % 5 == 4:
                print(f"epoch {e+1:3d} | train {tl:.4f} | val {vl:.4f} | acc {acc:.3f}")


if __name__ == "__main__":
    Experiment(TrainConfig()).run()
