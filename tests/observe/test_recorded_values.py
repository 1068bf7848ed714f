"""What is recorded against what the script computes for itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_loops import told, train

TRAININGS = Path(__file__).parent / "trainings"


def assert_series(run, name, own, tolerance=1e-5):
    """Every recorded point equals what the script computed at that step."""
    series = run.series(name)
    assert len(series) >= 3, name
    np.testing.assert_allclose(series.values, [own[step] for step in series.steps], rtol=tolerance, err_msg=name)


CLASSIFIER = """
    import collections
    x = torch.randn(240, 8)
    y = (x[:, 0] > 0).long() + (x[:, 1] > 1).long()
    x[:, 5] = y * 2.0 + 0.01 * torch.randn(240)               # a column that knows the answer
    x[:, 6] = 3.0                                             # one that knows nothing
    train = DataLoader(TensorDataset(x[:160], y[:160]), batch_size=16, shuffle=True)
    test = DataLoader(TensorDataset(x[140:240], y[140:240]), batch_size=20)      # twenty samples are in both
    model = nn.Sequential(nn.Linear(8, 20), nn.ReLU(), nn.Dropout(0.1), nn.Linear(20, 3))
    with torch.no_grad():
        model[0].bias[:5] = -100.0                            # five dead units of twenty
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.97)
    own = collections.defaultdict(list)
    counts = []
    for epoch in range(4):
        model.train()
        for inputs, labels in train:
            optimizer.zero_grad()
            out = model(inputs)
            loss = F.cross_entropy(out, labels)
            loss.backward()
            own["norm"].append(sum(p.grad.pow(2).sum() for p in model.parameters()).sqrt().item())
            own["layers"].append([p.grad.norm().item() for p in model.parameters()])
            norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            own["clip"].append(norm.item())
            own["clipped"].append(sum(p.grad.pow(2).sum() for p in model.parameters()).sqrt().item())
            before = [p.detach().clone() for p in model.parameters()]
            optimizer.step()
            size = sum(b.pow(2).sum() for b in before).sqrt()
            moved = sum((p.detach() - b).pow(2).sum() for p, b in zip(model.parameters(), before)).sqrt()
            own["ratio"].append((moved / size).item())
            own["lr"].append(scheduler.get_last_lr()[0])
            own["loss"].append(loss.item())
            own["hits"].append((out.argmax(1) == labels).float().mean().item())
            own["majority"].append(max(labels.bincount()).item() / len(labels))
            counts.append(labels.bincount(minlength=3).tolist())
            scheduler.step()
        model.eval()
        with torch.no_grad():
            whole = model(x[140:240])
            own["validation"].append(F.cross_entropy(whole, y[140:240]).item())
            own["right"].append((whole.argmax(1) == y[140:240]).float().mean().item())
            for inputs, labels in test:
                F.cross_entropy(model(inputs), labels)
    print(json.dumps({"own": own, "counts": counts}))
