import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader

SEED = 0
torch.set_num_threads(1)
torch.manual_seed(SEED)

images = torch.tensor(load_digits().data, dtype=torch.float32) / 16
images = images[torch.randperm(len(images))]
train_images, val_images = images[:1400], images[1400:]

encoder = nn.Sequential(nn.Linear(64, 40), nn.ReLU(), nn.Linear(40, 12))
decoder = nn.Sequential(nn.Linear(12, 40), nn.ReLU(), nn.Linear(40, 64), nn.Sigmoid())
mse = nn.MSELoss()
params = list(encoder.parameters()) + list(decoder.parameters())
optimizer = torch.optim.Adam(params, lr=6e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=24, eta_min=1e-5)


def make_step(encoder, decoder, optimizer):
    def step(batch):
        optimizer.zero_grad()
        code = encoder(batch)
        reconstruction = decoder(code)
        loss = mse(reconstruction, batch)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


@torch.inference_mode()
def validation_error():
    reconstruction = decoder(encoder(val_images))
    error = mse(reconstruction, val_images).item()
    return error, 1 - error / val_images.var(dim=0).mean().item()


step = make_step(encoder, decoder, optimizer)
loader = DataLoader(train_images, batch_size=28, shuffle=True)
for epoch in range(1, 25):
    losses = [step(batch) for batch in loader]
    train_loss = sum(losses) / len(losses)
    val_loss, explained = validation_error()
    scheduler.step()
    if epoch % 2 == 0:
        print(f"{epoch:3d} mse {train_loss:.5f} val {val_loss:.5f} explained {explained:.3f}")

print(f"FINAL train_loss={train_loss:.5f} val_loss={val_loss:.5f} quality={explained:.4f}")
