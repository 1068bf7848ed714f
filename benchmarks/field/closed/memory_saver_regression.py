# expect: low-precision
# about: whole model cast to bfloat16 to save memory, SGD at a small rate; weight updates round away
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(0)
X = torch.randn(2048, 16)
w = torch.randn(16, 3)
y = torch.tanh(X @ w).sum(1, keepdim=True) + 0.05 * torch.randn(2048, 1)
y = y / y.std()
dtype = torch.bfloat16


class Regressor(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(16, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x)


model = Regressor().to(dtype)
data, target = X.to(dtype), y.to(dtype)
opt = torch.optim.SGD(model.parameters(), lr=2e-3, momentum=0.9)
for epoch in range(40):
    order = torch.randperm(1792)
    acc = 0.0
    for k in range(0, 1792, 64):
        b = order[k:k + 64]
        out = model(data[b])
        loss = ((out.float() - target[b].float()) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        acc += loss.item() / 28
    if epoch % 5 == 4:
        with torch.no_grad():
            r = model(data[1792:]).float() - y[1792:]
        print(f"epoch {epoch + 1:2d} train mse {acc:.5f} test mse {r.pow(2).mean().item():.5f}")
# cure: - dtype = torch.bfloat16
# cure: + dtype = torch.float32
