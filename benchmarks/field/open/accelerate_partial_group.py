# expect: healthy
# about: Accelerate with gradient accumulation of 4 where the number of batches is not a multiple of 4, so each epoch ends with a smaller group
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
set_seed(21)
X, y = make_classification(3000, 20, n_informative=10, n_redundant=4, n_clusters_per_class=3, class_sep=1.3, flip_y=0.04, random_state=21)
X, y = torch.tensor(X).float(), torch.tensor(y)
mu, sd = X[:2320].mean(0), X[:2320].std(0)
X = (X - mu) / sd
train = DataLoader(TensorDataset(X[:2320], y[:2320]), batch_size=16, shuffle=True)
test = DataLoader(TensorDataset(X[2320:], y[2320:]), batch_size=200)

accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)
model = nn.Sequential(nn.Linear(20, 64), nn.LayerNorm(64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.02)
epochs = 14
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * ((len(train) + 3) // 4))
model, optimizer, train, test, scheduler = accelerator.prepare(model, optimizer, train, test, scheduler)
print("micro-batches per epoch", len(train))
for epoch in range(epochs):
    model.train()
    seen = 0.0
    for inputs, targets in train:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(inputs), targets)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        seen += loss.item()
    model.eval()
    good = 0
    for inputs, targets in test:
        with torch.no_grad():
            good += (model(inputs).argmax(-1) == targets).sum().item()
    accelerator.print(f"epoch {epoch} train {seen / len(train):.4f} test acc {good / 680:.4f}")
lin = LogisticRegression(max_iter=1000).fit(X[:2320], y[:2320])
print("logistic regression", round(lin.score(X[2320:], y[2320:]), 4))
