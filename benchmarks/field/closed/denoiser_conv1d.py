# expect: missing-zero-grad
# about: signal denoiser; optimizer.zero_grad is mentioned but not called
import math
import torch
import torch.nn as nn

torch.manual_seed(23)
torch.set_num_threads(1)


def batch(n, T=40):
    t = torch.linspace(0, 1, T)
    f, p, a = 1 + 3 * torch.rand(n, 1), 2 * math.pi * torch.rand(n, 1), 0.5 + torch.rand(n, 1)
    clean = a * torch.sin(2 * math.pi * f * t + p)
    return (clean + 0.4 * torch.randn(n, T)).unsqueeze(1), clean.unsqueeze(1)


net = nn.Sequential(nn.Conv1d(1, 16, 9, padding=4), nn.ReLU(), nn.Conv1d(16, 16, 9, padding=4), nn.ReLU(), nn.Conv1d(16, 1, 9, padding=4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.5)
mse = nn.MSELoss()
xv, yv = batch(200)
print("noise level", mse(xv, yv).item())
for step in range(400):
    noisy, clean = batch(32)
    optimizer.zero_grad
    loss = mse(net(noisy), clean)
    loss.backward()
    optimizer.step()
    if step % 40 == 39:
        with torch.no_grad():
            print(step + 1, "train %.5f" % loss.item(), "val %.5f" % mse(net(xv), yv).item())
# cure: - optimizer.zero_grad
# cure: + optimizer.zero_grad()
