# expect: params-not-in-optimizer
import numpy as np
import torch
from torch import nn
from sklearn.datasets import load_digits
from sklearn.model_selection import KFold

CONF = {"folds": 4, "epochs": 12, "batch": 32, "lr": 2e-3, "hidden": [64, 32], "seed": 3}


def build(conf):
    sizes = [64, *conf["hidden"]]
    mods = []
    for a, b in zip(sizes, sizes[1:]):
        mods += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*mods, nn.Linear(sizes[-1], 10))


def run(conf):
    torch.manual_seed(conf["seed"])
    x, y = load_digits(return_X_y=True)
    x, y = torch.tensor(x / 16).float(), torch.tensor(y)
    model = build(conf)
    opt = torch.optim.Adam(model.parameters(), lr=conf["lr"])
    lossf = nn.CrossEntropyLoss()
    accs = []
    for k, (tr, te) in enumerate(KFold(conf["folds"], shuffle=True, random_state=0).split(x)):
        model = build(conf)
        tr = torch.tensor(tr)
        for ep in range(conf["epochs"]):
            tot = 0
            for b in tr[torch.randperm(len(tr))].split(conf["batch"]):
                opt.zero_grad()
                loss = lossf(model(x[b]), y[b])
                loss.backward()
                opt.step()
                tot += loss.item() * len(b)
        with torch.no_grad():
            accs.append((model(x[te]).argmax(1) == y[te]).float().mean().item())
        print(f"fold {k}: loss {tot/len(tr):.3f} acc {accs[-1]:.3f}")
    print("mean acc", np.mean(accs))


run(CONF)
