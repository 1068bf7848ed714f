"""One operation of a line of source, rewritten."""

from __future__ import annotations

import pytest

from traindx.causes._operands import with_axis, with_divisor, with_log_softmax, with_operand, without_call


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("return F.softmax(self.fc(x), dim=1)", "return self.fc(x)"),
        ("    return self.fc(x).softmax(1)  # probabilities", "    return self.fc(x)  # probabilities"),
        ("out = self.softmax(h)", "out = h"),
        ("y = 2 * torch.softmax(a + b, 0)", "y = 2 * (a + b)"),
        ("y = torch.softmax(a + b, 0)", "y = a + b"),
        ("größe = nn.functional.softmax(größe, dim=1)", "größe = größe"),
        ("return self.net(x)", None),
        ("return F.softmax(", None),
        ("return softmax()", None),
    ],
)
def test_call_is_taken_off(line, expected):
    assert without_call(line, "softmax") == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("d = torch.sqrt(x)", "d = torch.sqrt(x + 1e-12)"),
        ("d = (a * b).sum().sqrt()", "d = ((a * b).sum() + 1e-12).sqrt()"),
        ("d = torch.sqrt(a * b)", "d = torch.sqrt((a * b) + 1e-12)"),
        ("d = torch.sqrt(a) / torch.sqrt(b)", None),
        ("d = f(x)", None),
    ],
)
def test_operand_is_made_safe(line, expected):
    assert with_operand(line, "{} + 1e-12", "sqrt") == expected


def test_method_template_needs_no_brackets_around_it():
    assert with_operand("loss = -(y * p.log()).mean()", "{}.clamp(min=1e-8)", "log") == (
        "loss = -(y * p.clamp(min=1e-8).log()).mean()"
    )
    assert with_operand("l = torch.log(1 - p)", "{}.clamp(min=1e-8)", "log") == "l = torch.log((1 - p).clamp(min=1e-8))"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("m = (v * w).sum() / w.sum()", "m = (v * w).sum() / (w.sum() + 1e-8)"),
        ("m = a / b / c", None),
        ("m = a // b", None),
    ],
)
def test_divisor_is_kept_from_zero(line, expected):
    assert with_divisor(line, "{} + 1e-8") == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("p = F.softmax(x, dim=0)", "p = F.softmax(x, dim=-1)"),
        ("p = F.softmax(x.mean(dim=2), 0)", "p = F.softmax(x.mean(dim=2), -1)"),
        ("p = x.softmax(0)", "p = x.softmax(-1)"),
        ("self.act = nn.Softmax(dim=0)", "self.act = nn.Softmax(dim=-1)"),
        ("p = F.softmax(x)", None),
        ("p = self.act(x)", None),
    ],
)
def test_axis_is_moved(line, expected):
    assert with_axis(line, "-1", "softmax", "Softmax") == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("l = torch.log(torch.softmax(z, dim=-1))", "l = torch.log_softmax(z, dim=-1)"),
        ("l = F.softmax(z, dim=1).log()", "l = F.log_softmax(z, dim=1)"),
        ("l = z.softmax(1).log().mean()", "l = z.log_softmax(1).mean()"),
        ("l = torch.log(p)", None),
    ],
)
def test_log_of_softmax_becomes_one_operation(line, expected):
    assert with_log_softmax(line) == expected
