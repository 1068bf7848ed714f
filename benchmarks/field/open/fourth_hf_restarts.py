# expect: healthy
import tempfile

import numpy as np
import torch
from sklearn.datasets import load_digits
from transformers import Trainer, TrainingArguments, ViTConfig, ViTForImageClassification, set_seed

set_seed(1)
d = load_digits()
order = np.random.permutation(len(d.target))
pix = torch.tensor((d.images - 8) / 8, dtype=torch.float32).unsqueeze(1)
lab = torch.tensor(d.target)


class DS(torch.utils.data.Dataset):
    def __init__(self, idx):
        self.idx = idx

    def __len__(self):
        return len(self.idx)

    def __getitem__(self, i):
        j = self.idx[i]
        return {"pixel_values": pix[j], "labels": lab[j]}


cfg = ViTConfig(image_size=8, patch_size=2, num_channels=1, hidden_size=48, num_hidden_layers=2,
                num_attention_heads=4, intermediate_size=96, num_labels=10,
                hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
model = ViTForImageClassification(cfg)
for p in model.vit.embeddings.patch_embeddings.parameters():
    p.requires_grad_(False)

trainer = Trainer(
    model=model,
    args=TrainingArguments(
        tempfile.mkdtemp(), num_train_epochs=12, per_device_train_batch_size=16, gradient_accumulation_steps=2,
        learning_rate=2e-3, lr_scheduler_type="cosine_with_restarts", lr_scheduler_kwargs={"num_cycles": 3},
        label_smoothing_factor=0.1, weight_decay=0.01, logging_steps=100, save_strategy="no",
        report_to=[], use_cpu=True, disable_tqdm=True, eval_strategy="no",
    ),
    train_dataset=DS(order[:1400]),
    eval_dataset=DS(order[1400:]),
    compute_metrics=lambda p: {"acc": float((p.predictions.argmax(1) == p.label_ids).mean())},
)
trainer.train()
result = trainer.evaluate()
