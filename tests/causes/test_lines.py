"""One line of source, rewritten."""

import pytest

from traindx.causes._lines import (
    assigned_name,
    with_call_renamed,
    with_keyword,
    with_loss_divided,
    without_detach,
    without_minus,
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("opt = torch.optim.SGD(model.parameters(), lr=5.0)", "opt = torch.optim.SGD(model.parameters(), lr=0.05)"),
        ("    opt = SGD(p, lr=args.lr, momentum=0.9)  # fast", "    opt = SGD(p, lr=0.05, momentum=0.9)  # fast"),
        ("lr=5.0,", "lr=0.05,"),
        ("model.parameters(), lr=5.0)", "model.parameters(), lr=0.05)"),
        ("opt = SGD(p, lr=5.0,", "opt = SGD(p, lr=0.05,"),
        ("for x in make(lr=5.0):", "for x in make(lr=0.05):"),
        ("öpt = SGD(größe, lr=5.0)", "öpt = SGD(größe, lr=0.05)"),
    ],
)
def test_keyword_is_replaced(line: str, expected: str) -> None:
    assert with_keyword(line, "lr", "0.05") == expected


def test_outermost_call_wins() -> None:
    line = "DataLoader(Inner(batch_size=1), batch_size=2)"
    assert with_keyword(line, "batch_size", "32") == "DataLoader(Inner(batch_size=1), batch_size=32)"


@pytest.mark.parametrize("line", ["", "opt = SGD(", "x = 1", "opt = SGD(p)", "((", "\0", "return"])
def test_line_that_does_not_tell(line: str) -> None:
    assert with_keyword(line, "lr", "0.05") is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("opt = SGD(p, 5.0, 0.9)", "opt = SGD(p, 0.05, 0.9)"),
        ("opt = optim.SGD(m.parameters())", "opt = optim.SGD(m.parameters(), lr=0.05)"),
        ("opt = prepare(SGD(p, ))", "opt = prepare(SGD(p, lr=0.05))"),
        ("opt = SGD(*everything)", None),
        ("opt = SGD(p, **settings)", None),
        ("opt = Adam(p)", None),
    ],
)
def test_argument_of_a_named_call(line: str, expected: str | None) -> None:
    assert with_keyword(line, "lr", "0.05", call="SGD", position=1) == expected


def test_call_is_renamed() -> None:
    line = "opt = torch.optim.Adam(m.parameters(), lr=1e-3, weight_decay=0.01)"
    assert with_call_renamed(line, "Adam", "AdamW") == line.replace("Adam(", "AdamW(")
    assert with_call_renamed("  opt = Adam(p)", "Adam", "AdamW") == "  opt = AdamW(p)"
    assert with_call_renamed("opt = Adamax(p)", "Adam", "AdamW") is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("loss = -F.cross_entropy(x, y)", "loss = F.cross_entropy(x, y)"),
        ("loss = -criterion(x, y) / 4", "loss = criterion(x, y) / 4"),
        ("(-loss).backward()", "(loss).backward()"),
        ("  return -(a + b) * c", "  return (a + b) * c"),
        ("loss = F.softmax(x, dim=-1).mean()", None),
        ("loss = criterion(x, y)", None),
        ("loss = -criterion(", None),
    ],
)
def test_minus_is_removed(line: str, expected: str | None) -> None:
    assert without_minus(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("loss.backward()", "(loss / 4).backward()"),
        ("  scaler.scale(loss).backward()", "  scaler.scale(loss / 4).backward()"),
        ("accelerator.backward(loss)", "accelerator.backward(loss / 4)"),
        ("(a + b).backward()", "((a + b) / 4).backward()"),
        ("scaler.scale(a + b).backward()", "scaler.scale((a + b) / 4).backward()"),
        ("loss.mean()", None),
    ],
)
def test_loss_is_divided(line: str, expected: str | None) -> None:
    assert with_loss_divided(line, "4") == expected


@pytest.mark.parametrize(
    ("line", "expected"), [("opt = f()", "opt"), ("self.opt = f()", "self.opt"), ("a, b = f()", None), ("f(", None)]
)
def test_assigned_name(line: str, expected: str | None) -> None:
    assert assigned_name(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("h = self.enc(x).detach()", "h = self.enc(x)"),
        ("y = f(h.data, g(x.detach()).detach())", "y = f(h, g(x))"),
        ("h = self.enc(x)", None),
        ("h = data(x)", None),
        ("h = f(x.detach(),", None),
    ],
)
def test_detach_is_taken_off(line: str, expected: str | None) -> None:
    assert without_detach(line) == expected
