# expect: overfitting
# also: undertrained
import lightning as L
import torch
import torchmetrics
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class DigitsDM(L.LightningDataModule):
    def __init__(self, bs=32):
        super().__init__()
        self.bs = bs

    def setup(self, stage):
        d = load_digits()
        x = torch.tensor(d.images / 16, dtype=torch.float32).unsqueeze(1)
        y = torch.tensor(d.target)
        tr, va = train_test_split(range(len(y)), train_size=0.02, random_state=0, stratify=d.target)
        self.tr, self.va = TensorDataset(x[tr], y[tr]), TensorDataset(x[va], y[va])

    def train_dataloader(self):
        return DataLoader(self.tr, self.bs, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.va, 512)


class LitCNN(L.LightningModule):
    def __init__(self, n=10):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
                                 nn.Flatten(), nn.Linear(512, n))
        self.acc = torchmetrics.Accuracy("multiclass", num_classes=n)
        self.crit = nn.CrossEntropyLoss()

    def training_step(self, b, i):
        loss = self.crit(self.net(b[0]), b[1])
        self.log("loss", loss, prog_bar=True)
        return loss

    def validation_step(self, b, i):
        z = self.net(b[0])
        self.acc(z, b[1])
        self.log("val_loss", self.crit(z, b[1]))
        self.log("val_acc", self.acc)

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), 2e-3)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(opt, 15)}


if __name__ == "__main__":
    L.seed_everything(0)
    tr = L.Trainer(max_epochs=15, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                   log_every_n_steps=1)
    tr.fit(LitCNN(), datamodule=DigitsDM())
    val = tr.callback_metrics["val_acc"].item()
    print("val_acc", val)
