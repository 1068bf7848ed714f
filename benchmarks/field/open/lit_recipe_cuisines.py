# expect: double-softmax
# about: Lightning bag-of-ingredients classifier for cuisines, many classes
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
N_ING, N_CUISINE = 150, 40


def recipes(n, table):
    y = torch.randint(0, N_CUISINE, (n,))
    x = torch.bernoulli(table[y])
    return TensorDataset(x, y)


class CuisineNet(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(N_ING, 128),
            nn.ReLU(),
            nn.Dropout(0.2),
            nn.Linear(128, N_CUISINE),
            nn.Softmax(dim=1),
        )
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.criterion(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        p = self(x)
        self.log("val_loss", self.criterion(p, y))
        self.log("val_acc", (p.argmax(1) == y).float().mean())

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


L.seed_everything(11, verbose=False)
table = torch.rand(N_CUISINE, N_ING).pow(4) * 0.5
trainer = L.Trainer(max_epochs=8, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, accelerator="cpu")
trainer.fit(CuisineNet(), DataLoader(recipes(2000, table), 64, shuffle=True), DataLoader(recipes(600, table), 200))
# cure: - nn.Softmax(dim=1),
# cure: + nn.Identity(),
