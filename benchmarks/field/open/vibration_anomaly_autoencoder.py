# expect: healthy
# about: company-style anomaly detector: dense autoencoder on spectra of healthy pumps only, threshold from validation, AUROC on mixed data
import logging
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("pump-monitor")


@dataclass
class Config:
    bins: int = 64
    latent: int = 6
    batch_size: int = 64
    epochs: int = 30
    lr: float = 4e-3
    seed: int = 31


def spectra(rng: np.random.Generator, n: int, bins: int, faulty: bool) -> np.ndarray:
    f = np.arange(bins)
    speed, load = rng.uniform(8, 12, (n, 1)), rng.uniform(0.5, 1.5, (n, 1))
    s = np.zeros((n, bins))
    for h in (1, 2, 3):
        s += load / h * np.exp(-((f - h * speed) ** 2) / 3)
    s += 0.3 * load * np.exp(-f / 20)
    if faulty:
        s += rng.uniform(0.15, 0.6, (n, 1)) * np.exp(-((f - rng.uniform(2.3, 4.7, (n, 1)) * speed) ** 2) / 2)
    return np.log(0.05 + np.abs(s + rng.normal(0, 0.02, s.shape)))


class AutoEncoder(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(cfg.bins, 48), nn.SiLU(), nn.Linear(48, 24), nn.SiLU(), nn.Linear(24, cfg.latent))
        self.decode = nn.Sequential(nn.Linear(cfg.latent, 24), nn.SiLU(), nn.Linear(24, 48), nn.SiLU(), nn.Linear(48, cfg.bins))

    def forward(self, x: Tensor) -> Tensor:
        return self.decode(self.encode(x))


def run(cfg: Config) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    train, val = spectra(rng, 3000, cfg.bins, False), spectra(rng, 600, cfg.bins, False)
    good, bad = spectra(rng, 500, cfg.bins, False), spectra(rng, 500, cfg.bins, True)
    mean, std = train.mean(0), train.std(0)
    prep = lambda a: torch.tensor((a - mean) / std, dtype=torch.float32)
    loader = DataLoader(TensorDataset(prep(train)), cfg.batch_size, shuffle=True, drop_last=True)
    model = AutoEncoder(cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, cfg.epochs)
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        losses = []
        for (x,) in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.mse_loss(model(x), x)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        scheduler.step()
        if epoch % 5 == 0:
            model.eval()
            with torch.no_grad():
                v = prep(val)
                vloss = nn.functional.mse_loss(model(v), v).item()
            log.info("epoch %d train %.4f val %.4f", epoch, float(np.mean(losses)), vloss)
    with torch.no_grad():
        err = lambda a: ((model(prep(a)) - prep(a)) ** 2).mean(1).numpy()
        limit = np.quantile(err(val), 0.99)
        scores = np.concatenate([err(good), err(bad)])
    truth = np.r_[np.zeros(500), np.ones(500)]
    log.info("AUROC %.4f, alarms on good %.3f, on bad %.3f", roc_auc_score(truth, scores), (scores[:500] > limit).mean(), (scores[500:] > limit).mean())


if __name__ == "__main__":
    run(Config())
