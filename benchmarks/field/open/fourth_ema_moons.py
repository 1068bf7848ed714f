# expect: healthy
import copy
import numpy as np
import torch
from sklearn.datasets import make_moons


class Ema:
    def __init__(self, net, decay):
        self.shadow = copy.deepcopy(net).eval()
        for p in self.shadow.parameters():
            p.requires_grad = False
        self.decay = decay

    @torch.no_grad()
    def update(self, net):
        for s, p in zip(self.shadow.parameters(), net.parameters()):
            s.lerp_(p, 1 - self.decay)


def main():
    torch.manual_seed(0)
    x, y = make_moons(1500, noise=0.2, random_state=4)
    x, y = torch.from_numpy(x).float(), torch.from_numpy(y)
    xt, yt, xv, yv = x[:1000], y[:1000], x[1000:], y[1000:]
    net = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(),
                              torch.nn.Linear(64, 2))
    ema = Ema(net, 0.99)
    opt = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
    hist = []
    for it in range(2500):
        k = np.random.randint(0, len(xt), 16)
        loss = torch.nn.functional.cross_entropy(net(xt[k]), yt[k])
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update(net)
        if it % 250 == 0:
            raw = (net(xv).argmax(1) == yv).float().mean().item()
            avg = (ema.shadow(xv).argmax(1) == yv).float().mean().item()
            hist.append((it, raw, avg))
    return avg


final = main()
