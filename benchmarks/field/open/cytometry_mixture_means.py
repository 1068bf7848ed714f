# expect: symmetric-init
# about: Gaussian mixture of cell populations fitted by gradient descent on the log likelihood, means as parameters
import torch

torch.manual_seed(20)
torch.set_num_threads(1)

K, D = 5, 2
centres = torch.tensor([[-3.0, 0.0], [0.0, 3.0], [3.0, 0.5], [0.5, -3.0], [-2.5, 3.5]])
which = torch.randint(0, K, (2000,))
cells = centres[which] + 0.5 * torch.randn(2000, D)


class Mixture(torch.nn.Module):
    def __init__(self, k, d):
        super().__init__()
        self.logits = torch.nn.Parameter(torch.zeros(k))
        self.mean = torch.nn.Parameter(torch.zeros(k, d))
        self.log_scale = torch.nn.Parameter(torch.zeros(k, d))

    def forward(self, x):
        comp = torch.distributions.Independent(torch.distributions.Normal(self.mean, self.log_scale.exp()), 1)
        mix = torch.distributions.Categorical(logits=self.logits)
        return torch.distributions.MixtureSameFamily(mix, comp).log_prob(x)


gmm = Mixture(K, D)
opt = torch.optim.Adam(gmm.parameters(), lr=0.02)
for step in range(1, 801):
    x = cells[torch.randint(0, 1600, (128,))]
    loss = -gmm(x).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        with torch.no_grad():
            print(f"step {step} nll {loss.item():.4f} held-out {-gmm(cells[1600:]).mean().item():.4f}")
# cure: - self.mean = torch.nn.Parameter(torch.zeros(k, d))
# cure: + self.mean = torch.nn.Parameter(cells[torch.randperm(1600)[:k]].clone())
