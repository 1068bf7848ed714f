# expect: params-not-in-optimizer
import torch
import torch.nn.functional as F
import lightning as L
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Backbone(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                 nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.fc = nn.Linear(width, 10)

    def forward(self, x):
        return self.fc(self.net(x))


class LitDigits(L.LightningModule):
    def __init__(self, lr=4e-3):
        super().__init__()
        self.lr = lr
        self.model = Backbone()

    def forward(self, x):
        return self.model(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train/loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        out = self(x)
        self.log("val/loss", F.cross_entropy(out, y))
        self.log("val/acc", (out.argmax(1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.model.fc.parameters(), lr=self.lr)


class Printer(L.Callback):
    def on_validation_epoch_end(self, trainer, pl_module):
        m = trainer.callback_metrics
        if not trainer.sanity_checking:
            print(trainer.current_epoch, {k: round(v.item(), 4) for k, v in m.items()})


L.seed_everything(8, verbose=False)
d = load_digits()
ds = TensorDataset(torch.tensor(d.images / 16).float().unsqueeze(1), torch.tensor(d.target))
tr, va = random_split(ds, [1400, 397])
trainer = L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, callbacks=[Printer()], enable_model_summary=False)
trainer.fit(LitDigits(), DataLoader(tr, 32, shuffle=True), DataLoader(va, 397))
