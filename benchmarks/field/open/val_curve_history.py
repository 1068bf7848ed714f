# expect: graph-retained
# about: convolutional autoencoder that records its validation error every few steps for a plot
import resource

import torch
import torch.nn as nn

torch.manual_seed(80)
torch.set_num_threads(1)
yy, xx = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")


def spots(n):
    c = 3 + 10 * torch.rand(n, 2, 1, 1)
    return torch.exp(-((yy - c[:, 0]) ** 2 + (xx - c[:, 1]) ** 2) / 6).unsqueeze(1)


net = nn.Sequential(
    nn.Conv2d(1, 12, 3, 2, 1), nn.ReLU(), nn.Conv2d(12, 12, 3, 2, 1), nn.ReLU(),
    nn.ConvTranspose2d(12, 12, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(12, 1, 4, 2, 1),
)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
val = spots(160)
history = {"train": [], "val": []}
for step in range(1, 601):
    x = spots(32)
    loss = nn.functional.mse_loss(net(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    history["train"].append(loss.item())
    if step % 3 == 0:
        val_loss = nn.functional.mse_loss(net(val), val)
        history["val"].append(val_loss)
    if step % 100 == 0:
        mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"step {step} train {history['train'][-1]:.5f} val {float(history['val'][-1]):.5f} memory {mb:.0f} MB")
# cure: - history["val"].append(val_loss)
# cure: + history["val"].append(val_loss.item())
