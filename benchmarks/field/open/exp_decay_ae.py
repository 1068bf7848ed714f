# expect: lr-decays-too-soon
# about: autoencoder with ExponentialLR(0.9) stepped every iteration in a generic helper
import torch
from torch import nn
from sklearn.datasets import load_digits

torch.manual_seed(7)
torch.set_num_threads(1)
imgs = torch.tensor(load_digits().data).float() / 16
train, valid = imgs[:1500], imgs[1500:]


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 12))
        self.decoder = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 64))

    def forward(self, x):
        return self.decoder(self.encoder(x))


def train_one_step(model, batch, optimizer, scheduler):
    optimizer.zero_grad(set_to_none=True)
    loss = nn.functional.mse_loss(model(batch), batch)
    loss.backward()
    optimizer.step()
    scheduler.step()
    return loss.item()


ae = AutoEncoder()
optimizer = torch.optim.Adam(ae.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
for epoch in range(25):
    ae.train()
    losses = [train_one_step(ae, train[b], optimizer, scheduler) for b in torch.randperm(1500).split(50)]
    ae.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(ae(valid), valid).item()
    if epoch % 3 == 0:
        print(f"epoch {epoch}: train {sum(losses)/len(losses):.5f} valid {v:.5f} lr {scheduler.get_last_lr()[0]:.2e}")
# cure: - scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
# cure: + scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.998)
