# expect: over-regularized
# about: Lightning regression of drug response with dropout after every layer, rate from the config
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
HP = {"hidden": 64, "layers": 3, "dropout": 0.75, "lr": 2e-3, "epochs": 10}


class Response(L.LightningModule):
    def __init__(self, hp):
        super().__init__()
        self.hp = hp
        blocks, width = [], 30
        for _ in range(hp["layers"]):
            blocks += [nn.Linear(width, hp["hidden"]), nn.ReLU(), nn.Dropout(hp["dropout"])]
            width = hp["hidden"]
        self.net = nn.Sequential(*blocks, nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.mse_loss(self(x), y)
        self.log("train_mse", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_mse", nn.functional.mse_loss(self(x), y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hp["lr"])

    def on_train_epoch_end(self):
        print("epoch", self.current_epoch, {k: round(v.item(), 4) for k, v in self.trainer.callback_metrics.items()})


def assay(n):
    x = torch.randn(n, 30)
    y = x[:, 0] - 0.8 * x[:, 1] + torch.sin(2 * x[:, 2]) + 0.7 * x[:, 3] * x[:, 4] + 0.1 * torch.randn(n)
    return TensorDataset(x, y / y.std())


L.seed_everything(0, verbose=False)
trainer = L.Trainer(max_epochs=HP["epochs"], logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, accelerator="cpu")
trainer.fit(Response(HP), DataLoader(assay(2400), 48, shuffle=True), DataLoader(assay(500), 500))
# cure: - HP = {"hidden": 64, "layers": 3, "dropout": 0.75, "lr": 2e-3, "epochs": 10}
# cure: + HP = {"hidden": 64, "layers": 3, "dropout": 0.05, "lr": 2e-3, "epochs": 10}
