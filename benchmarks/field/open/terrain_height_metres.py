# expect: unscaled-inputs
# also: saturated-activations
# about: tanh network that interpolates terrain height from easting and northing survey points
import numpy as np
import torch
from torch import nn, optim

torch.manual_seed(1)
np.random.seed(1)
torch.set_num_threads(1)


def height(e, n):
    return 0.8 * np.sin(e / 700) * np.cos(n / 900) + 0.5 * np.exp(-((e - 2600) ** 2 + (n - 1500) ** 2) / 4e5)


pts = np.random.uniform(0, 5000, size=(2500, 2))
z = height(pts[:, 0], pts[:, 1]) + 0.02 * np.random.randn(len(pts))

coords = torch.tensor(pts, dtype=torch.float32)
target = torch.tensor(z, dtype=torch.float32).unsqueeze(1)
train_c, train_z = coords[:2000], target[:2000]
check_c, check_z = coords[2000:], target[2000:]

field = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
optimiser = optim.Adam(field.parameters(), lr=2e-3)

step, best = 0, float("inf")
while step < 1500:
    pick = torch.randint(0, len(train_c), (128,))
    loss = (field(train_c[pick]) - train_z[pick]).square().mean()
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()
    step += 1
    if step % 250 == 0:
        with torch.no_grad():
            err = (field(check_c) - check_z).square().mean().item()
        best = min(best, err)
        print(f"{step:5d}  mse {loss.item():.5f}  check {err:.5f}  explained {1 - err / check_z.var().item():.3f}")
print("best check mse", best)
# cure: - coords = torch.tensor(pts, dtype=torch.float32)
# cure: + coords = torch.tensor(pts / 2500 - 1, dtype=torch.float32)
