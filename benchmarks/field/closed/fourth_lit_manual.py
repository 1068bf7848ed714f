# expect: healthy
import torch
import torch.nn.functional as F
import lightning.pytorch as pl
from lightning.pytorch.callbacks import EarlyStopping
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SemiAE(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.enc = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 12))
        self.dec = nn.Sequential(nn.ReLU(), nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64))
        self.clf = nn.Sequential(nn.ReLU(), nn.Linear(12, 10))

    def training_step(self, batch, batch_idx):
        x, y = batch
        opt_ae, opt_clf = self.optimizers()
        if batch_idx % 2 == 0:
            loss = F.mse_loss(self.dec(self.enc(x)), x)
            opt = opt_ae
        else:
            loss = F.cross_entropy(self.clf(self.enc(x)), y)
            opt = opt_clf
        opt.zero_grad()
        self.manual_backward(loss)
        opt.step()

    def validation_step(self, batch, _):
        x, y = batch
        z = self.enc(x)
        out = self.clf(z)
        self.log_dict({"val_rec": F.mse_loss(self.dec(z), x), "val_ce": F.cross_entropy(out, y),
                       "val_acc": (out.argmax(1) == y).float().mean()})

    def configure_optimizers(self):
        ae = torch.optim.Adam([*self.enc.parameters(), *self.dec.parameters()], lr=1e-3)
        clf = torch.optim.Adam([*self.enc.parameters(), *self.clf.parameters()], lr=1e-3)
        return ae, clf


pl.seed_everything(0)
d = load_digits()
x, y = torch.tensor(d.data / 16).float(), torch.tensor(d.target)
p = torch.randperm(len(y))
mk = lambda i, s: DataLoader(TensorDataset(x[i], y[i]), 32, shuffle=s)
trainer = pl.Trainer(max_epochs=200, logger=False, enable_checkpointing=False, accelerator="cpu",
                     callbacks=[EarlyStopping("val_ce", patience=3, min_delta=0.005)],
                     enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
model = SemiAE()
trainer.fit(model, mk(p[:1400], True), mk(p[1400:], False))
print("stopped after epoch", trainer.current_epoch)
print({k: v.item() for k, v in trainer.callback_metrics.items()})
