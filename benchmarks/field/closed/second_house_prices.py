# expect: unscaled-targets
# also: lr-too-low
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(50)
rng = np.random.default_rng(50)
n = 2500
df = pd.DataFrame({
    "area": rng.normal(110, 35, n).clip(30),
    "rooms": rng.integers(1, 7, n),
    "age": rng.integers(0, 90, n),
    "dist_center": rng.exponential(6, n),
    "floor": rng.integers(0, 9, n),
})
df["price"] = (2400 * df.area * np.exp(-0.05 * df.dist_center) + 9000 * df.rooms - 700 * df.age + 40000
               + rng.normal(0, 12000, n))
train_df, test_df = train_test_split(df, test_size=0.2, random_state=50)
feats = ["area", "rooms", "age", "dist_center", "floor"]
scaler = StandardScaler().fit(train_df[feats])
X_train = torch.tensor(scaler.transform(train_df[feats]), dtype=torch.float32)
X_test = torch.tensor(scaler.transform(test_df[feats]), dtype=torch.float32)
y_train = torch.tensor(train_df["price"].to_numpy(), dtype=torch.float32).unsqueeze(1)
y_test = torch.tensor(test_df["price"].to_numpy(), dtype=torch.float32).unsqueeze(1)
y_mean, y_std = 0.0, 1.0

model = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(50):
    model.train()
    for idx in torch.randperm(len(X_train)).split(50):
        optimizer.zero_grad()
        loss = criterion(model(X_train[idx]), (y_train[idx] - y_mean) / y_std)
        loss.backward()
        optimizer.step()
    if epoch % 5 == 4:
        model.eval()
        with torch.no_grad():
            pred = model(X_test) * y_std + y_mean
            rmse = ((pred - y_test) ** 2).mean().sqrt().item()
        print(f"epoch {epoch+1} loss {loss.item():.5g} test rmse {rmse:,.0f} EUR")
print("std of test prices %.0f" % y_test.std().item())
