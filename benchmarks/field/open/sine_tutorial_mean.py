# expect: lr-too-low
# about: polynomial-style tutorial loop with manual updates, moved to a small network and nn.MSELoss
import math

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.linspace(-math.pi, math.pi, 2000).unsqueeze(1)
y = torch.sin(2 * x) * torch.cos(x)

model = torch.nn.Sequential(
    torch.nn.Linear(1, 50),
    torch.nn.Tanh(),
    torch.nn.Linear(50, 50),
    torch.nn.Tanh(),
    torch.nn.Linear(50, 1),
)
loss_fn = torch.nn.MSELoss()

learning_rate = 1e-6
for t in range(2000):
    y_pred = model(x)
    loss = loss_fn(y_pred, y)
    if t % 200 == 199:
        print(t, loss.item())
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for param in model.parameters():
            param -= learning_rate * param.grad
print(f"R2 {1 - loss.item() / y.var().item():.3f}")
# cure: - learning_rate = 1e-6
# cure: + learning_rate = 0.1
