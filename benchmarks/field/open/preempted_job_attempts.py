# expect: healthy
# about: spot-instance job: killed three times and resumed from a checkpoint holding model, optimizer, scheduler, epoch and random state; same curve as an unbroken run
import io

import torch
import torch.nn as nn
from sklearn.datasets import make_moons
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
X, y = make_moons(3000, noise=0.22, random_state=5)
X, y = torch.tensor(X).float(), torch.tensor(y)
train, test = TensorDataset(X[:2400], y[:2400]), (X[2400:], y[2400:])
EPOCHS = 30


class Preempted(Exception):
    pass


class Job:
    def __init__(self):
        torch.manual_seed(149)
        self.model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, EPOCHS)
        self.epoch = 0

    def save(self):
        blob = io.BytesIO()
        torch.save({"model": self.model.state_dict(), "opt": self.opt.state_dict(), "sched": self.sched.state_dict(), "epoch": self.epoch, "rng": torch.get_rng_state()}, blob)
        return blob.getvalue()

    def load(self, blob):
        state = torch.load(io.BytesIO(blob))
        self.model.load_state_dict(state["model"])
        self.opt.load_state_dict(state["opt"])
        self.sched.load_state_dict(state["sched"])
        self.epoch = state["epoch"]
        torch.set_rng_state(state["rng"])

    def run(self, store, die_at):
        while self.epoch < EPOCHS:
            self.model.train()
            total = 0.0
            for xb, yb in DataLoader(train, 48, shuffle=True):
                loss = nn.functional.cross_entropy(self.model(xb), yb)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item() * len(xb) / len(train)
            self.sched.step()
            self.epoch += 1
            if self.epoch % 2 == 0:
                store["blob"] = self.save()
                self.model.eval()
                with torch.no_grad():
                    out = self.model(test[0])
                print(f"epoch {self.epoch} train {total:.4f} test {nn.functional.cross_entropy(out, test[1]).item():.4f} acc {(out.argmax(1) == test[1]).float().mean():.4f}")
            if self.epoch == die_at:
                raise Preempted


store = {}
for attempt, die_at in enumerate([9, 17, 23, None]):
    job = Job()
    if "blob" in store:
        job.load(store["blob"])
        print(f"attempt {attempt}: resumed at epoch {job.epoch}")
    try:
        job.run(store, die_at)
    except Preempted:
        print("preempted")
