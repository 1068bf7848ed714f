import torch
import torch.nn.functional as F
from accelerate import Accelerator
from net import Net
from task import BATCH, EPOCHS, data
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
accelerator = Accelerator(cpu=True)
train, test = (TensorDataset(*map(torch.from_numpy, data(n, seed))) for seed, n in enumerate((1024, 256)))
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
model, optimizer, loader, test_loader = accelerator.prepare(
    model, optimizer, DataLoader(train, BATCH, shuffle=True), DataLoader(test, 128)
)
for _ in range(EPOCHS):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
    model.eval()
    with torch.no_grad():
        total = sum(F.cross_entropy(model(x), y, reduction="sum").item() for x, y in test_loader)
    print("val_loss", total / len(test))
