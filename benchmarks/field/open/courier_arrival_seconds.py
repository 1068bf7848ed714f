# expect: unscaled-targets
# about: courier arrival time in seconds from the stops of a tour, GRU with Adam
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(80)
torch.set_num_threads(1)


def tour():
    stops = int(torch.randint(3, 10, (1,)))
    legs = torch.rand(stops, 2)  # distance, traffic
    seconds = (240 + 900 * legs[:, 0] * (1 + legs[:, 1])).sum() + 60 * torch.randn(())
    return legs, seconds


def collate(items):
    legs, seconds = zip(*items)
    lengths = torch.tensor([len(x) for x in legs])
    return pad_sequence(legs, batch_first=True), lengths, torch.stack(seconds)


class Arrival(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(2, 32, batch_first=True)
        self.fc = nn.Linear(32, 1)

    def forward(self, x, lengths):
        _, h = self.gru(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
        return self.fc(h[-1]).squeeze(-1)


train, test = [tour() for _ in range(1500)], collate([tour() for _ in range(300)])
scale = 1.0
net = Arrival()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(10):
    total = 0.0
    for x, n, t in DataLoader(train, batch_size=50, shuffle=True, collate_fn=collate):
        loss = nn.functional.l1_loss(net(x, n), t / scale)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        mae = (net(test[0], test[1]) * scale - test[2]).abs().mean().item()
    print(f"epoch {epoch + 1} loss {total / 30:.3f} test MAE {mae:.0f} s (mean tour {test[2].mean().item():.0f} s)")
# cure: - scale = 1.0
# cure: + scale = 3000.0
