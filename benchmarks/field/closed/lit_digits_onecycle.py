# expect: healthy
# about: Lightning CNN on digits with OneCycle per step, dropout and early checkpoint of the best epoch
import logging
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.set_num_threads(1)
L.seed_everything(7, verbose=False)


class DigitsModule(L.LightningDataModule):
    def setup(self, stage=None):
        d = load_digits()
        x, y = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16, torch.tensor(d.target)
        p = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
        self.tr, self.va = TensorDataset(x[p[:1400]], y[p[:1400]]), TensorDataset(x[p[1400:]], y[p[1400:]])

    def train_dataloader(self):
        return DataLoader(self.tr, batch_size=56, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.va, batch_size=400)


class Lit(L.LightningModule):
    def __init__(self, max_lr=8e-3):
        super().__init__()
        self.max_lr = max_lr
        self.net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.3), nn.Linear(128, 10))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        o = self.net(x)
        self.log("val_loss", F.cross_entropy(o, y))
        self.log("val_acc", (o.argmax(1) == y).float().mean())

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.max_lr, weight_decay=1e-2)
        sched = torch.optim.lr_scheduler.OneCycleLR(opt, self.max_lr, total_steps=int(self.trainer.estimated_stepping_batches))
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


trainer = L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=1)
trainer.fit(Lit(), datamodule=DigitsModule())
