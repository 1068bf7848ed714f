"""Frozen parameters that are tables, not layers."""

from __future__ import annotations

import pytest

from traindx.signs import measure_all

SCRIPT = """
x = torch.randn(256, 8, 4)
y = (x[:, 0, 0] > x[:, 3, 1]).long()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        angles = torch.arange(8.0)[:, None] * torch.exp(-torch.arange(16.0) / 4)
        self.positions = nn.Parameter(torch.cat([angles.sin(), angles.cos()], 1), requires_grad=False)
        self.inputs, self.hidden, self.out = nn.Linear(4, 32), nn.Linear(32, 32), nn.Linear(256, 2)
        FREEZE
    def forward(self, x):
        h = torch.relu(self.inputs(x) + self.positions)
        return self.out(torch.relu(self.hidden(h)).flatten(1))
model = Net()
optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.01)
for epoch in range(6):
    for rows in torch.randperm(256).split(32):
        optimizer.zero_grad()
        F.cross_entropy(model(x[rows]), y[rows]).backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("freeze", "raised"),
    [("pass", False), ("self.hidden.weight.requires_grad_(False)", True)],
    ids=["a table of positions", "a layer beside it"],
)
def test_a_table_of_positions_is_no_untrained_layer(observed, freeze, raised):
    signs = measure_all(observed(SCRIPT.replace("FREEZE", freeze)).run)
    assert (signs.level("fresh-layers-frozen") >= 0.5) == raised
