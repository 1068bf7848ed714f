# expect: overfitting
# about: tumour subtype from gene expressions of two hundred patients, wide MLP, validation printed
import numpy as np
import torch
from sklearn.model_selection import train_test_split

SEED = 1
torch.manual_seed(SEED)
torch.set_num_threads(1)
rng = np.random.default_rng(SEED)

genes, patients = 200, 400
subtype = rng.integers(0, 3, patients)
expr = rng.normal(size=(patients, genes))
signature = rng.normal(0, 0.7, (3, 30))
expr[:, :30] += signature[subtype]
revised = rng.random(patients) < 0.2  # second opinion of the pathologist
subtype = np.where(revised, rng.integers(0, 3, patients), subtype)
Xtr, Xva, ytr, yva = train_test_split(expr, subtype, test_size=0.5, random_state=SEED, stratify=subtype)
Xtr, Xva = (torch.tensor(a, dtype=torch.float32) for a in (Xtr, Xva))
ytr, yva = torch.tensor(ytr), torch.tensor(yva)

model = torch.nn.Sequential(
    torch.nn.Linear(genes, 256),
    torch.nn.ReLU(),
    torch.nn.Linear(256, 128),
    torch.nn.ReLU(),
    torch.nn.Linear(128, 3),
)
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
penalty = 0.0
for epoch in range(40):
    model.train()
    total = 0.0
    for i in torch.randperm(len(Xtr)).split(16):
        optimizer.zero_grad()
        loss = criterion(model(Xtr[i]), ytr[i])
        (loss + penalty * model[0].weight.abs().sum()).backward()
        optimizer.step()
        total += loss.item() * len(i)
    model.eval()
    with torch.no_grad():
        out = model(Xva)
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1:3d} train {total / len(Xtr):.4f} val {criterion(out, yva):.4f} val acc {(out.argmax(1) == yva).float().mean():.3f}")
# cure: - penalty = 0.0
# cure: + penalty = 0.02
# cure: - for epoch in range(40):
# cure: + for epoch in range(12):
