# expect: lr-too-low
# about: plain SGD at 1e-4 on standardised wine features
# also: undertrained, no-momentum
import torch, torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale
from sklearn.model_selection import train_test_split
torch.manual_seed(1)
torch.set_num_threads(1)
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = [torch.tensor(a) for a in train_test_split(scale(X), y, random_state=0)]
X_train, X_test = X_train.float(), X_test.float()

model = nn.Sequential(nn.Linear(13, 50), nn.ReLU(), nn.Linear(50, 3))
loss_fn = nn.CrossEntropyLoss()
learning_rate = 1e-4
optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)
for epoch in range(150):
    for i in range(0, len(X_train), 16):
        y_pred = model(X_train[i:i+16])
        loss = loss_fn(y_pred, y_train[i:i+16])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 15 == 14:
        with torch.no_grad():
            test = model(X_test)
            print('epoch', epoch + 1, 'loss', loss.item(), 'test loss', loss_fn(test, y_test).item(), 'acc', (test.argmax(1) == y_test).float().mean().item())
# cure: - learning_rate = 1e-4
# cure: + learning_rate = 3e-2
