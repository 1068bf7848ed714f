# expect: healthy
# about: Lightning with a data module: bearing vibration windows, 1-d CNN, early stopping on validation loss and the checkpointed best restored
import logging
import tempfile
import warnings

import lightning as L
import numpy as np
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.set_num_threads(1)
L.seed_everything(2, verbose=False)


class Bearings(L.LightningDataModule):
    def setup(self, stage=None):
        rng = np.random.default_rng(2)
        n, t = 1500, np.arange(256) / 2000
        y = rng.integers(0, 4, n)
        x = rng.normal(0, 1.0, (n, 256))
        rpm = rng.uniform(24, 31, n)
        for i in range(n):
            x[i] += 0.8 * np.sin(2 * np.pi * rpm[i] * t + rng.uniform(0, 6))
            if y[i]:
                rate = rpm[i] * (3.6, 5.4, 2.3)[y[i] - 1]
                phase = (t * rate + rng.random()) % 1.0
                x[i] += 3.0 * np.exp(-phase / rate * 350) * np.sin(2 * np.pi * 420 * phase / rate)
        x = torch.tensor(x[:, None], dtype=torch.float32)
        x = (x - x[:1100].mean()) / x[:1100].std()
        y = torch.tensor(y)
        self.train, self.val = TensorDataset(x[:1100], y[:1100]), TensorDataset(x[1100:], y[1100:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=32, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=200)


class FaultNet(L.LightningModule):
    def __init__(self, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Conv1d(1, 16, 15, stride=2, padding=7), nn.BatchNorm1d(16), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(16, 32, 9, padding=4), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(32, 32, 9, padding=4), nn.BatchNorm1d(32), nn.ReLU(),
            nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Dropout(0.3), nn.Linear(128, 4),
        )

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self(x)
        self.log("val_loss", nn.functional.cross_entropy(out, y))
        self.log("val_acc", (out.argmax(1) == y).float().mean())

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch} val {float(m['val_loss']):.4f} acc {float(m['val_acc']):.4f}")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-2)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(opt, 8)}


with tempfile.TemporaryDirectory() as folder:
    keep = ModelCheckpoint(folder, monitor="val_loss", save_top_k=1)
    trainer = L.Trainer(
        max_epochs=8, accelerator="cpu", logger=False, enable_progress_bar=False, enable_model_summary=False,
        num_sanity_val_steps=0, callbacks=[EarlyStopping("val_loss", patience=4), keep],
    )
    trainer.fit(FaultNet(), datamodule=Bearings())
    print(f"best val loss {float(keep.best_model_score):.4f}")
