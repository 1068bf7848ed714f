# expect: broadcast-loss
# about: Hugging Face Trainer with an own regression loss on a plain PyTorch model, boiling points from descriptors
import tempfile
import warnings

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
set_seed(19)


class Molecules(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, 12, generator=g)
        self.y = self.x[:, 0] * 1.2 - self.x[:, 1] + torch.relu(self.x[:, 2]) + 0.1 * torch.randn(n, generator=g)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"descriptors": self.x[i], "labels": self.y[i]}


class BoilingPoint(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1))

    def forward(self, descriptors, labels=None):
        return {"logits": self.net(descriptors)}


class RegressionTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs["labels"]
        outputs = model(inputs["descriptors"])
        preds = outputs["logits"]
        loss = ((preds - labels) ** 2).mean()
        return (loss, outputs) if return_outputs else loss


def metrics(pred):
    error = ((pred.predictions.reshape(-1) - pred.label_ids.reshape(-1)) ** 2).mean()
    return {"r2": 1 - error / pred.label_ids.var()}


model = BoilingPoint()
with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(out, num_train_epochs=8, per_device_train_batch_size=32, per_device_eval_batch_size=100, learning_rate=2e-3, eval_strategy="epoch", logging_steps=50,
                             save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, remove_unused_columns=False, label_names=["labels"], dataloader_pin_memory=False)
    trainer = RegressionTrainer(model=model, args=args, train_dataset=Molecules(800, 1), eval_dataset=Molecules(200, 2), compute_metrics=metrics)
    trainer.train()
    print(trainer.evaluate())
# cure: - preds = outputs["logits"]
# cure: + preds = outputs["logits"].squeeze(-1)
