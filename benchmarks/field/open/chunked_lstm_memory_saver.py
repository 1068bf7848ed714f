# expect: unscaled-accumulation
# also: lr-too-high
# about: LSTM language model over pseudo-text; batch cut in small pieces to save memory
import torch
from torch import nn

torch.manual_seed(17)
torch.set_num_threads(1)
V, T = 20, 24
trans = torch.softmax(2.5 * torch.randn(V, V, V), -1)


def text(n):
    s = [torch.randint(0, V, (n,)), torch.randint(0, V, (n,))]
    for _ in range(T - 1):
        s.append(torch.multinomial(trans[s[-2], s[-1]], 1).squeeze(1))
    return torch.stack(s, 1)


class LM(nn.Module):
    def __init__(self, h=64):
        super().__init__()
        self.e, self.r, self.o = nn.Embedding(V, 32), nn.LSTM(32, h, batch_first=True), nn.Linear(h, V)

    def forward(self, x):
        return self.o(self.r(self.e(x))[0])


lm = LM()
opt = torch.optim.SGD(lm.parameters(), lr=2.0, momentum=0.9)
accumulation_steps = 16
val = text(128)


def ce(seq):
    return nn.functional.cross_entropy(lm(seq[:, :-1]).flatten(0, 1), seq[:, 1:].flatten())


micro = 0
for update in range(1, 151):
    whole = text(64)
    for part in whole.chunk(accumulation_steps):
        loss = ce(part)
        loss.backward()
        micro += 1
        if micro % accumulation_steps == 0:
            opt.step()
            opt.zero_grad()
    if update % 25 == 0:
        with torch.no_grad():
            print(f"update {update} loss {loss.item():.3f} val {ce(val).item():.3f}")
# cure: - loss = ce(part)
# cure: + loss = ce(part) / accumulation_steps
