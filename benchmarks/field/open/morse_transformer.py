# expect: undertrained
# about: small transformer that decodes noisy morse timings, run for a few passes over the data
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(31)
torch.set_num_threads(1)
letters, slots = 12, 14
codes = (torch.rand(letters, slots) > 0.5).float()
EPOCHS = 4


def transmit(n):
    y = torch.randint(0, letters, (n,))
    return TensorDataset((codes[y] + 0.45 * torch.randn(n, slots)).unsqueeze(-1), y)


class MorseReader(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.inp = nn.Linear(1, d)
        self.pos = nn.Parameter(0.3 * torch.randn(slots, d))
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 2, 64, dropout=0.0, batch_first=True, norm_first=True), 2, enable_nested_tensor=False)
        self.out = nn.Linear(d, letters)

    def forward(self, x):
        return self.out(self.enc(self.inp(x) + self.pos).mean(1))


train, test = transmit(1500), transmit(400)
model = MorseReader()
opt = torch.optim.Adam(model.parameters(), lr=5e-4)
loader = DataLoader(train, batch_size=32, shuffle=True)
for epoch in range(EPOCHS):
    for k, (x, y) in enumerate(loader):
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = model(test.tensors[0])
    print(f"epoch {epoch + 1} loss {loss.item():.4f} test loss {nn.functional.cross_entropy(out, test.tensors[1]):.4f} test acc {(out.argmax(1) == test.tensors[1]).float().mean():.3f}")
# cure: - EPOCHS = 4
# cure: + EPOCHS = 16
