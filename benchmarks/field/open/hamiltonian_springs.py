# expect: healthy
# about: Hamiltonian network: a scalar net whose input gradients are regressed on noisy derivatives of a pendulum; the output's own offset gets no gradient
import numpy as np
import torch

torch.set_num_threads(1)
torch.manual_seed(31)
SIG = 0.1


def field(s):
    q, p = s[:, :1], s[:, 1:]
    return torch.cat([p, -2 * torch.sin(q)], 1)


def true_h(s):
    return 0.5 * s[:, 1] ** 2 + 2 * (1 - torch.cos(s[:, 0]))


class HNN(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.h = torch.nn.Sequential(torch.nn.Linear(2, 80), torch.nn.Tanh(), torch.nn.Linear(80, 80), torch.nn.Tanh(), torch.nn.Linear(80, 1))

    def forward(self, s):
        s = s.requires_grad_()
        (g,) = torch.autograd.grad(self.h(s).sum(), s, create_graph=self.training)
        return torch.cat([g[:, 1:], -g[:, :1]], 1)


states = torch.rand(1500, 2) * torch.tensor([5.0, 4.0]) - torch.tensor([2.5, 2.0])
rates = field(states) + SIG * torch.randn(1500, 2)
test = torch.rand(500, 2) * torch.tensor([5.0, 4.0]) - torch.tensor([2.5, 2.0])
model = HNN()
optim = torch.optim.Adam(model.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(optim, 40)
for epoch in range(40):
    model.train()
    run = []
    for b in torch.randperm(1500).split(75):
        loss = (model(states[b].clone()) - rates[b]).pow(2).mean()
        loss.backward()
        optim.step()
        optim.zero_grad()
        run.append(loss.item())
    sched.step()
    if epoch % 5 == 4:
        model.eval()
        err = (model(test.clone()) - field(test)).pow(2).mean().item()
        optim.zero_grad()
        print(f"epoch {epoch + 1} loss {np.mean(run):.5f} (noise {SIG ** 2:.3f}) test against exact field {err:.6f}")


def roll(f, s, n=400, dt=0.02):
    for _ in range(n):
        k1 = f(s)
        k2 = f((s + dt / 2 * k1).detach())
        s = (s + dt * k2).detach()
    return s


s0 = torch.tensor([[1.5, 0.0]])
print(f"energy after 8 s: {true_h(roll(model, s0.clone())).item():.4f}, at the start {true_h(s0).item():.4f}")
