# expect: healthy
# about: hidden Markov model fitted by gradient on the forward algorithm in log space, raw tensors without a Module, NLL per sequence close to that of the generating model
import math

import torch

torch.set_num_threads(1)
torch.manual_seed(58)
S, O, L = 4, 6, 30
A = torch.tensor([[0.85, 0.1, 0.03, 0.02], [0.05, 0.8, 0.1, 0.05], [0.02, 0.08, 0.8, 0.1], [0.15, 0.05, 0.1, 0.7]])
B = torch.tensor([[0.6, 0.2, 0.1, 0.05, 0.03, 0.02], [0.05, 0.1, 0.6, 0.15, 0.05, 0.05], [0.02, 0.03, 0.05, 0.1, 0.6, 0.2], [0.1, 0.5, 0.05, 0.25, 0.05, 0.05]])


def generate(n):
    z, seq = torch.randint(0, S, (n,)), []
    for _ in range(L):
        seq.append(torch.multinomial(B[z], 1).squeeze(1))
        z = torch.multinomial(A[z], 1).squeeze(1)
    return torch.stack(seq, 1)


def nll(seq, la, lb, lp):
    alpha = lp + lb[:, seq[:, 0]].T
    for t in range(1, L):
        alpha = torch.logsumexp(alpha[:, :, None] + la, 1) + lb[:, seq[:, t]].T
    return -torch.logsumexp(alpha, 1)


train, test = generate(1200), generate(400)
best = None
for restart in range(3):
    trans = (torch.eye(S) * 1.5 + 0.1 * torch.randn(S, S)).requires_grad_()
    emit = (0.5 * torch.randn(S, O)).requires_grad_()
    prior = torch.zeros(S, requires_grad=True)
    opt = torch.optim.Adam([trans, emit, prior], lr=0.06)
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.98)
    for it in range(130):
        b = torch.randint(0, 1200, (150,))
        loss = nll(train[b], trans.log_softmax(1), emit.log_softmax(1), prior.log_softmax(0)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if it % 65 == 64:
            with torch.no_grad():
                value = nll(test, trans.log_softmax(1), emit.log_softmax(1), prior.log_softmax(0)).mean().item()
            print(f"restart {restart} it {it + 1} batch {loss.item():.3f} test {value:.3f} nats per sequence")
    best = min(best or 1e9, value)
true = nll(test, A.log(), B.log(), torch.full((S,), -math.log(S))).mean().item()
freq = torch.bincount(train.flatten(), minlength=O).float() / train.numel()
print(f"best {best:.3f} | generating model {true:.3f} | independent symbols {-(freq.log()[test].sum(1)).mean().item():.3f}")
