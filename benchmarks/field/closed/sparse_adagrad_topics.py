# expect: healthy
# about: bag-of-words topic model with sparse embedding gradients and SparseAdam next to Adam
import torch
import torch.nn as nn

torch.set_num_threads(1)
g = torch.Generator().manual_seed(12)
torch.manual_seed(12)
V, K = 1500, 5
topic_words = torch.randperm(V, generator=g)[: K * 60].view(K, 60)


def documents(n):
    y = torch.randint(K, (n,), generator=g)
    docs = torch.randint(V, (n, 40), generator=g)
    for i in range(n):
        m = torch.rand(40, generator=g) < 0.3
        docs[i, m] = topic_words[y[i]][torch.randint(60, (int(m.sum()),), generator=g)]
    return docs, y


docs, labels = documents(1500)
tdocs, tlabels = documents(400)
bag = nn.EmbeddingBag(V, 16, mode="mean", sparse=True)
head = nn.Sequential(nn.ReLU(), nn.Linear(16, K))
sparse_opt = torch.optim.SparseAdam(bag.parameters(), lr=5e-3)
dense_opt = torch.optim.Adam(head.parameters(), lr=5e-3)
crit = nn.CrossEntropyLoss(label_smoothing=0.1)
for epoch in range(6):
    tot = 0
    for b in torch.randperm(1500).split(30):
        loss = crit(head(bag(docs[b])), labels[b])
        for o in (sparse_opt, dense_opt):
            o.zero_grad()
        loss.backward()
        for o in (sparse_opt, dense_opt):
            o.step()
        tot += loss.item() / 50
    with torch.no_grad():
        out = head(bag(tdocs))
    print(f"epoch {epoch} train {tot:.4f} test {crit(out, tlabels).item():.4f} accuracy {(out.argmax(1) == tlabels).float().mean().item():.3f}")
