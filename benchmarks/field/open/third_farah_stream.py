# expect: healthy
import logging, warnings
import torch
import torch.nn as nn
import lightning as L
from torch.utils.data import IterableDataset, DataLoader
warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class SensorStream(IterableDataset):
    def __init__(self, n, seed):
        self.n, self.seed = n, seed

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        for _ in range(self.n):
            x = torch.randn(6, generator=g)
            y = torch.sin(2 * x[0]) + x[1] * x[2] + 0.5 * (x[3] > 0).float() + 0.1 * torch.randn((), generator=g)
            yield x, y.unsqueeze(0)


class Regressor(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

    def training_step(self, batch, idx):
        x, y = batch
        opt = self.optimizers()
        loss = nn.functional.mse_loss(self.net(x), y)
        self.manual_backward(loss / 2)
        if (idx + 1) % 2 == 0:
            opt.step()
            opt.zero_grad()

    def validation_step(self, batch, idx):
        x, y = batch
        self.log("val_mse", nn.functional.mse_loss(self.net(x), y))

    def configure_optimizers(self):
        return torch.optim.RAdam(self.parameters(), lr=4e-3)


L.seed_everything(1)
trainer = L.Trainer(max_epochs=8, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(Regressor(), DataLoader(SensorStream(20000, 0), batch_size=32), DataLoader(SensorStream(2000, 1), batch_size=200))
print("val_mse", trainer.callback_metrics["val_mse"].item(), "noise 0.01, target variance about 2.5")
