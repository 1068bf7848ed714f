# expect: healthy
import argparse
import torch
from torch import nn
from torch.nn import functional as F
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA


class VAE(nn.Module):
    def __init__(self, z=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 128), nn.ReLU())
        self.mu, self.lv = nn.Linear(128, z), nn.Linear(128, z)
        self.dec = nn.Sequential(nn.Linear(z, 128), nn.ReLU(), nn.Linear(128, 64))

    def forward(self, x):
        h = self.enc(x)
        mu, lv = self.mu(h), self.lv(h)
        z = mu + torch.randn_like(mu) * (0.5 * lv).exp() if self.training else mu
        return self.dec(z), mu, lv


def elbo(logits, x, mu, lv, beta):
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    kl = -0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp())
    return rec + beta * kl


def main(args):
    torch.manual_seed(args.seed)
    x = torch.tensor(load_digits().data).float() / 16
    x = x[torch.randperm(len(x))]
    tr, te = x[:1400], x[1400:]
    net = VAE()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    loader = torch.utils.data.DataLoader(tr, batch_size=args.batch_size, shuffle=True)
    for ep in range(args.epochs):
        net.train()
        tot = 0
        beta = min(1.0, ep / 10) * 0.5
        for b in loader:
            loss = elbo(*[(r := net(b))[0], b, r[1], r[2]], beta)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item()
        net.eval()
        with torch.no_grad():
            o, mu, lv = net(te)
            mse = F.mse_loss(o.sigmoid(), te).item()
        if ep % 5 == 4:
            print(f"epoch {ep} elbo/sample {tot/len(tr):.3f} test mse {mse:.4f}")
    pc = PCA(2).fit(tr)
    r = torch.tensor(pc.inverse_transform(pc.transform(te))).float()
    print(f"test mse {mse:.4f} mean image {F.mse_loss(tr.mean(0).expand_as(te), te).item():.4f} pca2 {F.mse_loss(r, te).item():.4f}")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=60)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--seed", type=int, default=3)
    main(ap.parse_args())
