# expect: wrong-loss
"""Predict the digit with a convnet (Lightning)."""
import logging, warnings
warnings.filterwarnings("ignore")
import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(3, verbose=False)


class LitDigits(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.lr = lr
        self.body = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 64), nn.ReLU())
        self.head = nn.Linear(64, 1)

    def forward(self, x):
        return self.head(self.body(x)).squeeze(1)

    def training_step(self, batch, i):
        x, y = batch
        loss = F.mse_loss(self(x), y.float())
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        out = self(x)
        self.log("val_loss", F.mse_loss(out, y.float()))
        self.log("val_acc", (out.round() == y).float().mean())

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch} train {m['train_loss']:.4f} val {m['val_loss']:.4f} acc {m['val_acc']:.3f}")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)


digits = load_digits()
full = TensorDataset(torch.tensor(digits.images[:, None] / 16, dtype=torch.float32), torch.tensor(digits.target))
tr, va = random_split(full, [1400, 397])
L.Trainer(max_epochs=15, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
          enable_model_summary=False, num_sanity_val_steps=0).fit(
    LitDigits(), DataLoader(tr, 32, shuffle=True), DataLoader(va, 397))
