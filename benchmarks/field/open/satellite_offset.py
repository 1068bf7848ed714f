# expect: unscaled-targets
# about: brightness temperatures around 280 K with a spread of 3: the spread is never learned
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
n = 2000
bands = torch.randn(n, 7)
kelvin = 280 + 3 * torch.tanh(bands[:, 0] + bands[:, 1] * bands[:, 2]) + 1.5 * bands[:, 3]
offset = 0.0
w1 = (torch.randn(7, 40) * 0.4).requires_grad_()
b1 = torch.zeros(40, requires_grad=True)
w2 = (torch.randn(40, 1) * 0.15).requires_grad_()
b2 = torch.zeros(1, requires_grad=True)
opt = torch.optim.RMSprop([w1, b1, w2, b2], lr=5e-3)


def net(x):
    return (torch.tanh(x @ w1 + b1) @ w2 + b2)[:, 0] + offset


for epoch in range(30):
    for i in range(0, 1600, 64):
        loss = (net(bands[i : i + 64]) - kelvin[i : i + 64]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 3 == 2:
        with torch.no_grad():
            e = (net(bands[1600:]) - kelvin[1600:]).pow(2).mean()
        print(f"epoch {epoch + 1} train {loss.item():.4f} val mse {e.item():.4f} R2 {1 - e.item() / kelvin[1600:].var().item():.3f}")
# cure: - offset = 0.0
# cure: + offset = 280.0
