"""What training scripts print, in the styles people use."""

# ruff: noqa: E501 - log lines and lists of names are as long as they are

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from traindx.readers import Options, read
from traindx.record import Run

# name: (text, steps of the training loss, its values, validation losses)
Style = tuple[str, list[int], list[float], list[float]]
STYLES: dict[str, Style] = {
    "nanogpt": (
        "step 0: train loss 4.1, val loss 4.2\niter 0: loss 4.15, time 745.63ms\niter 10: loss 3.5, time 700.1ms\n"
        "iter 20: loss 3.1, time 1.2ms\nstep 20: train loss 3.0, val loss 3.3\n",
        [0, 10, 20], [4.15, 3.5, 3.1], [4.2, 3.3],
    ),
    "dictionaries": (
        "{'loss': 2.5, 'learning_rate': 0.1, 'epoch': 0.01}\nsome warning 12\n{'loss': 2.25, 'learning_rate': 0.1, 'epoch': 0.02}\n"
        "{'eval_loss': 2.3, 'eval_runtime': 1.5, 'epoch': 0.02}\n{'loss': '2.0', 'learning_rate': '0.1', 'epoch': '0.03'}\n",
        [0, 1, 2], [2.5, 2.25, 2.0], [2.3],
    ),
    "curly quotes": ("{‘loss’: 1.5, ‘epoch’: 0.2}\n{‘loss’: 1.25, ‘epoch’: 0.4}\n", [0, 1], [1.5, 1.25], []),
    "step only in the bar": (
        "".join(
            f" 24%|██▍       | {s}/10485 [3:15:13<10:06:35,  4.59s/it]\n{{'loss': {x}, 'epoch': 0.24}}\n"
            for s, x in ((100, 2.0), (110, 1.5), (120, 1.25))
        ),
        [100, 110, 120], [2.0, 1.5, 1.25], [],
    ),
    "megatron": (
        "".join(
            f" iteration {s:8d}/  1000 | consumed samples: {s * 8} | elapsed time per iteration (ms): 22306.6 | "
            f"learning rate: 9.8E-05 | global batch size:  8 | lm loss: {x:.4E} | loss scale: 32768.0 | grad norm: 0.25 | "
            "number of skipped iterations:   0 |\ntime (ms)\n"
            for s, x in ((10, 8.0), (20, 7.5))
        )
        + " validation loss at iteration 20 | lm loss value: 7.6E+00 | lm loss PPL: 1.9E+03 |\n",
        [10, 20], [8.0, 7.5], [7.6],
    ),
    "fairseq": (
        "| epoch 001 | loss 6.5 | nll_loss 4.9 | ppl 31.65 | wps 16 | num_updates 100 | lr 0.0006 | gnorm 0.39 | clip 0%\n"
        "| epoch 001 | valid on 'valid' subset | valid_loss 6.25 | valid_ppl 142.39 | num_updates 100 | best 4.46\n"
        "| epoch 002 | loss 6.0 | nll_loss 4.8 | ppl 30.65 | wps 16 | num_updates 200 | lr 0.0006 | gnorm 0.39 | clip 0%\n",
        [100, 200], [6.5, 6.0], [6.25],
    ),
    "mmcv": (
        "2020-08-01 01:33:00,551 - mmdet - INFO - Epoch [1][50/100]\tlr: 2.0e-02, eta: 0:31:05, loss_cls: 0.2, s0.acc: 94.5, loss: 0.75\n"
        "2020-08-01 01:33:10,551 - mmdet - INFO - Epoch [1][100/100]\tlr: 2.0e-02, eta: 0:31:05, loss_cls: 0.2, s0.acc: 94.5, loss: 0.5\n"
        "2020-08-01 01:33:20,551 - mmdet - INFO - Epoch [2][50/100]\tlr: 2.0e-02, eta: 0:31:05, loss_cls: 0.2, s0.acc: 94.5, loss: 0.25\n",
        [50, 100, 150], [0.75, 0.5, 0.25], [],
    ),
    "a count in front": (
        "step 0: train loss 4.1, val loss 4.2\n" + "".join(f"{s} | loss {4 - s / 100} | lr 3.0e-04 | 13597.70ms\n" for s in range(0, 100, 10)),
        list(range(0, 100, 10)), [4 - s / 100 for s in range(0, 100, 10)], [4.2],
    ),
    "two counts in front": (
        "3 9 Loss=nan Time=0.040\n3 10 Loss=nan Time=0.041\n4 1 Loss=nan Time=0.040\n", [29, 30, 31], [float("nan")] * 3, [],
    ),
    "names in brackets": (
        "2019-08-07 02:59:37,013 - __main__ - INFO - [epoch]: 1, [batch]: 100, [loss]: 4.5\n"
        "2019-08-07 02:59:38,017 - __main__ - INFO - [epoch]: 1, [batch]: 200, [loss]: 4.25\n",
        [100, 200], [4.5, 4.25], [],
    ),
    "cited boosting rounds": (
        "> [1]\ttraining's multi_logloss: 1.1\tvalid_1's multi_logloss: 1.2\n> [2]\ttraining's multi_logloss: 0.9\tvalid_1's multi_logloss: 1.0\n",
        [1, 2], [1.1, 0.9], [1.2, 1.0],
    ),
    "glog": (
        "I0425 10:13:04.672341  9167 solver.cpp:208] Iteration 200, lr = 0.01\nI0425 10:13:04.672637  9167 solver.cpp:65] Iteration 200, loss = 6.5\n"
        "I0425 10:13:21.206111  9167 solver.cpp:65] Iteration 220, loss = nan\n",
        [200, 220], [6.5, float("nan")], [],
    ),
    "evaluations batch by batch": (
        "".join(
            f"Epoch: [{e}][ 50/100]\tTime  0.2 ( 0.2)\tLoss {4 - e} (4.5)\tAcc@1   3.1 (  2.1)\nTest: [ 0/10]\tLoss 9.0 (9.0)\tAcc@1  14.0 ( 14.0)\n"
            f"Test: [ 9/10]\tLoss 8.0 ({3 - e})\tAcc@1  12.0 ( 12.5)\n *   Acc@1 12.5 Acc@5 36.8\n"
            for e in (0, 1)
        ),
        [50, 150], [4.0, 3.0], [3.0, 2.0],
    ),
    "evaluation under way, then its result": (
        "| epoch 001  1000 / 2000 loss=1.5 (1.6), wps=962\n| epoch 001 | valid on 'valid' subset  1000 / 1311 loss=9.0\n"
        "| epoch 001 | valid on 'valid' subset | valid loss 2.0 | valid ppl 3.8\n| epoch 002  1000 / 2000 loss=1.25 (1.3), wps=962\n",
        [1000, 3000], [1.5, 1.25], [2.0],
    ),
    "value and average": (
        "Epoch: [0][0/391]\tTime 0.1 (0.2)\tLoss 2.5 (2.75)\tPrec@1 10.0 (12.5)\n"
        "Epoch: [0][10/391]\tTime 0.1 (0.2)\tLoss 2.25 (2.5)\tPrec@1 11.0 (12.5)\n"
        "Epoch: [1][0/391]\tTime 0.1 (0.2)\tLoss 2.0 (2.0)\tPrec@1 12.0 (12.5)\n",
        [0, 10, 391], [2.5, 2.25, 2.0], [],
    ),
    "pytorch tutorial": ("[1,  2000] loss: 2.5\n[1,  4000] loss: 2.0\n[2,  2000] loss: 1.5\n", [2000, 4000, 6000], [2.5, 2.0, 1.5], []),
    "pytorch mnist": (
        "Train Epoch: 1 [0/600 (0%)]\tLoss: 2.5\nTrain Epoch: 1 [64/600 (10%)]\tLoss: 2.0\n\n"
        "Test set: Average loss: 0.75, Accuracy: 9821/10000 (98%)\n\nTrain Epoch: 2 [0/600 (0%)]\tLoss: 1.5\n",
        [0, 64, 600], [2.5, 2.0, 1.5], [0.75],
    ),
    "keras bar": (
        "Epoch 1/2\n\r  1/469 [......] - ETA: 1:30 - loss: 9.5 - acc: 0.1\r469/469 [=====] - 3s 6ms/step - loss: 2.5 - val_loss: 2.0\n"
        "Epoch 2/2\n\r  1/469 [......] - ETA: 1:30 - loss: 8.5 - acc: 0.1\r469/469 [=====] - 3s 6ms/step - loss: 1.5 - val_loss: 1.0\n",
        [469, 938], [2.5, 1.5], [2.0, 1.0],
    ),
    "keras bar that broke off": (
        "Epoch 1/10\n  3/234 [....] - ETA: 33:37:24 - loss: 44.5Batch 3: Invalid loss, terminating training\n"
        "  4/234 [....] - ETA: 25:09:00 - loss: inf \n",
        [3, 4], [44.5, np.inf], [],
    ),
    "olmo": (
        "".join(
            f"2025-12-12 11:05:02.009\thost-03:0\tolmo.train:979\tINFO\t[step={s}/15000,epoch=0]\n    optim/total_grad_norm=0.25\n"
            f"    train/CrossEntropyLoss={x}\n    train/Perplexity=20.04\n    throughput/total_tokens=2,097,152\n"
            for s, x in ((1, 3.0), (2, 2.5), (3, 2.75))
        ),
        [1, 2, 3], [3.0, 2.5, 2.75], [],
    ),
    "bigdl": (
        "".join(
            f"2017-08-20 16:11:38 INFO  DistriOptimizer$:295 - [Epoch 64 736512/1281167][Iteration {s}][Wall Clock 19.8s] Train 1792 in "
            f"4.3seconds. Throughput is 408.4 records/second. Loss is {x}. Current learning rate is 0.046. Current momentum is 0.9.\n"
            for s, x in ((7, 1.5), (8, "Infinity"), (9, 1.25))
        ),
        [7, 8, 9], [1.5, np.inf, 1.25], [],
    ),
    "darkflow": ("step 5 - loss        nan - moving ave loss        nan\nstep 6 - loss  2.5 - moving ave loss  3.5\n", [5, 6], [np.nan, 2.5], []),
    "darknet": (" 1: 744.5, 744.5 avg loss, 0.001 rate, 3.2 seconds, 64 images\n 2: -nan, 743.5 avg loss, 0.001 rate, 3.2 seconds, 128 images\n", [1, 2], [744.5, np.nan], []),
    "minimind": ("Epoch:[0/19](0/200) loss:8.5 lr:0.0002 epoch_Time:372.0min:\nEpoch:[0/19](100/200) loss:5.25 lr:0.0002 epoch_Time:9.0min:\nEpoch:[1/19](0/200) loss:5.0 lr:0.0002 epoch_Time:98.0min:\n", [0, 100, 200], [8.5, 5.25, 5.0], []),
    "caffe": (
        "I0312 10:00:00.123456 12345 solver.cpp:228] Iteration 100, loss = 87.3365\n"
        "I0312 10:00:00.123456 12345 solver.cpp:404]     Test net output #1: loss = 8.5 (* 1 = 8.5 loss)\n"
        "I0312 10:00:00.123456 12345 solver.cpp:228] Iteration 200, loss = 87.3365\n",
        [100, 200], [87.3365, 87.3365], [8.5],
    ),
    "estimators": (
        "INFO:tensorflow:loss = 2.5, step = 100 (0.512 sec)\nINFO:tensorflow:global_step/sec: 200.1\nINFO:tensorflow:loss = 2.25, step = 200 (0.5 sec)\n"
        "INFO:tensorflow:Saving dict for global step 200: accuracy = 0.9, global_step = 200, loss = 0.31\n",
        [100, 200], [2.5, 2.25], [0.31],
    ),
    "two lines an epoch": (
        "Epoch: 01 | Epoch Time: 0m 12s\n\tTrain Loss: 0.5 | Train Acc: 60.14%\n\t Val. Loss: 0.6 |  Val. Acc: 72.68%\n"
        "Epoch: 02 | Epoch Time: 0m 12s\n\tTrain Loss: 0.4 | Train Acc: 74.80%\n\t Val. Loss: 0.55 |  Val. Acc: 78.92%\n",
        [1, 2], [0.5, 0.4], [0.6, 0.55],
    ),
    "phases in one line": (
        "epoch 1 train: {'loss': 0.5, 'acc': 0.9} val: {'loss': 0.6, 'acc': 0.8}\nepoch 2 train: {'loss': 0.4, 'acc': 0.9} val: {'loss': 0.5, 'acc': 0.8}\n",
        [1, 2], [0.5, 0.4], [0.6, 0.5],
    ),
    "markdown table": ("# Results\n| Epoch | Train Loss | Val Loss |\n|---|---|---|\n| 1 | 0.5 | 0.6 |\n| 2 | **0.4** | nan |\n", [1, 2], [0.5, 0.4], [0.6, np.nan]),
    "aligned table": (
        "  epoch    train_loss    valid_acc    valid_loss     dur\n-------  ------------  -----------  ------------  ------\n"
        "      1        0.6868       0.5500        0.6789  0.0339\n      2        0.6706       0.6000        0.6621  0.0187\n",
        [1, 2], [0.6868, 0.6706], [0.6789, 0.6621],
    ),
    "loss at step": ("Training loss (for one batch) at step 0: 2.5\nSeen so far: 64 samples\nTraining loss (for one batch) at step 200: 1.25\n", [0, 200], [2.5, 1.25], []),
    "last words": ("iter: 19  total_loss: 20.5  lr: 0.1\niter: 39  total_loss: 12.5  lr: 0.1\nFloatingPointError: Loss became infinite or NaN at iteration=167!\n", [19, 39, 167], [20.5, 12.5, np.nan], []),
}  # fmt: skip


