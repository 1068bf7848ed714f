# expect: healthy
import logging, warnings
import torch
import torch.nn as nn
import torch.nn.functional as F
import lightning as L
from torch.utils.data import DataLoader, TensorDataset, random_split
from torchmetrics.classification import MulticlassAccuracy
from sklearn.datasets import load_digits

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class DigitsData(L.LightningDataModule):
    def setup(self, stage=None):
        d = load_digits()
        ds = TensorDataset(torch.tensor(d.images).float().unsqueeze(1) / 16, torch.tensor(d.target))
        self.tr, self.va = random_split(ds, [1347, 450])

    def train_dataloader(self):
        return DataLoader(self.tr, batch_size=32, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.va, batch_size=150)


class ResBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c)
        self.c2, self.b2 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c)
        nn.init.zeros_(self.b2.weight)

    def forward(self, x):
        return F.relu(x + self.b2(self.c2(F.relu(self.b1(self.c1(x))))))


class LitNet(L.LightningModule):
    def __init__(self, max_lr=0.01):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), ResBlock(16), nn.MaxPool2d(2), ResBlock(16), nn.Flatten(), nn.Linear(256, 10))
        self.acc = MulticlassAccuracy(num_classes=10)

    def training_step(self, batch, i):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y, label_smoothing=0.1)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        self.acc(self.net(x), y)
        self.log("val_acc", self.acc)

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=1e-3)
        sch = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=self.hparams.max_lr, total_steps=int(self.trainer.estimated_stepping_batches))
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sch, "interval": "step"}}


if __name__ == "__main__":
    L.seed_everything(9)
    tr = L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    tr.fit(LitNet(), DigitsData())
    print("val_acc", tr.callback_metrics["val_acc"].item())
