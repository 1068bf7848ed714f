# expect: detached-graph
# about: Lightning autoencoder-classifier: latent detached before the classification head by copy-paste
# also: frozen-layers
import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
L.seed_everything(0, verbose=False)


class ProbeNet(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 3))
        self.head = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 10))

    def forward(self, x):
        z = self.encoder(x).detach()
        return self.head(z)

    def training_step(self, batch, i):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        o = self(x)
        self.log("val_loss", F.cross_entropy(o, y))
        self.log("val_acc", (o.argmax(1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=5e-3)

    def on_train_epoch_end(self):
        print({k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})


d = load_digits()
x, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
L.Trainer(max_epochs=6, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, accelerator="cpu").fit(
    ProbeNet(), DataLoader(TensorDataset(x[:1400], y[:1400]), 32, shuffle=True), DataLoader(TensorDataset(x[1400:], y[1400:]), 397))
# cure: - z = self.encoder(x).detach()
# cure: + z = self.encoder(x)
