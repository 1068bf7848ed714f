# expect: double-softmax
# about: patch transformer on digits with a focal loss helper and label smoothing
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(28)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
patches = torch.tensor(X, dtype=torch.float32).view(-1, 4, 2, 4, 2).permute(0, 1, 3, 2, 4).reshape(-1, 16, 4) / 8 - 1
y = torch.tensor(y)


class FocalLoss(nn.Module):
    def __init__(self, gamma=1.0):
        super().__init__()
        self.gamma = gamma

    def forward(self, probs, target):
        ce = F.cross_entropy(probs, target, reduction="none", label_smoothing=0.05)
        pt = probs.gather(1, target[:, None]).squeeze(1)
        return ((1 - pt) ** self.gamma * ce).mean()


class PatchNet(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.inp, self.pos = nn.Linear(4, d), nn.Parameter(0.02 * torch.randn(16, d))
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 4, 64, 0.0, batch_first=True, norm_first=True), 2, enable_nested_tensor=False)
        self.head = nn.Linear(d, 10)

    def forward(self, p):
        return self.head(self.enc(self.inp(p) + self.pos).mean(1))


net, focal = PatchNet(), FocalLoss()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for epoch in range(8):
    for b in torch.randperm(1400).split(40):
        probs = net(patches[b]).softmax(-1)
        loss = focal(probs, y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = net(patches[1400:])
    print(f"epoch {epoch + 1} focal {loss.item():.4f} val nll {F.cross_entropy(out, y[1400:]).item():.3f} acc {(out.argmax(1) == y[1400:]).float().mean():.3f}")
# cure: - ce = F.cross_entropy(probs, target, reduction="none", label_smoothing=0.05)
# cure: + ce = F.nll_loss(torch.log(probs + 1e-8), target, reduction="none")
