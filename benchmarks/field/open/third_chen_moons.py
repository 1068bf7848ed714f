# expect: healthy
import argparse
import numpy as np
import torch
from torch import nn
from torch import autograd
from sklearn.datasets import make_moons
from scipy.stats import wasserstein_distance


def mlp(i, o, h=96):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.1), nn.Linear(h, h), nn.LeakyReLU(0.1), nn.Linear(h, o))


def penalty(critic, real, fake):
    eps = torch.rand(len(real), 1)
    mid = (eps * real + (1 - eps) * fake).requires_grad_(True)
    g, = autograd.grad(critic(mid).sum(), mid, create_graph=True)
    return ((g.norm(2, dim=1) - 1) ** 2).mean()


def sliced(a, b, n=30):
    rng = np.random.default_rng(0)
    out = []
    for _ in range(n):
        v = rng.normal(size=2)
        v /= np.linalg.norm(v)
        out.append(wasserstein_distance(a @ v, b @ v))
    return float(np.mean(out))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--iters", type=int, default=900)
    ap.add_argument("--critic-iters", type=int, default=4)
    ap.add_argument("--lam", type=float, default=0.5)
    a = ap.parse_args()
    torch.manual_seed(0)
    x, _ = make_moons(4000, noise=0.05, random_state=0)
    x = torch.tensor((x - x.mean(0)) / x.std(0)).float()
    gen, critic = mlp(4, 2), mlp(2, 1)
    og = torch.optim.Adam(gen.parameters(), lr=1e-3, betas=(0.5, 0.9))
    oc = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
    start = sliced(gen(torch.randn(2000, 4)).detach().numpy(), x[:2000].numpy())
    for it in range(a.iters):
        for _ in range(a.critic_iters):
            real = x[torch.randint(len(x), (128,))]
            with torch.no_grad():
                fake = gen(torch.randn(128, 4))
            loss = critic(fake).mean() - critic(real).mean() + a.lam * penalty(critic, real, fake)
            oc.zero_grad()
            loss.backward()
            oc.step()
        gl = -critic(gen(torch.randn(128, 4))).mean()
        og.zero_grad()
        gl.backward()
        og.step()
        if it % 50 == 0:
            print(f"{it} critic {loss.item():.3f} gen {gl.item():.3f}")
    end = sliced(gen(torch.randn(2000, 4)).detach().numpy(), x[:2000].numpy())
    print(f"sliced W1 start {start:.3f} end {end:.3f}")


if __name__ == "__main__":
    main()
