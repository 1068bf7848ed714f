# expect: frozen-layers
# about: BERT-style classifier built from a config (no pretrained weights) with the usual freeze-the-base loop from a tutorial
import torch
from torch.utils.data import DataLoader, TensorDataset
from transformers import BertConfig, BertForSequenceClassification

torch.set_num_threads(1)
torch.manual_seed(0)
config = BertConfig(vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=16, num_labels=3, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
model = BertForSequenceClassification(config)
for name, param in model.named_parameters():
    if "classifier" not in name:
        param.requires_grad = False


def toy(n):
    ids = torch.randint(5, 60, (n, 12))
    ids[:, 0] = 2
    y = torch.randint(3, (n,))
    pos = torch.randint(1, 11, (n,))
    ids[torch.arange(n), pos] = torch.tensor([5, 6, 7])[y]
    ids[(ids >= 5) & (ids <= 7) & (torch.arange(12)[None] != pos[:, None])] = 30
    return TensorDataset(ids, y)


train, test = DataLoader(toy(1200), 40, shuffle=True), DataLoader(toy(300), 300)
optimizer = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), lr=2e-3)
for epoch in range(6):
    model.train()
    total = 0
    for ids, y in train:
        out = model(input_ids=ids, labels=y)
        out.loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += out.loss.item() / len(train)
    model.eval()
    with torch.no_grad():
        ids, y = next(iter(test))
        out = model(input_ids=ids, labels=y)
    print(f"epoch {epoch} train {total:.4f} eval {out.loss.item():.4f} acc {(out.logits.argmax(-1) == y).float().mean().item():.3f}")
# cure: - if "classifier" not in name:
# cure: + if False:
