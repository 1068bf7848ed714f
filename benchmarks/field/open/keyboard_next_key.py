# expect: clip-too-tight
# about: next-key prediction with an LSTM and SGD, clipping copied from another project
import torch
from torch import nn

torch.manual_seed(18)
torch.set_num_threads(1)
KEYS, SEQ = 18, 25
transition = torch.softmax(3 * torch.randn(KEYS, KEYS), dim=1)


def typed(n):
    s = [torch.randint(0, KEYS, (n,))]
    for _ in range(SEQ):
        s.append(torch.multinomial(transition[s[-1]], 1).squeeze(1))
    return torch.stack(s, 1)


class KeyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(KEYS, 24)
        self.lstm = nn.LSTM(24, 48, batch_first=True)
        self.dec = nn.Linear(48, KEYS)

    def forward(self, k):
        return self.dec(self.lstm(self.emb(k))[0])


data, held = typed(1200), typed(200)
model = KeyModel()
optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
lr_sched = torch.optim.lr_scheduler.StepLR(optimizer, 4, gamma=0.5)
max_norm = 0.01
for epoch in range(8):
    total = 0.0
    for i in torch.randperm(1200).split(30):
        k = data[i]
        loss = nn.functional.cross_entropy(model(k[:, :-1]).flatten(0, 1), k[:, 1:].flatten())
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        total += loss.item()
    lr_sched.step()
    with torch.no_grad():
        v = nn.functional.cross_entropy(model(held[:, :-1]).flatten(0, 1), held[:, 1:].flatten())
    print(f"epoch {epoch + 1} train ppl {torch.tensor(total / 40).exp():.3f} held-out ppl {v.exp():.3f}")
# cure: - max_norm = 0.01
# cure: + max_norm = 1.0
