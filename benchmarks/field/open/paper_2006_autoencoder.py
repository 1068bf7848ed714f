# expect: vanishing-gradients
# about: deep autoencoder after a 2006 paper, fully connected, trained in one go
import torch
from sklearn.datasets import load_digits

torch.manual_seed(6)
torch.set_num_threads(1)
act = torch.nn.Sigmoid
sizes = [64, 56, 48, 40, 32, 16, 32, 40, 48, 56, 64]

layers = []
for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
    layers.append(torch.nn.Linear(a, b))
    if i < len(sizes) - 2:
        layers.append(act())
model = torch.nn.Sequential(*layers)

data = torch.tensor(load_digits().data, dtype=torch.float32) / 16
data = data - data.mean(0)
train, test = data[:1500], data[1500:]
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(30):
    for idx in torch.randperm(len(train)).split(50):
        x = train[idx]
        loss = ((model(x) - x) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if (epoch + 1) % 5 == 0:
        with torch.no_grad():
            err = ((model(test) - test) ** 2).mean().item()
        print(f"epoch {epoch + 1}: train {loss.item():.5f}, test {err:.5f} (variance {test.pow(2).mean().item():.5f})")
# cure: - act = torch.nn.Sigmoid
# cure: + act = torch.nn.ReLU
