# expect: wrong-loss
# about: twin encoder deciding whether two questions mean the same, cosine embedding loss
import torch
from torch import nn

torch.manual_seed(34)
torch.set_num_threads(1)
TOPICS, VOC, T = 20, 400, 8


def phrase(topic):
    n = len(topic)
    own = topic[:, None] * 20 + torch.randint(0, 20, (n, T))
    return torch.where(torch.rand(n, T) < 0.6, own, torch.randint(0, VOC, (n, T)))


def pairs(n):
    a = torch.randint(0, TOPICS, (n,))
    same = torch.randint(0, 2, (n,))
    b = torch.where(same == 1, a, (a + torch.randint(1, TOPICS, (n,))) % TOPICS)
    return phrase(a), phrase(b), same


class Twin(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(VOC, 32)
        self.fc = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 16))

    def forward(self, q):
        return self.fc(self.bag(q))


twin = Twin()
opt = torch.optim.Adam(twin.parameters(), lr=2e-3)
criterion = nn.CosineEmbeddingLoss(margin=0.1)
q1, q2, dup = pairs(6000)
v1, v2, vd = pairs(1000)
for epoch in range(10):
    tot = 0.0
    for b in torch.randperm(6000).split(100):
        loss = criterion(twin(q1[b]), twin(q2[b]), dup[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        cos = torch.cosine_similarity(twin(v1), twin(v2))
    best = max(((cos > t) == vd.bool()).float().mean().item() for t in torch.linspace(-0.5, 1, 31))
    print(f"epoch {epoch + 1} loss {tot / 60:.4f} mean cos dup {cos[vd == 1].mean():.2f} other {cos[vd == 0].mean():.2f} best-threshold acc {best:.3f}")
# cure: - loss = criterion(twin(q1[b]), twin(q2[b]), dup[b])
# cure: + loss = criterion(twin(q1[b]), twin(q2[b]), dup[b] * 2 - 1)
