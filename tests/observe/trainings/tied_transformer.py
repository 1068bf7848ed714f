"""A causal language model whose output layer is its embedding."""

import torch
from _state import show
from torch import nn


class Model(nn.Module):
    def __init__(self, vocabulary=32, width=32, length=12):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.position = nn.Parameter(torch.zeros(length, width))
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.1, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, ids):
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        return self.head(self.body(self.embedding(ids) + self.position[: ids.shape[1]], mask=mask, is_causal=True))


torch.manual_seed(12)
model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 10))
for step in range(25):
    ids = torch.randint(0, 32, (8, 13))
    ids[:, 1::2] = ids[:, ::2][:, : ids[:, 1::2].shape[1]]
    logits = model(ids[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 32), ids[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    warmup.step()
    if step % 5 == 0:
        model.eval()
        with torch.inference_mode():
            held_out = torch.randint(0, 32, (8, 13))
            logits = model(held_out[:, :-1])
            print(step, loss.item(), nn.functional.cross_entropy(logits.transpose(1, 2), held_out[:, 1:]).item())
        model.train()
show(*model.parameters())
