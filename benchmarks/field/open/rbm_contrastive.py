# expect: healthy
# about: restricted Boltzmann machine by contrastive divergence; the printed free-energy difference hovers around zero while reconstructions and pseudo-likelihood improve
import torch
from sklearn.datasets import load_digits

torch.set_num_threads(1)
torch.manual_seed(1)
V = (torch.tensor(load_digits().data, dtype=torch.float32) > 7).float()
V = V[torch.randperm(len(V))]
train, test = V[:1500], V[1500:]
HID = 96


class RBM(torch.nn.Module):
    def __init__(self, nv, nh):
        super().__init__()
        self.W = torch.nn.Parameter(0.05 * torch.randn(nh, nv))
        self.b = torch.nn.Parameter(torch.logit(train.mean(0).clamp(0.02, 0.98)))
        self.c = torch.nn.Parameter(torch.zeros(nh))

    def free_energy(self, v):
        return -(v @ self.b) - torch.nn.functional.softplus(v @ self.W.T + self.c).sum(1)

    def gibbs(self, v, k=1):
        for _ in range(k):
            h = torch.bernoulli(torch.sigmoid(v @ self.W.T + self.c))
            p = torch.sigmoid(h @ self.W + self.b)
            v = torch.bernoulli(p)
        return v, p

    @torch.no_grad()
    def pseudo_likelihood(self, v):
        total = 0
        f = self.free_energy(v)
        for i in range(v.shape[1]):
            w = v.clone()
            w[:, i] = 1 - w[:, i]
            total = total + torch.nn.functional.logsigmoid(self.free_energy(w) - f)
        return total.mean().item()


rbm = RBM(64, HID)
opt = torch.optim.SGD(rbm.parameters(), lr=0.3, momentum=0.5, weight_decay=1e-4)
print(f"independent pixels: log-likelihood {-torch.nn.functional.binary_cross_entropy(train.mean(0).clamp(0.01, 0.99).expand_as(test), test, reduction='none').sum(1).mean():.2f}")
for epoch in range(30):
    gap, rec = 0.0, 0.0
    if epoch == 20:
        opt.param_groups[0]["lr"] = 0.1
    batches = torch.randperm(1500).split(30)
    for b in batches:
        v0 = train[b]
        with torch.no_grad():
            vk, pk = rbm.gibbs(v0, k=2)
        loss = rbm.free_energy(v0).mean() - rbm.free_energy(vk).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        gap += loss.item() / len(batches)
        rec += (v0 - pk).abs().mean().item() / len(batches)
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1} free energy data - model {gap:+.3f} reconstruction error {rec:.4f} test pseudo-likelihood {rbm.pseudo_likelihood(test):.2f}")
