# expect: clip-too-tight
# also: lr-too-low
import logging, warnings
import lightning as L
import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(0, verbose=False)

X, y = load_wine(return_X_y=True)
Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
sc = StandardScaler().fit(Xtr)


def ds(a, b):
    return TensorDataset(torch.tensor(sc.transform(a), dtype=torch.float32), torch.tensor(b))


class WineNet(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 3))
        self.ce = nn.CrossEntropyLoss()

    def training_step(self, batch, idx):
        x, t = batch
        loss = self.ce(self.net(x), t)
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, idx):
        x, t = batch
        out = self.net(x)
        self.log("val_loss", self.ce(out, t))
        self.log("val_acc", (out.argmax(1) == t).float().mean())

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        if self.current_epoch % 10 == 0 or self.current_epoch == 59:
            print(f"epoch {self.current_epoch}: loss {m['loss']:.4f} val_loss {m['val_loss']:.4f} val_acc {m['val_acc']:.3f}")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)


trainer = L.Trainer(max_epochs=60, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False,
                    gradient_clip_val=1e-4, num_sanity_val_steps=0)
trainer.fit(WineNet(), DataLoader(ds(Xtr, ytr), batch_size=16, shuffle=True), DataLoader(ds(Xva, yva), batch_size=64))
