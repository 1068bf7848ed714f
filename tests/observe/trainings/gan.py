"""Two optimizers that take turns."""

import torch
from _state import show
from torch import nn

torch.manual_seed(5)
generator = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2), nn.Tanh())
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
to_generate = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
to_judge = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
real_label, fake_label = torch.ones(32, 1), torch.zeros(32, 1)
for step in range(60):
    real = torch.randn(32, 2) * 0.1 + 0.5
    fake = generator(torch.randn(32, 4))
    to_judge.zero_grad()
    judged = bce(critic(real), real_label) + bce(critic(fake.detach()), fake_label)
    judged.backward()
    to_judge.step()
    to_generate.zero_grad()
    fooled = bce(critic(fake), real_label)
    fooled.backward()
    to_generate.step()
    if step % 20 == 0:
        print(step, judged.item(), fooled.item())
show(*generator.parameters(), *critic.parameters())
