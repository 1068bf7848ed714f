# expect: output-range-mismatch
# about: autoencoder on standardised multivariate sensors whose decoder block ends in ReLU like every other block
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(40)
latent = torch.randn(2400, 4)
mix = torch.randn(4, 20)
raw = torch.tanh(latent @ mix) * 5 + 20 + 0.2 * torch.randn(2400, 20)
raw = (raw - raw[:2000].mean(0)) / raw[:2000].std(0)
train_set, val_set = raw[:2000], raw[2000:]


def block(i, o):
    return nn.Sequential(nn.Linear(i, o), nn.ReLU())


class AE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(block(20, 64), block(64, 32), nn.Linear(32, 4))
        self.decoder = nn.Sequential(
            block(4, 32),
            block(32, 64),
            block(64, 20),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optim = torch.optim.AdamW(model.parameters(), lr=lr)
        self.loss = nn.SmoothL1Loss()

    def epoch(self, data, bs=50):
        self.model.train()
        out = 0
        for idx in torch.randperm(len(data)).split(bs):
            self.optim.zero_grad()
            l = self.loss(self.model(data[idx]), data[idx])
            l.backward()
            self.optim.step()
            out += l.item() * len(idx)
        return out / len(data)

    @torch.no_grad()
    def validate(self, data):
        self.model.eval()
        rec = self.model(data)
        return self.loss(rec, data).item(), 1 - ((rec - data) ** 2).mean().item() / data.var().item()


trainer = Trainer(AE(), 2e-3)
for e in range(15):
    tr = trainer.epoch(train_set)
    va, r2 = trainer.validate(val_set)
    if e % 2 == 0:
        print(f"epoch {e:02d}: train {tr:.4f} val {va:.4f} explained variance {r2:.3f}")
# cure: - block(64, 20),
# cure: + nn.Linear(64, 20),
