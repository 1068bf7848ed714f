# expect: healthy
# about: sharpness-aware minimisation: two backwards for every update, weights moved and put back
import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(10)
torch.set_num_threads(1)


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def first_step(self):
        ps = [p for g in self.param_groups for p in g["params"] if p.grad is not None]
        norm = torch.norm(torch.stack([p.grad.norm() for p in ps]))
        for p in ps:
            e = p.grad * (0.05 / (norm + 1e-12))
            p.add_(e)
            self.state[p]["e"] = e
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is not None:
                    p.sub_(self.state[p]["e"])
        self.base.step()
        self.zero_grad()


X, y = load_wine(return_X_y=True)
Xt, Xv, yt, yv = train_test_split(StandardScaler().fit_transform(X), y, test_size=0.3, random_state=1, stratify=y)
Xt, Xv, yt, yv = torch.tensor(Xt).float(), torch.tensor(Xv).float(), torch.tensor(yt), torch.tensor(yv)
model = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 3))
opt = SAM(model.parameters(), torch.optim.SGD, lr=0.05, momentum=0.9)
ce = nn.CrossEntropyLoss()
for epoch in range(40):
    for b in torch.randperm(len(Xt)).split(16):
        loss = ce(model(Xt[b]), yt[b])
        loss.backward()
        opt.first_step()
        ce(model(Xt[b]), yt[b]).backward()
        opt.second_step()
    if epoch % 5 == 4:
        with torch.no_grad():
            o = model(Xv)
        print(f"epoch {epoch+1} loss {loss.item():.4f} val {ce(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean():.3f}")