"""


@pytest.fixture(scope="module")
def classifier(observed):
    outcome = observed(CLASSIFIER)
    return told(outcome), outcome.run


def test_loss_rates_and_norms_are_the_scripts_own(classifier):
    own, run = classifier[0]["own"], classifier[1]
    assert run.series("loss/train").steps.tolist() == list(range(40))
    assert_series(run, "loss/train", own["loss"], 1e-7)
    assert_series(run, "loss/function", own["loss"], 1e-7)
    assert_series(run, "lr", own["lr"], 1e-12)
    assert run.series("clip/norm").steps.tolist() == list(range(40))
    assert_series(run, "clip/norm", own["clip"])
    assert set(run.series("clip/threshold").values) == {0.5}
    assert_series(run, "grad_norm", own["norm"], 1e-4)  # before clipping
    assert_series(run, "update_ratio", own["ratio"], 1e-4)
    assert_series(run, "accuracy/train", own["hits"])
    assert_series(run, "label_majority", own["majority"])
    table = run.layers("grad_norm")
    for step, row in zip(table.steps, table.values, strict=True):
        scale = own["clipped"][step] / own["norm"][step]  # the optimizer sees the clipped gradient
        np.testing.assert_allclose(row, np.array(own["layers"][step]) * scale, rtol=1e-3)


def test_counts_and_facts(classifier):
    told_, run = classifier
    looked = run.series("accuracy/train").steps
    histogram = np.sum([told_["counts"][step] for step in looked], axis=0)
    recorded = run.facts["targets/train"]["histogram"]
    assert [recorded.get(str(c), 0) for c in range(3)] == histogram.tolist()
    assert run.facts["targets/train"]["kind"] == "class ids"
    optimizer = run.facts["optimizers"][0]
    assert (optimizer["class"], optimizer["steps"], optimizer["grads_kept"], optimizer["tensors"]) == ("SGD", 40, 0, 4)
    assert optimizer["groups"][0]["momentum"] == 0.9
    assert run.facts["schedulers"][0]["class"] == "ExponentialLR"
    roles = {(fact["size"], fact["role"], fact["shuffled"]) for fact in run.facts["loaders"]}
    assert roles == {(160, "train", True), (100, "eval", False)}
    assert run.facts["data/train"]["constant_features"] == 1
    assert {p["name"]: (p["grad"], p["moved"], p["ran"], p["optimizer"]) for p in run.facts["params"]} == {
        f"{layer}.{kind}": ("yes", True, True, 0) for layer in (0, 3) for kind in ("weight", "bias")
    }
    modes = run.facts["modes"]
    assert (modes["train_forwards"], modes["train_forwards_in_eval_mode"]) == (40, 0)
    assert modes["eval_forwards_in_train_mode"] == 0 and modes["mode_layers"] == ["Dropout"]


def test_evaluation_is_the_scripts_own(classifier):
    own, run = classifier[0]["own"], classifier[1]
    # The whole set at once and the loader's batches are passes without a training step between: one value each epoch.
    values = run.series("loss/validation").values
    np.testing.assert_allclose(values, own["validation"], rtol=1e-5)
    np.testing.assert_allclose(run.series("accuracy/validation").values, own["right"], rtol=1e-5)
    assert run.series("loss/validation").steps.tolist() == [10, 20, 30, 40]


def test_planted_faults_are_seen(classifier):
    run = classifier[1]
    assert run.facts["feature_leak"]["feature"] == 5 and run.facts["feature_leak"]["correlation"] > 0.95
    overlap = run.facts["overlap"]
    assert overlap["eval_samples"] == 100
    assert overlap["train_share_hashed"] > 0.9 and overlap["shared"] == 20
    dead = run.layers("act_dead").column("1")
    assert dead.min() >= 0.25 and np.median(dead) < 0.35  # a quarter was planted; others may die for a while


# ── gradients that nobody cleared ────────────────────────────────────────────────────────────────


def kept(run):
    return [fact["grads_kept"] for fact in run.facts["optimizers"]]


def test_missing_zero_grad_is_counted(observed):
    source = train("loss = F.mse_loss(model(x), y)").replace("    optimizer.zero_grad()\n", "")
    run = observed(source).run
    assert kept(run) == [11]
    assert [event.step for event in run.events_of("grads-kept")] == [1]


@pytest.mark.parametrize("training", ["gan", "accumulation", "lbfgs", "scaler_float16", "loader_workers", "plain_loop"])
def test_cleared_gradients_are_not_counted(observed, training):
    assert set(kept(observed(TRAININGS / f"{training}.py").run)) == {0}


@pytest.mark.parametrize(
    "clearing",
    [
        "model.zero_grad()",
        "for p in model.parameters(): p.grad = None",
        "[p.grad.zero_() for p in model.parameters() if p.grad is not None]",
        "optimizer.zero_grad(set_to_none=False)",
    ],
)
def test_every_way_of_clearing_counts(observed, clearing):
    source = train("loss = F.mse_loss(model(x), y)").replace("optimizer.zero_grad()", clearing)
    assert kept(observed(source).run) == [0]


# ── wiring ───────────────────────────────────────────────────────────────────────────────────────


def test_broadcast_and_softmax_axis_and_scrambled_view(observed):
    source = train(
        "h = torch.softmax(model(x).expand(16, 5), dim=0)\n"
        "h = h.view(5, 16).view(16, 5)\n"
        "loss = F.mse_loss(h[:, :1], y[:, 0])"
    )
    run = observed(source).run
    assert run.facts["losses"][0]["broadcast"] is True
    assert [softmax["dim"] for softmax in run.facts["graph"]["softmaxes"]] == [0]
    assert {"from": [16, 5], "to": [5, 16]} in run.facts["graph"]["view_permutes"]


def test_healthy_wiring_raises_none_of_these(observed):
    run = observed(train("loss = F.mse_loss(model(x), y)")).run
    assert run.facts["losses"][0]["broadcast"] is False
    assert not run.facts["graph"]["softmaxes"] and not run.facts["graph"]["view_permutes"]
    assert not run.facts["graph"]["broadcasts"] and not run.facts["graph"]["negated"]


def test_parameters_left_out_frozen_and_never_used(observed):
    source = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.used, self.frozen, self.left_out, self.idle = (nn.Linear(3, 3) for _ in range(4))
                self.frozen.requires_grad_(False)
            def forward(self, x):
                return self.left_out(self.frozen(self.used(x)))
        torch.manual_seed(0)
        net = Net()
        optimizer = torch.optim.SGD([*net.used.parameters(), *net.idle.parameters()], lr=0.1)
        for _ in range(6):
            optimizer.zero_grad()
            net(torch.randn(8, 3)).pow(2).mean().backward()
            optimizer.step()
    """
    run = observed(source).run
    facts = {p["name"].removesuffix(".weight"): p for p in run.facts["params"] if p["name"].endswith("weight")}
    seen = {n: (p["optimizer"], p["requires_grad"], p["grad"], p["ran"], p["moved"]) for n, p in facts.items()}
    assert seen == {
        "used": (0, True, "yes", True, True),
        "frozen": (None, False, "none", True, False),
        "left_out": (None, True, "yes", True, False),
        "idle": (0, True, "none", False, False),
    }


