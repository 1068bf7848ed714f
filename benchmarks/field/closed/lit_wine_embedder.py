# expect: lr-too-high
# about: Lightning module, standardised wine features, plain SGD whose rate makes the loss bounce for the whole run
import logging
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.set_num_threads(1)
L.seed_everything(1, verbose=False)


class WineAE(L.LightningModule):
    def __init__(self, lr):
        super().__init__()
        self.lr = lr
        self.encoder = torch.nn.Sequential(torch.nn.Linear(13, 32), torch.nn.ReLU(), torch.nn.Linear(32, 6))
        self.decoder = torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.ReLU(), torch.nn.Linear(32, 13))

    def forward(self, x):
        return self.decoder(self.encoder(x))

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = F.mse_loss(self(x), x)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, batch_idx):
        (x,) = batch
        self.log("val_loss", F.mse_loss(self(x), x))

    def on_train_epoch_end(self):
        if self.current_epoch % 5 == 4:
            print(f"epoch {self.current_epoch} ", {k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr, momentum=0.95)


a, b = train_test_split(load_wine().data, test_size=0.25, random_state=0)
sc = StandardScaler().fit(a)
tr, va = (TensorDataset(torch.tensor(sc.transform(s), dtype=torch.float32)) for s in (a, b))
trainer = L.Trainer(max_epochs=40, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
trainer.fit(WineAE(lr=0.6), DataLoader(tr, 16, shuffle=True), DataLoader(va, 45))
# cure: - trainer.fit(WineAE(lr=0.6), DataLoader(tr, 16, shuffle=True), DataLoader(va, 45))
# cure: + trainer.fit(WineAE(lr=0.03), DataLoader(tr, 16, shuffle=True), DataLoader(va, 45))
