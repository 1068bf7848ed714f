# expect: healthy
# about: deep knowledge tracing: LSTM over a pupil's (skill, correct) history predicts the next answer; AUC beside that of the true hidden probabilities
import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import roc_auc_score

torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(0)
SKILLS, LENGTH = 8, 40


def pupils(n):
    skill = rng.integers(0, SKILLS, (n, LENGTH))
    ability = rng.normal(0, 1.3, (n, 1)) + rng.normal(0, 0.8, (n, SKILLS))
    difficulty = np.linspace(-1.2, 1.2, SKILLS)
    correct, truth = np.zeros((n, LENGTH)), np.zeros((n, LENGTH))
    rows = np.arange(n)
    for t in range(LENGTH):
        s = skill[:, t]
        truth[:, t] = 1 / (1 + np.exp(-1.5 * (ability[rows, s] - difficulty[s])))
        correct[:, t] = rng.random(n) < truth[:, t]
        ability[rows, s] += 0.15
    return torch.tensor(skill), torch.tensor(correct).float(), truth


class DKT(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.embed = nn.Embedding(2 * SKILLS, 16)
        self.lstm = nn.LSTM(16, hidden, batch_first=True)
        self.out = nn.Linear(hidden, SKILLS)

    def forward(self, skill, correct):
        h, _ = self.lstm(self.embed(skill[:, :-1] + SKILLS * correct[:, :-1].long()))
        return self.out(h).gather(2, skill[:, 1:, None]).squeeze(2)


s, c, _ = pupils(1500)
sv, cv, truth = pupils(400)
net = DKT()
optimiser = torch.optim.Adam(net.parameters(), lr=5e-3)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, 12)
bce = nn.BCEWithLogitsLoss()
for epoch in range(12):
    net.train()
    total = 0.0
    for b in torch.randperm(len(s)).split(50):
        loss = bce(net(s[b], c[b]), c[b, 1:])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        total += loss.item()
    schedule.step()
    net.eval()
    with torch.no_grad():
        p = net(sv, cv)
    print(f"epoch {epoch} train {total / 30:.4f} val {bce(p, cv[:, 1:]).item():.4f} auc {roc_auc_score(cv[:, 1:].flatten(), p.flatten()):.4f}")
print(f"auc of the simulator's probabilities {roc_auc_score(cv[:, 1:].flatten(), truth[:, 1:].ravel()):.4f}")
