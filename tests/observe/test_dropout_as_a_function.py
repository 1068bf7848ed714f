"""Dropout written as a function, which nothing but its own argument tells the mode."""

from __future__ import annotations

import pytest

from traindx.diagnosis import diagnose

SCRIPT = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.outer = nn.Linear(6, 16), nn.Linear(16, 2)
        def forward(self, x):
            return self.outer({dropout})
    x = torch.randn(120, 6)
    y = (x[:, 0] > 0).long()
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for epoch in range(6):
        net.train()
        for i in range(0, 100, 20):
            optimizer.zero_grad()
            F.cross_entropy(net(x[i : i + 20]), y[i : i + 20]).backward()
            optimizer.step()
        {evaluation}
        with torch.no_grad():
            F.cross_entropy(net(x[100:]), y[100:]).item()
"""
ALWAYS = "F.dropout(self.inner(x), 0.5)"
BY_MODE = "F.dropout(self.inner(x), 0.5, training=self.training)"


@pytest.mark.parametrize(
    ("dropout", "evaluation", "in_train_mode", "dropping"),
    [(ALWAYS, "net.eval()", 6, 6), (BY_MODE, "pass", 6, 0), (BY_MODE, "net.eval()", 0, 0)],
    ids=["always on", "eval() left out", "right"],
)
def test_evaluations_that_drop_out_are_counted(observed, dropout, evaluation, in_train_mode, dropping):
    outcome = observed(SCRIPT.format(dropout=dropout, evaluation=evaluation))
    modes = outcome.run.facts["modes"]
    assert (modes["eval_forwards"], modes["eval_forwards_in_train_mode"]) == (6, in_train_mode)
    assert (modes["eval_forwards_dropping"], modes["mode_layers"]) == (dropping, ["F.dropout"])


def test_the_fix_names_the_call(observed):
    outcome = observed(SCRIPT.format(dropout=ALWAYS, evaluation="net.eval()"))
    leader = diagnose(outcome.run).hypotheses[0]
    assert leader.cause == "eval-mode-missing"
    assert "F.dropout" in leader.fix.location.text and "training=self.training" in leader.fix.code
