# expect: no-nonlinearity
# about: three linear layers in a row on concentric circles
# also: model-too-small
import torch
from torch import nn
from sklearn.datasets import make_circles

torch.manual_seed(42)
torch.set_num_threads(1)
X, y = make_circles(1500, noise=0.05, factor=0.5, random_state=42)
X = torch.from_numpy(X).type(torch.float)
y = torch.from_numpy(y).type(torch.float)
X_train, X_test, y_train, y_test = X[:1200], X[1200:], y[:1200], y[1200:]


class CircleModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer_1 = nn.Linear(2, 16)
        self.layer_2 = nn.Linear(16, 16)
        self.layer_3 = nn.Linear(16, 1)

    def forward(self, x):
        return self.layer_3(self.layer_2(self.layer_1(x)))


model_0 = CircleModel()
loss_fn = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(params=model_0.parameters(), lr=0.005)
for epoch in range(25):
    model_0.train()
    for b in torch.randperm(1200).split(40):
        loss = loss_fn(model_0(X_train[b]).squeeze(), y_train[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model_0.eval()
    with torch.inference_mode():
        test_logits = model_0(X_test).squeeze()
        test_loss = loss_fn(test_logits, y_test)
    if epoch % 3 == 0:
        print(f"Epoch: {epoch} | Loss: {loss:.5f} | Test loss: {test_loss:.5f}, Test acc: {((test_logits > 0) == y_test.bool()).float().mean():.3f}")
# cure: - return self.layer_3(self.layer_2(self.layer_1(x)))
# cure: + return self.layer_3(torch.relu(self.layer_2(torch.relu(self.layer_1(x)))))
