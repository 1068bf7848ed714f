import tempfile

import torch
import torch.nn.functional as F
from net import Net
from task import BATCH, EPOCHS, data
from transformers import Trainer, TrainingArguments, set_seed


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def forward(self, inputs, labels=None):
        scores = self.net(inputs)
        return {"loss": F.cross_entropy(scores, labels), "logits": scores}


set_seed(0)
rows = [
    [{"inputs": row, "labels": int(label)} for row, label in zip(*data(n, seed), strict=True)]
    for seed, n in enumerate((1024, 256))
]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder,
        num_train_epochs=EPOCHS,
        per_device_train_batch_size=BATCH,
        per_device_eval_batch_size=128,
        learning_rate=1e-3,
        max_grad_norm=0.0,
        lr_scheduler_type="constant",
        eval_strategy="epoch",
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
    )
    trainer = Trainer(Classifier(), arguments, train_dataset=rows[0], eval_dataset=rows[1])
    trainer.train()
