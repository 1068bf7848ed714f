"""Loops that few people write: steps within a backward, gradients put in by hand, threads, other defaults."""

from __future__ import annotations

import numpy as np
import pytest
from small_loops import told, train

START = """
import threading
x = torch.randn(64, 4)
y = x[:, :1]
losses = []
"""

WITHIN_BACKWARD = """
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizers = {p: torch.optim.SGD([p], lr=0.05) for p in model.parameters()}
def step(parameter):
    optimizers[parameter].step()
    optimizers[parameter].zero_grad()
for parameter in model.parameters():
    parameter.register_post_accumulate_grad_hook(step)
for number in range(200):
    loss = F.mse_loss(model(x), y)
    loss.backward()
    losses.append(loss.item())
print(json.dumps(losses))
"""

BY_HAND = """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for number in range(30):
    error = (model(x) - y).detach()
    model.weight.grad, model.bias.grad = error.T @ x / 64, error.mean(0)
    optimizer.step()
"""

IN_THREADS = """
started = threading.Barrier({together})
def work(seed):
    generator = torch.Generator().manual_seed(seed)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    started.wait()
    for number in range(300):
        rows = torch.randint(0, 64, (16,), generator=generator)
        loss = F.mse_loss(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
for group in {groups}:
    workers = [threading.Thread(target=work, args=(seed,)) for seed in group]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
"""


def test_steps_within_a_backward_lose_no_loss(observed):
    ran = observed(START + WITHIN_BACKWARD)
    np.testing.assert_allclose(ran.run.series("loss/train").values, told(ran), rtol=1e-6)


def test_gradients_put_in_by_hand_are_a_training(observed):
    ran = observed(START + BY_HAND)
    assert ran.run.facts["steps"] == 30


def test_threads_that_train_one_after_the_other_are_followed(observed):
    ran = observed(START + IN_THREADS.format(together=1, groups=[(1,), (2,)]))
    assert ran.code == 0
    assert ran.run.facts["steps"] == 600
    assert "observers_off" not in ran.run.facts


def test_threads_that_train_at_once_are_left_alone(observed):
    ran = observed(START + IN_THREADS.format(together=3, groups=[(1, 2, 3)]))
    assert ran.code == 0
    assert ran.run.facts["observers_off"]["everything"] == "several threads train at once"


def test_another_thread_may_evaluate_meanwhile(observed):
    source = """
        import threading
        x = torch.randn(64, 4)
        model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        over = False
        def evaluate():
            while not over:
                with torch.no_grad():
                    model(x)
        watching = threading.Thread(target=evaluate)
        for step in range(600):
            optimizer.zero_grad()
            (model(x) - x[:, :1]).pow(2).mean().backward()
            optimizer.step()
            if step == 5:
                watching.start()
        over = True
        watching.join()
    """
    ran = observed(source)
    assert ran.code == 0
    assert len(ran.run.series("loss/train")) == ran.run.facts["steps"] == 600
    assert "observers_off" not in ran.run.facts


@pytest.mark.parametrize("default", ("torch.set_default_dtype(torch.float64)", "torch.set_default_device('meta')"))
def test_what_the_script_sets_as_default_is_not_ours(observed, default):
    body = "loss = F.cross_entropy(model(x.float()), labels[torch.randperm(64, device='cpu')[:16]])"
    setup = f"""
model = nn.Linear(4, 3)
labels = torch.randint(0, 3, (64,))
{default}
torch.randn = lambda *sizes: torch.ones(*sizes, device='cpu', dtype=torch.float32).normal_()
"""
    ran = observed(train(body, setup, steps=40))
    assert len(told(ran)) == 40
    assert "observers_off" not in ran.run.facts


def test_an_ensemble_whose_layers_lie_on_the_device_meta(observed):
    source = """
        import copy
        from torch.func import functional_call, stack_module_state, vmap
        models = [nn.Linear(4, 1) for _ in range(3)]
        parameters, buffers = stack_module_state(models)
        layers = copy.deepcopy(models[0]).to("meta")
        optimizer = torch.optim.SGD(parameters.values(), lr=0.05)
        x = torch.randn(64, 4)
        losses = []
        for step in range(40):
            outputs = vmap(lambda p, b, x: functional_call(layers, (p, b), (x,)), (0, 0, None))(parameters, buffers, x)
            loss = (outputs - x[:, :1]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(json.dumps(losses))
    """
    ran = observed(source)
    np.testing.assert_allclose(ran.run.series("loss/train").values, told(ran), rtol=1e-6)
    assert "observers_off" not in ran.run.facts
