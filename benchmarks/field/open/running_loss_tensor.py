# expect: graph-retained
# about: the epoch's loss is summed as a tensor and never detached, so every batch's graph stays alive
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)


def waves(n, T=40):
    y = torch.randint(0, 3, (n,))
    t = torch.arange(T).float()
    return torch.sin((y + 1)[:, None] * 0.3 * t + 6.28 * torch.rand(n, 1)).unsqueeze(2) + 0.2 * torch.randn(n, T, 1), y


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(1, 24)
        self.fc = nn.Linear(24, 3)

    def forward(self, x):
        h = x.new_zeros(len(x), 24)
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
        return self.fc(h)


X, y = waves(2400)
Xv, yv = waves(300)
model = Classifier()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
total_loss = 0
for step, b in enumerate(torch.cat([torch.randperm(2400) for _ in range(3)]).split(32)):
    loss = nn.functional.cross_entropy(model(X[b]), y[b])
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
    total_loss += loss
    if step % 25 == 24:
        with torch.no_grad():
            o = model(Xv)
        print(f"step {step + 1} mean loss {(total_loss / (step + 1)).item():.4f} val acc {(o.argmax(1) == yv).float().mean():.3f}")
import resource
print("peak MB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
# cure: - loss.backward(retain_graph=True)
# cure: + loss.backward()
# cure: - total_loss += loss
# cure: + total_loss += loss.item()
# cure: - print(f"step {step + 1} mean loss {(total_loss / (step + 1)).item():.4f} val acc {(o.argmax(1) == yv).float().mean():.3f}")
# cure: + print(f"step {step + 1} mean loss {total_loss / (step + 1):.4f} val acc {(o.argmax(1) == yv).float().mean():.3f}")
