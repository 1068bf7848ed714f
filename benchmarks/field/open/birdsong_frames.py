# expect: eval-mode-missing
# about: bird call classifier on spectrogram frames with batch norm and dropout, validated one recording at a time
import torch
from torch import nn

torch.manual_seed(17)
torch.set_num_threads(1)
SPECIES, MEL, T = 6, 16, 12
prototypes = torch.randn(SPECIES, MEL, T)


def recordings(n):
    y = torch.randint(0, SPECIES, (n,))
    x = prototypes[y] + 4.0 * torch.randn(n, MEL, T)
    return x, y


class CallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(MEL, 32, 3, padding=1), nn.BatchNorm1d(32), nn.ReLU(), nn.Conv1d(32, 32, 3, padding=1), nn.BatchNorm1d(32), nn.ReLU())
        self.fc = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(32 * T, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, SPECIES))

    def forward(self, x):
        return self.fc(self.conv(x))


def fit(model, train, val, epochs, lr):
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    (xt, yt), (xv, yv) = train, val
    for epoch in range(epochs):
        model.train()
        train_loss = 0.0
        for i in torch.randperm(len(xt)).split(32):
            optimizer.zero_grad()
            loss = criterion(model(xt[i]), yt[i])
            loss.backward()
            optimizer.step()
            train_loss += loss.item() * len(i)
        model.eval
        val_loss, right = 0.0, 0
        with torch.no_grad():
            for j in range(len(xv)):
                out = model(xv[j : j + 1])
                val_loss += criterion(out, yv[j : j + 1]).item()
                right += int(out.argmax() == yv[j])
        print(f"epoch {epoch + 1:02d} train loss {train_loss / len(xt):.3f} val loss {val_loss / len(xv):.3f} val acc {right / len(xv):.3f}")


fit(CallNet(), recordings(900), recordings(150), epochs=8, lr=0.02)
# cure: - model.eval
# cure: + model.eval()
