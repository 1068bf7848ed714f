# expect: healthy
# about: Accelerate loop with accumulate(), four micro-batches per update, clipping through the accelerator, tabular classification
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.set_num_threads(1)
    set_seed(9)
    X, y = make_classification(8000, 20, n_informative=10, n_redundant=4, class_sep=0.9, flip_y=0.05, random_state=9)
    Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.25, random_state=9, stratify=y)
    mu, sd = Xtr.mean(0), Xtr.std(0)
    to = lambda a, b: TensorDataset(torch.tensor((a - mu) / sd, dtype=torch.float32), torch.tensor(b, dtype=torch.float32))
    train_loader = DataLoader(to(Xtr, ytr), batch_size=16, shuffle=True)
    val_loader = DataLoader(to(Xva, yva), batch_size=500)

    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)
    model = nn.Sequential(nn.Linear(20, 64), nn.GELU(), nn.Dropout(0.1), nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.02)
    epochs = 8
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=4e-3, total_steps=epochs * (len(train_loader) // 4 + 1))
    model, optimizer, train_loader, val_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, val_loader, scheduler)
    criterion = nn.BCEWithLogitsLoss()

    for epoch in range(epochs):
        model.train()
        seen = 0.0
        for xb, yb in train_loader:
            with accelerator.accumulate(model):
                loss = criterion(model(xb).squeeze(1), yb)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            seen += loss.item()
        model.eval()
        outs, labels = [], []
        with torch.no_grad():
            for xb, yb in val_loader:
                o, l = accelerator.gather_for_metrics((model(xb).squeeze(1), yb))
                outs.append(o)
                labels.append(l)
        outs, labels = torch.cat(outs), torch.cat(labels)
        accelerator.print(f"epoch {epoch}: train {seen / len(train_loader):.4f} val {criterion(outs, labels).item():.4f} acc {((outs > 0) == (labels > 0.5)).float().mean():.4f} auc {roc_auc_score(labels, outs):.4f}")


main()
