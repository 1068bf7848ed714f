# expect: lr-decays-too-soon
# about: ReduceLROnPlateau with patience 3 fed the noisy loss of each batch
import torch
from torch import nn

torch.manual_seed(3)
torch.set_num_threads(1)


def batch(n=32, T=14):
    x = torch.randn(n, T, 1)
    return x, torch.tanh(0.6 * x[:, 5:].sum(1))


class Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 32, batch_first=True)
        self.fc = nn.Linear(32, 1)

    def forward(self, x):
        return self.fc(self.lstm(x)[0][:, -1])


net = Seq()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=3)
xv, yv = batch(400)
window = []
for step in range(1, 901):
    x, y = batch()
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    window.append(loss.item())
    if step % 1 == 0:
        plateau.step(loss.item())
    if step % 90 == 0:
        with torch.no_grad():
            v = nn.functional.mse_loss(net(xv), yv).item()
        print(f"step {step} train {sum(window[-90:]) / 90:.4f} val {v:.4f} lr {opt.param_groups[0]['lr']:.2e}")
# cure: - if step % 1 == 0:
# cure: + if step % 200 == 0:
