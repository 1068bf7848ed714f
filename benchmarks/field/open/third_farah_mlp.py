# expect: lr-too-low
import logging, warnings
import torch
import torch.nn as nn
import lightning as L
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits
from torchmetrics.classification import MulticlassAccuracy
warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class LitMLP(L.LightningModule):
    def __init__(self, hidden=128, lr=1e-5):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 10))
        self.acc = MulticlassAccuracy(num_classes=10, average="micro")

    def step(self, batch, name):
        x, y = batch
        o = self.net(x)
        loss = nn.functional.cross_entropy(o, y)
        self.log(f"{name}_loss", loss, on_epoch=True)
        return loss, o, y

    def training_step(self, batch, i):
        return self.step(batch, "train")[0]

    def validation_step(self, batch, i):
        _, o, y = self.step(batch, "val")
        self.acc(o, y)
        self.log("val_acc", self.acc)

    def on_validation_epoch_end(self):
        print("epoch", self.current_epoch, {k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


if __name__ == "__main__":
    L.seed_everything(3)
    d = load_digits()
    x, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
    p = torch.randperm(len(x))
    tr = DataLoader(TensorDataset(x[p[:1300]], y[p[:1300]]), batch_size=32, shuffle=True)
    va = DataLoader(TensorDataset(x[p[1300:]], y[p[1300:]]), batch_size=250)
    t = L.Trainer(max_epochs=14, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    t.fit(LitMLP(), tr, va)
    print("val_acc", t.callback_metrics["val_acc"].item())