def written(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "whatever.xyz"
    path.write_bytes(text.encode(encoding))
    return path


def only_run(tmp_path: Path, text: str) -> Run:
    [run] = read(written(tmp_path, text))
    return run


def same(found: Run, name: str, expected: list[float]) -> bool:
    return np.array_equal(found.series(name).values, np.array(expected, float), equal_nan=True)


@pytest.mark.parametrize("style", STYLES)
def test_style(tmp_path: Path, style: str) -> None:
    text, steps, values, validation = STYLES[style]
    [run] = read(written(tmp_path, text))
    assert run.series("loss/train").steps.tolist() == steps
    assert same(run, "loss/train", values)
    assert same(run, "loss/validation", validation)


@pytest.mark.parametrize("style", STYLES)
def test_style_after_thousands_of_other_lines(tmp_path: Path, style: str) -> None:
    text, steps, values, _ = STYLES[style]
    noise = "".join(f"Fetching shard-{i}.bin ({i * 7} of 99999 bytes) {i}\n" for i in range(3000))
    [run] = read(written(tmp_path, noise + "+ python train.py --lr 0.1 --epochs 10\n" + text))
    assert run.series("loss/train").steps.tolist() == steps
    assert same(run, "loss/train", values)


def test_hosts_that_print_the_same_line_count_once(tmp_path: Path) -> None:
    lines = [
        f"22.1.17{h}.4: {{'loss': {x}, 'epoch': {e}}}"
        for e, x in ((0.1, 2.5), (0.2, 2.25), (0.3, 2.0))
        for h in range(4)
    ]
    [run] = read(written(tmp_path, "\n".join(lines)))
    assert same(run, "loss/train", [2.5, 2.25, 2.0])


def test_a_loss_that_stands_still_is_not_taken_for_an_echo(tmp_path: Path) -> None:
    [run] = read(written(tmp_path, "{'loss': 0.0, 'lr': 0.1}\n" * 20))
    assert len(run.series("loss/train")) == 20


def test_settings_are_not_measurements(tmp_path: Path) -> None:
    text = "Namespace(lr=0.5, epochs=10, loss_weight=3)\n  lr ........ 0.25\n  loss_scale ...... 12.0\n"
    [run] = read(written(tmp_path, text + "".join(f"step {s} loss 2.5 lr 0.1\n" for s in range(10))))
    assert set(run.series("lr").values) == {0.1}
    assert same(run, "loss/train", [2.5] * 10)


def test_folds_are_runs_and_epochs_are_not(tmp_path: Path) -> None:
    folds = "".join(f"Epoch {e} loss {2.0 / e:.3f}\n" for _ in range(3) for e in range(1, 11))
    assert [len(run.series("loss/train")) for run in read(written(tmp_path, folds))] == [10, 10, 10]
    epochs = "".join(f"batch {b} loss {5 * 0.8 ** (e + b / 100):.4f}\n" for e in range(4) for b in range(0, 100, 5))
    [run] = read(written(tmp_path, epochs))
    assert np.all(np.diff(run.series("loss/train").steps) > 0) and len(run.series("loss/train")) == 80


def test_logs_as_powershell_writes_them(tmp_path: Path) -> None:
    [run] = read(written(tmp_path, "step 1 loss 2.5\r\nstep 2 loss 2.25\r\n", "utf-16"))
    assert same(run, "loss/train", [2.5, 2.25])


def test_names_that_nobody_can_guess_are_given(tmp_path: Path) -> None:
    text = "".join(f"t {s} qq {1.0 / (s + 1)}\n" for s in range(5))
    [run] = read(written(tmp_path, text), Options.of(["train=qq"], step="t"))
    assert run.series("loss/train").steps.tolist() == list(range(5))


def test_two_adversaries_are_not_added_up(tmp_path: Path) -> None:
    text = "".join(f"[Epoch 0/2] [Batch {b}/9] [D loss: 0.25] [G loss: {b + 1}]\n" for b in range(5))
    [run] = read(written(tmp_path, text))
    assert same(run, "loss/train/0", [0.25] * 5) and same(run, "loss/train/1", [1, 2, 3, 4, 5])


def test_the_fast_way_reads_what_the_slow_way_reads() -> None:
    from traindx.readers.text.blocks import Plan, plan_of, split_numbers
    from traindx.readers.text.phrases import said

    plans: dict[tuple[str, ...], Plan | None] = {}
    for text, *_ in STYLES.values():
        for line in text.replace("\r", "\n").split("\n"):
            slow, parts = said(line), split_numbers(line)
            skeleton = tuple(parts[::2])
            if slow is None or (plan := plans.setdefault(skeleton, plan_of(slow, parts))) is None:
                continue
            quick = plan.read(parts[1::2])
            assert repr((slow.values, slow.epoch, slow.position, slow.of)) == repr(
                (quick.values, quick.epoch, quick.position, quick.of)
            )
    assert sum(plan is not None for plan in plans.values()) > 20


def test_a_remark_beside_a_value_does_not_number_the_rows(tmp_path: Path) -> None:
    lines = [f"{{'loss': {2 - i / 100}, 'grad_norm': 1.5}}" for i in range(12)]
    lines[8] += "   <-- look here (step 9)"
    run = only_run(tmp_path, "\n".join(lines))
    assert run.series("loss/train").steps.tolist() == list(range(12))


def test_a_constant_loss_after_a_changing_clock_is_no_echo(tmp_path: Path) -> None:
    lines = [f"10:00:{i:02d} loss 0.6931" for i in range(20)]
    assert len(only_run(tmp_path, "\n".join(lines)).series("loss/train")) == 20


@pytest.mark.parametrize(
    "last_words",
    [
        "ERROR:tensorflow:Model diverged with loss = NaN.",
        "InvalidArgumentError: LossTensor is inf or nan. : Tensor had NaN values",
        "NanLossDuringTrainingError: NaN loss during training.",
    ],
)
def test_last_words_about_the_loss_are_a_nan_at_the_end(tmp_path: Path, last_words: str) -> None:
    after = only_run(tmp_path, f"INFO:tensorflow:loss = 1.8717, step = 31601 (182.200 sec)\n{last_words}\n")
    assert np.isnan(after.series("loss/train").values).tolist() == [False, True]
    alone = only_run(tmp_path, f"Saving checkpoints for 0 into finish/model.ckpt.\n{last_words}\n")
    assert np.isnan(alone.series("loss/train").values).all()


def test_units_and_log_levels_are_no_part_of_names(tmp_path: Path) -> None:
    lines = [f"INFO Epoch[{e}] Batch [50] Speed: 581.5{e} samples/sec Train-accuracy=0.{e}5 loss=2.{e}" for e in (1, 2)]
    run = only_run(tmp_path, "\n".join(lines))
    assert run.series("accuracy/train").values.tolist() == [0.15, 0.25]
    assert run.series("epoch").values.tolist() == [1, 2]


@pytest.mark.parametrize("style", STYLES)
def test_blocks_say_what_their_lines_say(style: str) -> None:
    from traindx.readers.text.blocks import Blocks
    from traindx.readers.text.lines import Lines

    text = STYLES[style][0].replace("\r", "\n").rstrip("\n")
    # The same lines over and over, with other numbers, so that they are taken in together.
    copies = [re.sub("(?<!@)5", str(k % 7), text.replace("2.", f"{k}.")) for k in range(10, 400)]
    at_once, one_by_one = Lines(set()), Lines(set())
    Blocks(at_once).add("\n".join(copies))
    for line in "\n".join(copies).split("\n"):
        one_by_one.add(line)
    fast, slow = at_once.rows.table(), one_by_one.rows.table()
    assert fast.length == slow.length and fast.columns.keys() == slow.columns.keys()
    for name, column in slow.columns.items():
        assert np.array_equal(fast.columns[name].rows, column.rows), name
        assert np.array_equal(fast.columns[name].values, column.values, equal_nan=True), name


def test_numbers_without_a_name_that_rise_and_level_off_are_no_loss(tmp_path: Path) -> None:
    steps = np.arange(1, 81)
    rising, diverging = 0.5 * (1 - np.exp(-steps / 15)), 0.1 * np.exp(steps / 40)
    for name, values in (("accuracy/train", rising), ("loss/train", rising[::-1]), ("loss/train", diverging)):
        text = "".join(f"{step} {value:.4f}\n" for step, value in zip(steps, values, strict=True))
        assert only_run(tmp_path, text).series(name).values == pytest.approx(values, abs=1e-4)


def test_learning_rates_that_torch_schedulers_announce(tmp_path: Path) -> None:
    lines = [f"Epoch {e}: train loss {2 - 0.01 * e:.3f}" for e in range(1, 61)]
    for epoch, rate in ((40, 2.5e-4), (20, 5e-4)):
        for group, factor in ((1, 10), (0, 1)):
            lines.insert(epoch, f"Epoch {epoch:05d}: reducing learning rate of group {group} to {factor * rate:.4e}.")
    assert list(only_run(tmp_path, "\n".join(lines)).series("lr").values) == [5e-4, 2.5e-4]


def test_a_script_that_crashes_before_it_prints_a_number(tmp_path: Path) -> None:
    run = only_run(tmp_path, "loading data\nTraceback (most recent call last):\n  File 't.py', line 3\nKeyError: 'a'\n")
    assert (run.facts["exit"], run.facts["error"]["type"]) == ("exception", "KeyError")