def test_saturated_units(observed):
    source = train(
        "loss = F.mse_loss(model(x), y)",
        "model = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid(), nn.Linear(8, 1))\n"
        "nn.init.zeros_(model[0].weight)\nmodel[0].bias.data = torch.tensor([50.0] * 6 + [0.0] * 2)",
    )
    run = observed(source).run
    np.testing.assert_allclose(run.layers("act_saturated").column("1")[:3], 0.75)
    np.testing.assert_allclose(run.layers("preact_large").column("1")[:3], 0.75)


def test_shifted_targets_of_a_language_model(observed):
    assert observed(TRAININGS / "tied_transformer.py").run.facts["shift_relation"]["targets_are_next_inputs"]


def test_scaled_loss_is_recorded_unscaled(observed):
    source = train(
        "with torch.autocast('cpu', dtype=torch.float16):\n    real = F.mse_loss(model(x).float(), y)\n"
        "loss = scaler.scale(real)",
        "scaler = torch.amp.GradScaler(device='cpu', init_scale=1024.0)",
    )
    source = source.replace("optimizer.step()", "scaler.step(optimizer); scaler.update()")
    source = source.replace("loss.item()", "real.item()")
    outcome = observed(source)
    np.testing.assert_allclose(outcome.run.series("loss/train").values, told(outcome), rtol=1e-6)
    assert set(outcome.run.series("loss_scale").values) == {1024.0}
    assert outcome.run.facts["precision"]["scaler"] and outcome.run.facts["precision"]["autocast"] == "float16"


def test_training_in_eval_mode_is_noted(observed):
    source = train("if step == 4: model.eval()\nloss = F.mse_loss(model(x), y)", "model.append(nn.Dropout(0.1))")
    modes = observed(source).run.facts["modes"]
    assert (modes["train_forwards"], modes["train_forwards_in_eval_mode"], modes["first_eval_mode_step"]) == (12, 8, 4)


@pytest.mark.parametrize("training", ["raw_tensors", "fresh_tensors"])
def test_loops_without_an_optimizer_have_steps_losses_and_gradients(observed, training):
    run = observed(TRAININGS / f"{training}.py").run
    assert run.steps == 60 and run.series("loss/train").steps.tolist() == list(range(60))
    assert len(run.series("grad_norm")) >= 3
    assert all(parameter["moved"] is not False for parameter in run.facts["params"])


def test_a_layer_put_in_the_place_of_another_is_followed_instead_of_it(observed):
    source = """
        x, y = torch.randn(64, 5), torch.randint(0, 4, (64,))
        model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(16):
            if step == 8:
                model[2] = nn.Linear(8, 4)             # the optimizer keeps the old one
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y % 2 if step < 8 else y).backward()
            optimizer.step()
    """
    run = observed(source).run
    assert "observers_off" not in run.facts
    params = {fact["name"]: fact for fact in run.facts["params"]}
    head = params["2.weight"]
    assert (head["shape"], head["optimizer"], head["grad"], head["moved"]) == ([4, 8], None, "yes", False)
    assert params["0.weight"]["optimizer"] == 0 and params["0.weight"]["moved"] is True


