# expect: init-too-small
# about: convolutional autoencoder of small shapes with a normal initialiser taken from a GAN repo
import torch
import torch.nn as nn

torch.manual_seed(18)
torch.set_num_threads(1)
yy, xx = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")


def shapes(n):
    c = 4 + 8 * torch.rand(n, 2, 1, 1)
    r = 2 + 3 * torch.rand(n, 1, 1)
    disc = ((yy - c[:, 0]) ** 2 + (xx - c[:, 1]) ** 2 < r**2).float()
    return disc.unsqueeze(1) * 2 - 1


def init_fn(m):
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d, nn.Linear)):
        nn.init.normal_(m.weight, 0.0, 0.002)
        nn.init.zeros_(m.bias)


ae = nn.Sequential(
    nn.Conv2d(1, 16, 4, 2, 1), nn.Tanh(), nn.Conv2d(16, 16, 4, 2, 1), nn.Tanh(), nn.Flatten(), nn.Linear(256, 12),
    nn.Linear(12, 256), nn.Tanh(), nn.Unflatten(1, (16, 4, 4)), nn.ConvTranspose2d(16, 16, 4, 2, 1), nn.Tanh(), nn.ConvTranspose2d(16, 1, 4, 2, 1),
)
ae.apply(init_fn)
opt = torch.optim.SGD(ae.parameters(), lr=0.1, momentum=0.9)
val = shapes(200)
for step in range(1, 501):
    x = shapes(32)
    loss = nn.functional.mse_loss(ae(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        with torch.no_grad():
            v = nn.functional.mse_loss(ae(val), val).item()
        print(f"step {step} loss {loss.item():.4f} val {v:.4f} (variance {val.var().item():.3f})")
# cure: - nn.init.normal_(m.weight, 0.0, 0.002)
# cure: + nn.init.xavier_normal_(m.weight)
