# expect: unstable-math
# about: embedding vectors trained so that the angle between pairs matches a given one, random pairs of atoms
import torch
import torch.nn.functional as F

torch.manual_seed(21)
torch.set_num_threads(1)

atoms, dim = 60, 3
truth = F.normalize(torch.randn(atoms, dim), dim=1)
probe = torch.randn(atoms, 8)
encoder = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, dim))
opt = torch.optim.Adam(encoder.parameters(), lr=5e-3)


def angle(a, b):
    cos = (F.normalize(a, dim=1) * F.normalize(b, dim=1)).sum(1).clamp(-1.0, 1.0)
    return torch.acos(cos)


history = []
for step in range(1, 801):
    i = torch.randint(0, atoms, (48,))
    j = torch.randint(0, atoms, (48,))
    wanted = angle(truth[i], truth[j])
    got = angle(encoder(probe[i]), encoder(probe[j]))
    loss = F.mse_loss(got, wanted)
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(loss.item())
    if step % 100 == 0:
        print(f"step {step} angle mse {sum(history[-100:]) / 100:.5f} rad^2")
# cure: - cos = (F.normalize(a, dim=1) * F.normalize(b, dim=1)).sum(1).clamp(-1.0, 1.0)
# cure: + cos = (F.normalize(a, dim=1) * F.normalize(b, dim=1)).sum(1).clamp(-1 + 1e-6, 1 - 1e-6)