def test_a_loop_that_takes_its_gradients_by_autograd_grad(observed):
    source = """
        x = torch.randn(64, 5)
        y = x @ torch.randn(5, 1)
        w, b = torch.zeros(5, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
        said = []
        for step in range(30):
            loss = ((x @ w + b - y) ** 2).mean()
            slopes = torch.autograd.grad(loss, [w, b])
            saliency = torch.autograd.grad(((x.requires_grad_() @ w) ** 2).sum(), x)    # no training
            x = x.detach()
            with torch.no_grad():
                for weight, slope in zip((w, b), slopes):
                    weight -= 0.05 * slope
            said.append(loss.item())
        print(json.dumps(said))
    """
    outcome = observed(source)
    run = outcome.run
    np.testing.assert_allclose(run.series("loss/train").values, told(outcome), rtol=1e-6)
    assert (run.facts["backwards"], run.facts["steps"]) == (30, 30)
    assert {fact["name"]: fact["moved"] for fact in run.facts["params"]} == {"w": True, "b": True}


def test_cutting_values_shows_what_is_left_of_the_gradient(observed):
    outcome = observed("""
    x, y = torch.randn(32, 5), torch.randn(32, 1)
    model = nn.Linear(5, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(8):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        assert nn.utils.clip_grad_value_(model.parameters(), 0.001) is None
        print(torch.linalg.vector_norm(torch.cat([p.grad.reshape(-1) for p in model.parameters()])).item())
        optimizer.step()
    """)
    assert outcome.code == 0, outcome.err
    left = outcome.run.series("clip/threshold").values
    np.testing.assert_allclose(left, [float(line) for line in outcome.out.split()][: len(left)], rtol=1e-5)
    assert (outcome.run.series("clip/norm").values > 2 * left).all()


def test_a_model_that_comes_later_does_not_rename_the_first(observed):
    averaged = "average = torch.optim.swa_utils.AveragedModel(model)"
    body = "loss = F.mse_loss(model(x), y)\nif step == 8: average(x)"
    run = observed(train(body, averaged)).run
    names = [p["name"] for p in run.facts["params"]]
    assert names[:4] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    ratios = run.layers("update_ratio")
    assert np.isfinite(ratios.column("2.weight")).sum() == len(ratios.steps) >= 8


@pytest.mark.parametrize(("between", "layers"), [("F.relu(h)", 1), ("h", 2), ("h.unsqueeze(2).mean(2)", 2)])
def test_products_with_a_fixed_matrix_are_no_layers(observed, between, layers):
    body = f"a = torch.ones(16, 16) / 16\nh = a @ (a @ model[0](a @ x))\nloss = F.mse_loss(model[2](a @ {between}), y)"
    graph = observed(train(body)).run.facts["graph"]
    assert graph["linear_chain"] == layers


def test_a_linear_layers_own_view_does_not_hide_a_broadcast(observed):
    body = "loss = ((model(x.unsqueeze(1)) - y) ** 2).mean()"  # (16, 1, 1) against (16, 1)
    graph = observed(train(body)).run.facts["graph"]
    assert [(entry["shapes"], entry["out"]) for entry in graph["broadcasts"]] == [([[16, 1, 1]], [16, 16, 1])]


@pytest.mark.parametrize(
    "criterion", ["nn.MSELoss()", "type('Own', (nn.Module,), {'forward': lambda s, a, b: (a - b).abs().mean()})()"]
)
def test_two_sets_evaluated_side_by_side_are_told_apart(observed, criterion):
    setup = f"criterion = {criterion}\nxs, held = torch.randn(64, 4), torch.randn(40, 4)"
    body = """
rows = torch.randint(0, 64, (16,))
loss = criterion(model(xs[rows]), xs[rows][:, :1])
with torch.no_grad():
    out = model(held)
    losses.append(criterion(model(xs), xs[:, :1]).item() + criterion(out, held[:, :1]).item())
"""
    overlap = observed(train(body, setup)).run.facts["overlap"]
    assert (overlap["eval_samples"], overlap["shared"]) == (40, 0)


def test_devices_are_known(observed):
    assert observed(train("loss = F.mse_loss(model(x), y)")).run.facts["devices"] == ["cpu"]
