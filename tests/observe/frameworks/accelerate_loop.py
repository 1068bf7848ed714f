"""Accelerate: wrapped model, optimizer, loaders and scheduler, with accumulation."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
x = torch.randn(96, 6)
data = TensorDataset(x, x[:, :1])
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer)
model, optimizer, train, test, scheduler = accelerator.prepare(
    model, optimizer, DataLoader(data, 16, shuffle=True), DataLoader(data, 32), scheduler
)
for _ in range(3):
    model.train()
    for inputs, wanted in train:
        with accelerator.accumulate(model):
            loss = nn.functional.mse_loss(model(inputs), wanted)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
    model.eval()
    with torch.no_grad():
        print(sum(nn.functional.mse_loss(model(inputs), wanted).item() for inputs, wanted in test))
print("steps", 9)
