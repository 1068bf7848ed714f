"""Small healthy programs that could raise a sign which shows a fault. Each is run as it stands."""

from __future__ import annotations

DATA = """
C = torch.randn(4, 16) * 1.2
def make(n):
    y = torch.randint(0, 4, (n,))
    return C[y] + torch.randn(n, 16), y
"""
LOADERS = (
    DATA
    + """
train = TensorDataset(*make(1000)); val = TensorDataset(*make(400))
tl = DataLoader(train, 32, shuffle=True); vl = DataLoader(val, 64)
"""
)


def after(head: str, programs: dict[str, str]) -> dict[str, str]:
    return {name: head + text for name, text in programs.items()}
