# expect: graph-retained
# about: the hidden state of a character RNN is carried over without detach; backward keeps the whole past
import time

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
text = open(nn.functional.__file__).read()[:6000]
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text]).view(8, -1)
emb, rnn, out = nn.Embedding(len(chars), 16), nn.GRU(16, 24), nn.Linear(24, len(chars))
params = [*emb.parameters(), *rnn.parameters(), *out.parameters()]
lr = 1.0
state = torch.zeros(1, 8, 24)
began = time.perf_counter()
for step in range(100):
    seg = ids[:, (step * 8) % 700 :][:, :9].T
    h, state = rnn(emb(seg[:-1]), state)
    loss = nn.functional.cross_entropy(out(h).flatten(0, 1), seg[1:].flatten())
    grads = torch.autograd.grad(loss, params, retain_graph=True)
    with torch.no_grad():
        for p, g in zip(params, grads):
            p.data.sub_(lr * g.clamp(-0.2, 0.2))
    carried = state
    state = carried
    if step % 10 == 9:
        print(f"step {step + 1} loss {loss.item():.3f} seconds so far {time.perf_counter() - began:.2f}")
# cure: - state = carried
# cure: + state = carried.detach()
