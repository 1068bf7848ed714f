# expect: healthy
# about: LBFGS with closure, small full-batch regression
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.linspace(-2, 2, 200).unsqueeze(1)
y = torch.sin(2 * x) + 0.3 * x**2 + 0.05 * torch.randn_like(x)
mask = torch.rand(200) < 0.75
x_tr, y_tr, x_va, y_va = x[mask], y[mask], x[~mask], y[~mask]
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
mse = nn.MSELoss()
optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=10, history_size=20, line_search_fn="strong_wolfe")

for i in range(25):
    def closure():
        optimizer.zero_grad()
        loss = mse(net(x_tr), y_tr)
        loss.backward()
        return loss

    loss = optimizer.step(closure)
    if i % 5 == 4:
        with torch.no_grad():
            print("STEP", i, "loss", loss.item(), "val", mse(net(x_va), y_va).item())
