# expect: batch-too-large
# also: undertrained
from accelerate import Accelerator
from accelerate.utils import set_seed
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler


def get_data():
    X, y = make_classification(5000, 24, n_informative=12, n_classes=6, n_clusters_per_class=2, class_sep=1.5, random_state=3)
    X[:4000] = (s := StandardScaler().fit(X[:4000])).transform(X[:4000])
    X[4000:] = s.transform(X[4000:])
    X, y = torch.tensor(X).float(), torch.tensor(y)
    return TensorDataset(X[:4000], y[:4000]), TensorDataset(X[4000:], y[4000:])


def main(config):
    set_seed(config["seed"])
    accelerator = Accelerator(cpu=True)
    train, test = get_data()
    train_dl = DataLoader(train, batch_size=config["batch_size"], shuffle=True)
    test_dl = DataLoader(test, batch_size=500)
    model = nn.Sequential(nn.Linear(24, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 6))
    opt = torch.optim.Adam(model.parameters(), lr=config["lr"])
    model, opt, train_dl, test_dl = accelerator.prepare(model, opt, train_dl, test_dl)
    for epoch in range(config["num_epochs"]):
        model.train()
        for x, y in train_dl:
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            opt.step()
            opt.zero_grad()
        model.eval()
        good = []
        for x, y in test_dl:
            with torch.no_grad():
                pred = model(x).argmax(-1)
            good.append(accelerator.gather_for_metrics((pred == y).float()))
        accelerator.print({"epoch": epoch, "loss": round(loss.item(), 4), "acc": round(torch.cat(good).mean().item(), 4)})


if __name__ == "__main__":
    main({"lr": 1e-3, "num_epochs": 15, "batch_size": 4000, "seed": 42})
