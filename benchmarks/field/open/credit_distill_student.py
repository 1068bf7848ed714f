# expect: wrong-loss
# about: a small student net distilled from an ensemble teacher's class probabilities with the KL divergence
import torch
import torch.nn.functional as F
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)

X, y = make_classification(2600, 18, n_informative=10, n_classes=5, class_sep=1.4, random_state=2)
teacher = RandomForestClassifier(60, random_state=0, n_jobs=1).fit(X[:2000], y[:2000])
soft = torch.tensor(teacher.predict_proba(X[:2000]), dtype=torch.float32)
X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y)


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(18, 48)
        self.fc2 = nn.Linear(48, 48)
        self.fc3 = nn.Linear(48, 5)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


student = Student()
optimizer = torch.optim.Adam(student.parameters(), lr=3e-3)
kl = nn.KLDivLoss(reduction="batchmean")


def distillation_loss(student_logits, teacher_probs):
    p = F.softmax(student_logits, dim=1)
    return kl(p, teacher_probs)


print("teacher accuracy", teacher.score(X[2000:].numpy(), y[2000:].numpy()))
for epoch in range(1, 16):
    total = 0.0
    for idx in torch.randperm(2000).split(50):
        optimizer.zero_grad()
        loss = distillation_loss(student(X[idx]), soft[idx])
        loss.backward()
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        logits = student(X[2000:])
        acc = (logits.argmax(1) == y[2000:]).float().mean().item()
        nll = F.cross_entropy(logits, y[2000:]).item()
    print(f"epoch {epoch:2d} | distill loss {total / 40:.4f} | student acc {acc:.4f} | test nll {nll:.4f}")
# cure: - p = F.softmax(student_logits, dim=1)
# cure: + p = F.log_softmax(student_logits, dim=1)
