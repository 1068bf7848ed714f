# expect: healthy
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


class CancerData(L.LightningDataModule):
    def __init__(self, batch_size=32):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        X, y = load_breast_cancer(return_X_y=True)
        a, b, c, d = train_test_split(X, y, test_size=0.3, random_state=7)
        sc = StandardScaler().fit(a)
        f = lambda q: torch.tensor(sc.transform(q), dtype=torch.float32)
        g = lambda q: torch.tensor(q, dtype=torch.float32)
        self.train_ds = TensorDataset(f(a), g(c))
        self.val_ds = TensorDataset(f(b), g(d))

    def train_dataloader(self):
        return DataLoader(self.train_ds, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_ds, batch_size=256)


class CancerNet(L.LightningModule):
    def __init__(self, hidden=32, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(30, hidden), nn.BatchNorm1d(hidden), nn.SiLU(), nn.Dropout(0.2), nn.Linear(hidden, 1)
        )
        self.loss = nn.BCEWithLogitsLoss()

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, _):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        z = self(x)
        self.log("val_loss", self.loss(z, y))
        self.log("val_acc", ((z > 0).float() == y).float().mean(), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


if __name__ == "__main__":
    L.seed_everything(3)
    trainer = L.Trainer(max_epochs=25, logger=False, enable_checkpointing=False, accelerator="cpu",
                        enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(CancerNet(), datamodule=CancerData())
    print({k: round(float(v), 4) for k, v in trainer.callback_metrics.items()})
