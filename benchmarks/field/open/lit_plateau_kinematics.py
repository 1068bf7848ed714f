# expect: healthy
# about: Lightning module for robot-arm forward kinematics, ReduceLROnPlateau on the validation loss, self.log everywhere
import logging
import warnings

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.set_num_threads(1)
pl.seed_everything(2, verbose=False)


def arm(q):
    a = q.cumsum(1)
    links = torch.tensor([1.0, 0.8, 0.5])
    return torch.stack([(links * a.cos()).sum(1), (links * a.sin()).sum(1)], 1)


class ArmData(pl.LightningDataModule):
    def setup(self, stage=None):
        q = (torch.rand(4000, 3) * 2 - 1) * 1.6
        p = arm(q) + 0.01 * torch.randn(4000, 2)
        self.train, self.val = TensorDataset(q[:3200], p[:3200]), TensorDataset(q[3200:], p[3200:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=80, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=400)


class ArmNet(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 96), nn.GELU(), nn.Linear(96, 96), nn.GELU(), nn.Linear(96, 2))

    def training_step(self, batch, _):
        q, p = batch
        loss = nn.functional.smooth_l1_loss(self.net(q), p, beta=0.1)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        q, p = batch
        out = self.net(q)
        self.log("val_loss", nn.functional.smooth_l1_loss(out, p, beta=0.1), on_epoch=True)
        self.log("val_mm", 1000 * (out - p).norm(dim=1).mean(), on_epoch=True)

    def on_validation_epoch_end(self):
        if not self.trainer.sanity_checking and self.current_epoch % 6 == 5:
            m = self.trainer.callback_metrics
            print(f"epoch {self.current_epoch + 1} val {m['val_loss']:.6f} mean error {m['val_mm']:.1f} mm lr {self.optimizers().param_groups[0]['lr']:.5f}")

    def configure_optimizers(self):
        opt = torch.optim.NAdam(self.parameters(), lr=4e-3)
        sch = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=1)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sch, "monitor": "val_loss"}}


model = ArmNet()
trainer = pl.Trainer(max_epochs=36, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
trainer.fit(model, ArmData())
q = (torch.rand(500, 3) * 2 - 1) * 1.6
print("median error without measurement noise (mm):", round(1000 * (model.net(q) - arm(q)).norm(dim=1).median().item(), 2), "| arm reach 2300 mm")
