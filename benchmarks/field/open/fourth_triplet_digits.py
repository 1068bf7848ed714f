# expect: healthy
import torch, torch.nn as nn, torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier


def data():
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 8 - 1
    y = torch.tensor(d.target)
    p = torch.randperm(len(y))
    return x[p[:1200]], y[p[:1200]], x[p[1200:]], y[p[1200:]]


def embedder():
    return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Flatten(),
                         nn.Linear(32 * 16, 16))


def embed(net, x):
    return F.normalize(net(x), dim=1)


def hard_triplets(e, y, margin=0.3):
    dist = 2 - 2 * e @ e.T
    same = y[:, None] == y[None]
    eye = torch.eye(len(y), dtype=torch.bool)
    pos = dist.masked_fill(~same | eye, -1).max(1).values
    neg = dist.masked_fill(same, 9).min(1).values
    return F.relu(pos - neg + margin)[pos >= 0].mean()


def main():
    torch.manual_seed(2)
    xt, yt, xv, yv = data()
    net = embedder()
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    for step in range(400):
        idx = torch.randint(len(xt), (64,))
        loss = hard_triplets(embed(net, xt[idx]), yt[idx])
        opt.zero_grad(); loss.backward(); opt.step()
        if not step % 80:
            print(f'{step}\t{float(loss):.4f}')
    net.eval()
    with torch.no_grad():
        knn = KNeighborsClassifier(5).fit(embed(net, xt).numpy(), yt.numpy())
        print('knn', knn.score(embed(net, xv).numpy(), yv.numpy()))


main()
