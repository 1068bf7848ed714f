# expect: healthy
import logging
import warnings
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import lightning as L

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(7, verbose=False)


def pulses(n):
    t = torch.linspace(0, 1, 64)
    c = torch.rand(n, 1) * 0.6 + 0.2
    w = torch.rand(n, 1) * 0.05 + 0.03
    a = torch.rand(n, 1) + 0.5
    clean = a * torch.exp(-((t - c) / w) ** 2)
    return clean + 0.1 * torch.randn(n, 64), clean


class DenoisingAE(L.LightningModule):
    def __init__(self, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 6))
        self.decoder = nn.Sequential(nn.Linear(6, 64), nn.GELU(), nn.Linear(64, 64))

    def forward(self, x):
        return self.decoder(self.encoder(x))

    def training_step(self, batch, _):
        x, _ = batch
        loss = nn.functional.mse_loss(self(x), x)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, clean = batch
        out = self(x)
        self.log("val_loss", nn.functional.mse_loss(out, x))
        self.log("val_clean", nn.functional.mse_loss(out, clean))

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        if self.current_epoch % 5 == 0:
            print(f"epoch {self.current_epoch} val {m['val_loss']:.5f} clean {m['val_clean']:.5f}")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        sch = torch.optim.lr_scheduler.OneCycleLR(opt, 2e-3 * 2, total_steps=self.trainer.estimated_stepping_batches)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sch, "interval": "step"}}


train = DataLoader(TensorDataset(*pulses(3000)), batch_size=64, shuffle=True)
vx, vc = pulses(600)
val = DataLoader(TensorDataset(vx, vc), batch_size=200)
model = DenoisingAE()
trainer = L.Trainer(max_epochs=30, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(model, train, val)
print("noise floor 0.0100, variance of data %.4f" % vx.var().item())
print("val", float(trainer.callback_metrics["val_loss"]))
