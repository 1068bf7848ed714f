# expect: params-not-in-optimizer
# about: encoder and decoder as separate modules in the style of the seq2seq tutorial, number words to digits
import torch
import torch.nn as nn
from torch import optim

torch.manual_seed(13)
torch.set_num_threads(1)
V_IN, V_OUT, L, HID = 30, 12, 6, 40
mapping = torch.randint(2, V_OUT, (V_IN,))


class EncoderRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(V_IN, 12)
        self.gru = nn.GRU(12, HID, batch_first=True)

    def forward(self, x):
        return self.gru(self.embedding(x))[1]


class DecoderRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(V_OUT, 16)
        self.gru = nn.GRU(16, HID, batch_first=True)
        self.out = nn.Linear(HID, V_OUT)

    def forward(self, y, hidden):
        o, hidden = self.gru(self.embedding(y), hidden)
        return self.out(o), hidden


def batch(n):
    src = torch.randint(0, V_IN, (n, L))
    tgt = mapping[src]
    return src, torch.cat([torch.zeros(n, 1, dtype=torch.long), tgt[:, :-1]], 1), tgt


def train_step(encoder, decoder, optimizer, criterion):
    src, y_in, tgt = batch(64)
    logits, _ = decoder(y_in, encoder(src))
    loss = criterion(logits.reshape(-1, V_OUT), tgt.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


encoder, decoder = EncoderRNN(), DecoderRNN()
optimizer = optim.Adam(decoder.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
window = 0.0
for it in range(1, 601):
    window += train_step(encoder, decoder, optimizer, criterion)
    if it % 100 == 0:
        with torch.no_grad():
            src, y_in, tgt = batch(256)
            acc = (decoder(y_in, encoder(src))[0].argmax(-1) == tgt).float().mean()
        print(f"({it} {it // 6}%) loss {window / 100:.4f}  token accuracy {acc:.3f}")
        window = 0.0
# cure: - optimizer = optim.Adam(decoder.parameters(), lr=5e-3)
# cure: + optimizer = optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=5e-3)
