"""What looks alike and means something else: weights and other tensors, validation and training, cleared too early."""

from __future__ import annotations

import torch
from small_loops import train

from traindx.observe.targets import Products


def test_only_what_a_product_takes_is_a_weight(observed):
    """Of loose tensors and of a module of one's own; a picture that is fitted is looked at, not multiplied by."""
    source = """
        class Noisy(nn.Module):
            def __init__(self):
                super().__init__()
                self.mean, self.deviation = nn.Parameter(torch.randn(4, 3)), nn.Parameter(torch.zeros(4, 3))
                self.plain = nn.Parameter(torch.randn(3, 2))
            def forward(self, x):
                return x @ (self.mean + F.softplus(self.deviation) * torch.randn(4, 3)) @ self.plain
        model = Noisy()
        picture = torch.randn(1, 1, 8, 8, requires_grad=True)
        places = torch.randn(5, 2, requires_grad=True)
        filters = nn.Conv2d(1, 2, 3)
        optimizer = torch.optim.Adam([*model.parameters(), *filters.parameters(), picture, places], lr=1e-2)
        for step in range(6):
            optimizer.zero_grad()
            loss = model(torch.randn(8, 4)).square().mean() + filters(picture).square().mean()
            (loss + torch.cdist(places, places).sum()).backward()
            optimizer.step()
    """
    run = observed(source).run
    kinds = {entry["name"].removeprefix("Noisy."): entry["kind"] for entry in run.facts["params"]}
    loose = sorted(kind for name, kind in kinds.items() if name.startswith("tensor"))
    assert [kinds[name] for name in ("mean", "deviation", "plain")] == ["other", "other", "weight"], kinds
    assert loose == ["other", "other"], kinds


def test_an_evaluation_by_hand_shows_that_validation_is_not_the_training_set(observed):
    source = """
        x, y = torch.randn(150, 4), torch.randint(0, 3, (150,))
        new_x, new_y = torch.randn(50, 4), torch.randint(0, 3, (50,))
        model = nn.Linear(4, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(12):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            with torch.no_grad():
                again = F.cross_entropy(model(x), y)
                right = (model(new_x).argmax(1) == new_y).sum()
    """
    clean = observed(source).run.facts
    assert clean.get("overlap") is None
    alone = source.replace("right = (model(new_x).argmax(1) == new_y).sum()", "pass")
    overlap = observed(alone).run.facts["overlap"]
    assert overlap["shared"] == overlap["eval_samples"] == 150


def test_gradients_that_are_cleared_before_the_step_are_counted(observed):
    source = train("loss = F.mse_loss(model(x), y)").replace(
        "optimizer.step()", "optimizer.zero_grad(); optimizer.step()"
    )
    facts = observed(source).run.facts["optimizers"][0]
    assert facts["emptied"] == facts["steps_heard"] == facts["steps"] > 3
    assert observed(train("loss = F.mse_loss(model(x), y)")).run.facts["optimizers"][0]["emptied"] == 0


def test_a_weight_that_the_gradient_does_not_reach_is_still_a_weight(observed):
    source = """
        first = torch.randn(4, 8, requires_grad=True)
        last = torch.randn(8, 1, requires_grad=True)
        optimizer = torch.optim.SGD([first, last], lr=1e-2)
        for step in range(6):
            optimizer.zero_grad()
            hidden = torch.tanh(torch.randn(16, 4) @ first).detach()
            (hidden @ last).square().mean().backward()
            optimizer.step()
    """
    params = observed(source).run.facts["params"]
    assert [(entry["kind"], entry["grad"]) for entry in params] == [("weight", "none"), ("weight", "yes")]


MASTER = """
    model = nn.Linear(4, 1)
    master = [p.detach().clone().requires_grad_() for p in model.parameters()]
    optimizer = torch.optim.SGD(master, lr=1e-2)
    for step in range(12):
        model.zero_grad()
        (model(torch.randn(16, 4)) - 1).square().mean().backward()
        for copy, p in zip(master, model.parameters()):
            copy.grad = p.grad.clone()
        optimizer.step()
        with torch.no_grad():
            for copy, p in zip(master, model.parameters()):
                p.copy_(copy)
"""


def test_weights_that_are_copies_of_the_optimizers_move_and_keep_nothing(observed):
    facts = observed(MASTER).run.facts
    moved = {entry["name"]: entry["moved"] for entry in facts["params"] if entry["optimizer"] is None}
    assert moved and all(moved.values()), moved
    assert facts["optimizers"][0]["grads_kept"] == 0


def test_an_optimizer_that_needs_no_backward_keeps_nothing(observed):
    source = """
        weight = torch.zeros(3, requires_grad=True)
        class Own(torch.optim.Optimizer):
            @torch.no_grad()
            def step(self):
                for p in self.param_groups[0]["params"]:
                    p.grad = p - 1
                    p -= 0.1 * p.grad
        optimizer = Own([weight], {})
        for step in range(12):
            optimizer.step()
    """
    assert observed(source).run.facts["optimizers"][0]["grads_kept"] == 0


def test_a_column_that_knows_a_target_around_zero():
    """Whose sum may well be next to nothing, and which is no rare class for that."""
    x = torch.randn(200, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    products = Products()
    products.add(x, (x[:, 1:2] - x[:, 1:2].mean()))
    found = products.strongest()
    assert found is not None and found["feature"] == 1 and found["correlation"] > 0.999
