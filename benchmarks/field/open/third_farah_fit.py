# expect: batch-too-large
# also: undertrained,lr-too-low
import logging, warnings
import torch
import torch.nn as nn
import lightning as L
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import make_friedman1
warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Tab(L.LightningDataModule):
    def __init__(self, batch_size=4000):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        X, y = make_friedman1(20000, noise=0.5, random_state=9)
        X = torch.tensor((X - 0.5) / 0.29).float()
        y = torch.tensor((y - y.mean()) / y.std()).float().unsqueeze(1)
        self.tr, self.va = TensorDataset(X[:16000], y[:16000]), TensorDataset(X[16000:], y[16000:])

    def train_dataloader(self):
        return DataLoader(self.tr, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.va, batch_size=2000)


class Reg(L.LightningModule):
    def __init__(self, lr=3e-4):
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def training_step(self, batch, i):
        loss = nn.functional.mse_loss(self.net(batch[0]), batch[1])
        self.log("train_mse", loss)
        return loss

    def validation_step(self, batch, i):
        self.log("val_mse", nn.functional.mse_loss(self.net(batch[0]), batch[1]))

    def on_validation_epoch_end(self):
        print(self.current_epoch, {k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)


if __name__ == "__main__":
    L.seed_everything(0)
    t = L.Trainer(max_epochs=30, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    t.fit(Reg(), Tab())
    print("val_mse", t.callback_metrics["val_mse"].item())
