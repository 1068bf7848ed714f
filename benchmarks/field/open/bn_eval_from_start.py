# expect: train-mode-missing
# also: unscaled-inputs
# about: a helper loads the model "for inference" with eval(); BatchNorm never normalises the raw features
import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

torch.manual_seed(0)
torch.set_num_threads(1)


def build_model():
    model = nn.Sequential(nn.BatchNorm1d(13), nn.Linear(13, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3))
    return model.eval()


X, y = load_wine(return_X_y=True)
a, b, c, d = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
Xt, Xv, yt, yv = torch.tensor(a).float(), torch.tensor(b).float(), torch.tensor(c), torch.tensor(d)
model = build_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(40):
    for i in torch.randperm(len(Xt))[:120].split(20):
        optimizer.zero_grad()
        loss = loss_fn(model(Xt[i]), yt[i])
        loss.backward()
        optimizer.step()
    if epoch % 4 == 3:
        was = model.training
        model.eval()
        with torch.no_grad():
            o = model(Xv)
        model.train(was)
        print(f"epoch {epoch+1} loss {loss.item():.4f} val {loss_fn(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
# cure: - return model.eval()
# cure: + return model
