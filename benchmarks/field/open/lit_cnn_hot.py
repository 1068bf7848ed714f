# expect: lr-too-high
# about: Lightning CNN whose rate was taken over from an LR-finder plot read one decade too far
import lightning as L
import torch
from torch import nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.set_num_threads(1)


class DigitsModel(L.LightningModule):
    def __init__(self, learning_rate: float):
        super().__init__()
        self.learning_rate = learning_rate
        self.features = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Flatten())
        self.classifier = nn.Sequential(nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 10))
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.classifier(self.features(x))

    def training_step(self, batch, _):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self(x)
        self.log_dict({"val": self.loss(out, y), "acc": (out.argmax(1) == y).float().mean()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.learning_rate)

    def on_train_epoch_end(self):
        print({k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()})


L.seed_everything(1, verbose=False)
d = load_digits()
ds = TensorDataset(torch.tensor(d.images).float()[:, None] / 16, torch.tensor(d.target))
tr, va = random_split(ds, [1500, 297])
model = DigitsModel(learning_rate=0.1)
L.Trainer(max_epochs=5, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, accelerator="cpu").fit(
    model, DataLoader(tr, 64, shuffle=True), DataLoader(va, 297))
# cure: - model = DigitsModel(learning_rate=0.1)
# cure: + model = DigitsModel(learning_rate=0.002)
