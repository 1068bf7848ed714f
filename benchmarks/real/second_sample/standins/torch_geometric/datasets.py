"""Tiny stand-in: a generated citation graph (800 papers, 7 classes, 1433 words) instead of Cora's 2708 papers."""
import numpy as np
import torch


class _Data:
    edge_attr = None

    def __repr__(self):
        return f"Data(x={list(self.x.shape)}, edge_index={list(self.edge_index.shape)})"

    num_nodes = property(lambda s: s.x.shape[0])


class Planetoid:
    num_classes = 7

    def __init__(self, root, name, split="public"):
        r = np.random.default_rng(7)
        n, k, f = 800, 7, 1433
        y = r.integers(0, k, n)
        topic = r.dirichlet(np.ones(f) * 0.15, k)
        base = r.dirichlet(np.ones(f) * 0.3)
        x = np.zeros((n, f), np.float32)
        for i in range(n):
            w = r.choice(f, 18, p=0.35 * topic[y[i]] + 0.65 * base)
            x[i, w] = 1
        e = set()
        deg = r.pareto(2.5, n) + 1
        p = deg / deg.sum()
        while len(e) < 2 * n:
            a = r.integers(n)
            same = r.random() < 0.81
            q = p * ((y == y[a]) if same else (y != y[a]))
            b = r.choice(n, p=q / q.sum())
            if a != b:
                e.add((min(a, b), max(a, b)))
        e = np.array(sorted(e))
        e = np.concatenate([e, e[:, ::-1]])
        d = _Data()
        d.x, d.y = torch.from_numpy(x), torch.from_numpy(y)
        d.edge_index = torch.from_numpy(e.T.copy())
        tr = np.concatenate([np.where(y == c)[0][:20] for c in range(k)])
        rest = np.setdiff1d(np.arange(n), tr)
        for m, idx in (("train_mask", tr), ("val_mask", rest[:200]), ("test_mask", rest[200:500])):
            v = torch.zeros(n, dtype=torch.bool); v[torch.from_numpy(idx)] = True
            setattr(d, m, v)
        self.data, self.num_node_features, self.name = d, f, name

    def __len__(self):
        return 1
