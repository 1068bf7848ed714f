"""Models that predict the next token, in the ways people write them: what they are told, and whether they see ahead."""

from __future__ import annotations

import pytest

from traindx.signs import measure_all

SETUP = """
    class Body(nn.Module):
        def __init__(self, causal, dropout):
            super().__init__()
            self.embed = nn.Embedding(20, 16)
            self.block = nn.TransformerEncoderLayer(16, 2, 32, dropout=dropout, batch_first=True)
            self.head = nn.Linear(16, 20)
            self.causal = causal

        def logits(self, ids):
            mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1]) if self.causal else None
            return self.head(self.block(self.embed(ids), src_mask=mask, is_causal=self.causal))

    def train(model, loss_of):
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for _ in range(12):
            ids = torch.randint(0, 20, (8, 13))
            optimizer.zero_grad()
            loss_of(model, ids).backward()
            optimizer.step()
"""

STYLES = {
    "logits returned": """
    class Model(Body):
        forward = Body.logits
    def loss_of(model, ids):
        return F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:])
    """,
    "targets handed over": """
    class Model(Body):
        def forward(self, ids, targets):
            logits = self.logits(ids)
            return logits, F.cross_entropy(logits.view(-1, 20), targets.view(-1))
    def loss_of(model, ids):
        x, y = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()
        return model(x, y)[1]
    """,
    "labels shifted inside, with a mask": """
    class Model(Body):
        def forward(self, ids, attention_mask, labels):
            labels = F.pad(labels, (0, 1), value=-100)[:, 1:].contiguous()
            return F.cross_entropy(self.logits(ids).view(-1, 20), labels.view(-1))
    def loss_of(model, ids):
        return model(ids, attention_mask=torch.ones_like(ids), labels=ids.clone())
    """,
}


@pytest.fixture
def level_of(observed):
    def observe(sign: str, source: str) -> float | None:
        outcome = observed(SETUP + source)
        assert outcome.code == 0, outcome.err
        return measure_all(outcome.run).level(sign)

    return observe


@pytest.fixture
def future_visible(level_of):
    return lambda source: level_of("future-visible", source)


@pytest.mark.parametrize(
    ("flat", "level"), [("ids[:, 1:].reshape(-1)", 0.0), ("ids[:, 1:].T.reshape(-1)", 1.0), ("ids.view(-1)[8:]", 0.0)]
)
def test_targets_that_are_flattened_by_columns_are_told_from_others(level_of, flat, level):
    scores = "model(ids[:, :-1]).reshape(-1, 20)"
    source = f"def loss_of(model, ids):\n        return F.cross_entropy({scores}, {flat})"
    model = "class Model(Body):\n        forward = Body.logits"
    found = level_of("axes-scrambled", f"\n    {model}\n    {source}\n    train(Model(True, 0.0), loss_of)\n")
    assert found == level


@pytest.mark.parametrize("dropout", [0.0, 0.1])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("style", STYLES)
def test_a_model_without_a_causal_mask_is_told_from_one_with_it(future_visible, style, causal, dropout):
    level = future_visible(STYLES[style] + f"\n    train(Model({causal}, {dropout}), loss_of)\n")
    assert level == (0.0 if causal else 1.0)


@pytest.mark.parametrize(("shift", "level"), [(1, 0.0), (0, 1.0)])
def test_targets_that_are_the_inputs_are_noticed_beside_a_recurrent_state(future_visible, shift, level):
    found = future_visible(f"""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.head = nn.Embedding(20, 16), nn.Linear(16, 20)
            self.cell = nn.LSTM(16, 16, batch_first=True)
        def forward(self, ids, state):
            hidden, state = self.cell(self.embed(ids), state)
            return self.head(hidden), state
    def loss_of(model, ids):
        x, y = ids[:, :-1], ids[:, {shift}:][:, :12]
        logits, _ = model(x, (torch.zeros(1, 8, 16), torch.zeros(1, 8, 16)))
        return F.cross_entropy(logits.reshape(-1, 20), y.reshape(-1))
    train(Model(), loss_of)
    """)
    assert found == level


def test_a_decoder_that_reads_an_encoder_may_see_all_of_it(future_visible):
    assert future_visible("""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.head = nn.Embedding(20, 16), nn.Linear(16, 20)
            self.core = nn.Transformer(16, 2, 1, 1, 32, batch_first=True)
        def forward(self, source, ids):
            mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
            return self.head(self.core(self.embed(source), self.embed(ids), tgt_mask=mask))
    def loss_of(model, ids):
        return F.cross_entropy(model(ids.flip(1)[:, 1:], ids[:, :-1]).transpose(1, 2), ids[:, 1:])
    train(Model(), loss_of)
    """) in (None, 0.0)
