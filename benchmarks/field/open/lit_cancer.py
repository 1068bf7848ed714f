# expect: healthy
# about: Lightning module with early stopping, breast cancer, scaled features, dropout gap
import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
L.seed_everything(7, verbose=False)


class LitTabular(L.LightningModule):
    def __init__(self, n_in, hidden=64, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(n_in, hidden), nn.ReLU(), nn.Dropout(0.4), nn.Linear(hidden, hidden), nn.ReLU(), nn.Dropout(0.4), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.binary_cross_entropy_with_logits(self(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.log("val_loss", F.binary_cross_entropy_with_logits(logits, y))
        self.log("val_acc", ((logits > 0) == y.bool()).float().mean())

    def on_validation_epoch_end(self):
        print({k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


X, y = load_breast_cancer(return_X_y=True)
Xt, Xv, yt, yv = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)
sc = StandardScaler().fit(Xt)
to_ds = lambda a, b: TensorDataset(torch.tensor(sc.transform(a)).float(), torch.tensor(b).float())
train_dl = DataLoader(to_ds(Xt, yt), batch_size=32, shuffle=True)
val_dl = DataLoader(to_ds(Xv, yv), batch_size=128)
trainer = L.Trainer(max_epochs=40, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, accelerator="cpu", callbacks=[EarlyStopping("val_loss", patience=3)])
trainer.fit(LitTabular(X.shape[1]), train_dl, val_dl)
