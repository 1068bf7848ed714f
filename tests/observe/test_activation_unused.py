"""An activation that is made and never called: seen where it leaves the model linear, and only there."""

from __future__ import annotations

import pytest

from traindx.diagnosis import diagnose
from traindx.signs import measure_all

SCRIPT = """
x = torch.rand(400, 2) * 4 - 2
y = (x.norm(dim=1) > 1.2).float()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.out = nn.Linear(2, 32), nn.Linear(32, 32), nn.Linear(32, 1)
        self.act = nn.KIND()
    def forward(self, x):
        x = FIRST
        x = self.fc2(x)
        return self.out(x).squeeze(1)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(10):
    for rows in torch.randperm(400).split(40):
        optimizer.zero_grad()
        F.binary_cross_entropy_with_logits(model(x[rows]), y[rows]).backward()
        optimizer.step()
"""


def program(kind: str, first: str) -> str:
    return SCRIPT.replace("KIND", kind).replace("FIRST", first)


def test_a_relu_that_forward_forgets_is_seen(observed):
    leading = diagnose(observed(program("ReLU", "self.fc1(x)")).run).hypotheses[0]
    assert leading.cause == "no-nonlinearity" and leading.basis == "seen"


@pytest.mark.parametrize(
    ("kind", "first"),
    [("ReLU", "F.relu(self.fc1(x))"), ("ReLU", "self.act(self.fc1(x))"), ("Sigmoid", "self.fc1(x)")],
    ids=["left over beside the function", "called", "for predictions"],
)
def test_what_is_called_or_left_over_is_not(observed, kind, first):
    signs = measure_all(observed(program(kind, first)).run)
    assert signs.level("activation-unused") == 0.0
