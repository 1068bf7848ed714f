# expect: lr-too-high
# also: exploding-gradients
# about: matrix factorisation with SGD at a rate under which the squared errors run off to NaN
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(5)
n_users, n_items, k = 120, 80, 6
U, V = torch.randn(n_users, k) / k**0.5, torch.randn(n_items, k)
pairs = torch.cartesian_prod(torch.arange(n_users), torch.arange(n_items))
pairs = pairs[torch.randperm(len(pairs))][:5000]
ratings = (U[pairs[:, 0]] * V[pairs[:, 1]]).sum(1) + 0.1 * torch.randn(5000)
cut = 4400


class MF(nn.Module):
    def __init__(self, factors=8):
        super().__init__()
        self.u = nn.Embedding(n_users, factors)
        self.v = nn.Embedding(n_items, factors)
        nn.init.normal_(self.u.weight, std=0.3)
        nn.init.normal_(self.v.weight, std=0.3)

    def forward(self, ij):
        return (self.u(ij[:, 0]) * self.v(ij[:, 1])).sum(-1)


config = {"lr": 0.1, "batch": 100, "epochs": 12}
model = MF()
opt = torch.optim.SGD(model.parameters(), lr=config["lr"], momentum=0.9)
for epoch in range(config["epochs"]):
    perm = torch.randperm(cut)
    losses = []
    for b in perm.split(config["batch"]):
        opt.zero_grad()
        loss = ((model(pairs[b]) - ratings[b]) ** 2).sum()
        loss.backward()
        opt.step()
        losses.append(loss.item() / len(b))
    with torch.no_grad():
        rmse = ((model(pairs[cut:]) - ratings[cut:]) ** 2).mean().sqrt()
    print(f"{epoch:02d} train mse {sum(losses) / len(losses):.4f} test rmse {rmse:.4f}")
# cure: - config = {"lr": 0.1, "batch": 100, "epochs": 12}
# cure: + config = {"lr": 0.005, "batch": 100, "epochs": 12}
