# expect: model-too-small
# about: GRU of one unit asked to recall which of 16 symbols stood at a marked place
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(6)


def make(n, T=10, K=16):
    sym = torch.randint(0, K, (n, T))
    where = torch.randint(0, T, (n,))
    x = torch.nn.functional.one_hot(sym, K).float()
    mark = torch.nn.functional.one_hot(where, T).float().unsqueeze(-1)
    return torch.cat([x, mark], -1), sym[torch.arange(n), where]


class Recall(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.gru = nn.GRU(17, hidden, batch_first=True)
        self.cls = nn.Linear(hidden, 16)

    def forward(self, x):
        _, h = self.gru(x)
        return self.cls(h.squeeze(0))


xv, yv = make(1000)
model = Recall(hidden=1)
optim = torch.optim.NAdam(model.parameters(), lr=1e-2)
hist = []
for step in range(1, 1401):
    x, y = make(64)
    loss = nn.functional.cross_entropy(model(x), y)
    optim.zero_grad()
    loss.backward()
    optim.step()
    hist.append(loss.item())
    if step % 140 == 0:
        with torch.no_grad():
            o = model(xv)
            print(f"step {step} loss {sum(hist[-140:]) / 140:.3f} val {nn.functional.cross_entropy(o, yv).item():.3f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
# cure: - model = Recall(hidden=1)
# cure: + model = Recall(hidden=48)
