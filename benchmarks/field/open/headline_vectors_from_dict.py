# expect: frozen-layers
# about: headline sentiment with word vectors looked up in a pretrained dictionary that knows few of the words
import numpy as np
import torch
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)
rng = np.random.default_rng(2)

VOCAB = [f"w{i}" for i in range(400)]
pretrained = {w: rng.normal(0, 0.3, 8) for w in VOCAB[:20]}  # the glove file of this domain is tiny
matrix = np.zeros((len(VOCAB), 8), dtype=np.float32)
found = 0
for i, word in enumerate(VOCAB):
    if word in pretrained:
        matrix[i] = pretrained[word]
        found += 1
    else:
        matrix[i] = rng.normal(0, 0.3, 8)

polarity = rng.normal(0, 1, len(VOCAB))
texts = rng.integers(0, len(VOCAB), (3000, 9))
mood = np.digitize(polarity[texts].mean(1), [-0.15, 0.15])
texts, mood = torch.tensor(texts), torch.tensor(mood)


class HeadlineModel(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(torch.from_numpy(weights))
        self.fc1 = nn.Linear(weights.shape[1], 32)
        self.fc2 = nn.Linear(32, 3)

    def forward(self, ids):
        pooled = self.embedding(ids).mean(dim=1)
        return self.fc2(torch.relu(self.fc1(pooled)))


model = HeadlineModel(matrix)
optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-2)
lossfn = nn.CrossEntropyLoss()
for epoch in range(10):
    model.train()
    for idx in torch.randperm(2500).split(50):
        loss = lossfn(model(texts[idx]), mood[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        tr, te = model(texts[:2500]), model(texts[2500:])
    print(f"epoch {epoch + 1} train {lossfn(tr, mood[:2500]):.4f} test {lossfn(te, mood[2500:]):.4f} test acc {(te.argmax(1) == mood[2500:]).float().mean():.3f}")
# cure: - self.embedding = nn.Embedding.from_pretrained(torch.from_numpy(weights))
# cure: + self.embedding = nn.Embedding.from_pretrained(torch.from_numpy(weights), freeze=False)
