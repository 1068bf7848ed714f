# ruff: noqa: E501 - log lines are as long as they are
"""Logs as trainers print them: every loss must be read right, under its name and at its step.

In a template `@e` is the epoch, `@s` a hundred times it, `@t` and `@v` the losses; the template repeats for each epoch.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from _styles import only

EPOCHS = range(1, 21)
TRAINED = [round(2.5 * math.exp(-e / 8) + 0.3, 4) for e in EPOCHS]
VALIDATED = [round(2.6 * math.exp(-e / 8) + 0.4, 4) for e in EPOCHS]
STEPS = [100 * e for e in EPOCHS]

# Name, heading, template, steps of the training loss, steps of the validation loss (none: there is no such loss).
LOGS = [
    ("fairseq", "", "2024-03-01 10:00:@e | INFO | train_inner | epoch 001:    @s / 5000 loss=@t, nll_loss=0.5@e, ppl=2.3, wps=30123.4, ups=2.5, wpb=12049, bsz=512, num_updates=@s, lr=0.0005, gnorm=1.5, clip=0, wall=300\n", STEPS, []),
    ("fairseq by epoch", "", "2024-03-01 10:00:00 | INFO | train | epoch 00@e | loss @t | nll_loss 1.1 | ppl 5.2 | num_updates @s | lr 0.0005\n2024-03-01 10:00:30 | INFO | valid | epoch 00@e | valid on 'valid' subset | loss @v | nll_loss 1.2 | num_updates @s | best_loss @v\n", STEPS, STEPS),
    ("detectron2", "", "[03/01 10:00:00 d2.utils.events]:  eta: 1:02:03  iter: @s  total_loss: @t  loss_cls: 0.5@e  loss_box_reg: 0.3@e  loss_rpn_cls: 0.01    time: 0.3512  last_time: 0.3400  data_time: 0.0061   lr: 0.00025  max_mem: 3012M\n", STEPS, []),
    ("mmengine", "", "2024/03/01 10:00:00 - mmengine - INFO - Epoch(train)  [1][@s/2000]  lr: 1.0000e-02  eta: 0:10:00  time: 0.2512  data_time: 0.0101  memory: 2500  loss: @t  loss_cls: 0.2@e  acc: 80.1\n", STEPS, []),
    ("megatron", "", " [2024-03-01 10:00:00] iteration     @s/   10000 | consumed samples:        51200 | elapsed time per iteration (ms): 512.3 | learning rate: 1.500000E-04 | lm loss: @t | loss scale: 1.0 | grad norm: 0.9@e | number of skipped iterations:   0 | number of nan iterations:   0 |\n validation loss at iteration @s | lm loss value: @v | lm loss PPL: 1.2E+01 | \n", STEPS, STEPS),
    ("deepspeed", "", "[2024-03-01 10:00:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=@s, skipped=0, lr=[0.0001, 0.0001], mom=[(0.9, 0.999), (0.9, 0.999)]\nsteps: @s loss: @t iter time (s): 0.251 samples/sec: 127.5\n", STEPS, []),
    ("torchtune", "", "Step @e | loss:@t lr:2e-05 tokens_per_second_per_gpu:1520.1 grad_norm:1.5@e\n", EPOCHS, []),
    ("torchtune's bar", "", "1|@e|Loss: @t:   7%|▏         | @e/100 [00:01<10:00,  1.02s/it]\r", EPOCHS, []),
    ("xgboost", "", "[@e]\ttrain-logloss:@t\teval-logloss:@v\n", EPOCHS, EPOCHS),
    ("catboost", "", "@e:\tlearn: @t\ttest: @v\tbest: @v (@e)\ttotal: 12ms\tremaining: 1m 3s\n", EPOCHS, EPOCHS),
    ("fastai", "epoch     train_loss  valid_loss  accuracy  time    \n", "@e         @t    @v    0.812000  00:12     \n", EPOCHS, EPOCHS),
    ("rich", "┏━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━┓\n┃ Epoch ┃ Train loss ┃ Val loss ┃\n┡━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━┩\n", "│ @e   │ @t │ @v │\n", EPOCHS, EPOCHS),
    ("rich, a table an epoch", "", "┏━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━┓\n┃ epoch ┃ train_loss ┃ val_loss ┃\n┡━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━┩\n│ @e │ @t │ @v │\n└───────┴────────────┴──────────┘\n", EPOCHS, EPOCHS),
    ("loguru", "", "2024-03-01 10:00:00.123 | INFO     | __main__:train:87 - epoch=@e train_loss=@t val_loss=@v lr=1.0e-03\n", EPOCHS, EPOCHS),
    ("slurm", "", "0: [node00] step @s loss @t time 0.1\n1: [node01] step @s loss @t time 0.1\n", STEPS, []),
    ("kubernetes", "", "2024-03-01T10:00:00.123456789Z stdout F step: @s  train_loss: @t  eval_loss: @v\n", STEPS, STEPS),
    ("colours", "", "\x1b[32m[INFO]\x1b[0m \x1b[1mEpoch @e/20\x1b[0m \x1b[33mtrain loss\x1b[0m: \x1b[36m@t\x1b[0m \x1b[33mval loss\x1b[0m: \x1b[36m@v\x1b[0m\n", EPOCHS, EPOCHS),
    ("an epoch on several lines", "", "Epoch @e/20\n  Train - Loss: @t, Acc: 0.81\n  Valid - Loss: @v, Acc: 0.71\n  LR: 0.001\n", EPOCHS, EPOCHS),
    ("sections", "", "===== Epoch @e =====\nTraining:\n    loss: @t\n    accuracy: 0.8\nValidation:\n    loss: @v\n    accuracy: 0.7\n\n", EPOCHS, EPOCHS),
    ("Python's dictionaries", "", "{'epoch': @e, 'train': {'loss': @t, 'acc': 0.8}, 'val': {'loss': @v, 'acc': 0.7}}\n", EPOCHS, EPOCHS),
    ("NumPy's numbers", "", "{'step': @s, 'loss': np.float32(@t), 'val_loss': np.float64(@v)}\n", STEPS, STEPS),
    ("JSON after a prefix", "", 'INFO:train:{"step": @s, "train_loss": @t, "val_loss": @v, "lr": 0.001}\n', STEPS, STEPS),
    ("olmo", "", "2024-03-01 10:00:00.123\tjupiter:0\tolmo.train:967\tINFO\t[step=@s/500000,epoch=0]\n    optim/total_grad_norm=0.5@e\n    train/CrossEntropyLoss=@t\n    train/Perplexity=2.34\n    System/Peak GPU Memory (MB)=41,023\n", STEPS, []),
    ("nanotron", "", "03/01/2024 10:00:00 [INFO|DP=0|PP=0|TP=0|ip-26-0-1-2]: iteration: @e / 20 | consumed_tokens: 1.31M | elapsed_time_per_iteration_ms: 350 | tokens_per_sec: 374K | lm_loss: @t | lr: 0.0003 | grad_norm: 1.5@e\n", EPOCHS, []),
    ("nemo", "", "Training epoch 0, iteration @e/999 | lr: 0.0001 | global_batch_size: 32 | global_step: @e | reduced_train_loss: @t | train_step_timing in s: 0.25\n", EPOCHS, []),
    ("glog, phases before the epoch", "", "I0301 10:00:00.123456 140 train.py:210] train epoch: @e, loss: @t, accuracy: 80.1\nI0301 10:00:01.123456 140 train.py:220] eval epoch: @e, loss: @v, accuracy: 70.1\n", EPOCHS, EPOCHS),
    ("phases before the epoch, bars between", "", "epoch:@e || Loss:@t\ntest epoch:@e || Loss:@v\n", EPOCHS, EPOCHS),
    ("a number before its name", "", "[@s steps | 1.2k tok/s] Loss = @t (smoothed 1.5), Grad Norm = 0.5@e\n", STEPS, []),
    ("a step for each split", "", "@s: loss: @t\n@s: valid loss @v\n", STEPS, STEPS),
    ("XLA", "", "[xla:0](10:00:00) Loss=@t Rate=120.12 GlobalRate=118.3 Step=@s\n", STEPS, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("heading", "template", "train", "validation"), [row[1:] for row in LOGS], ids=[row[0] for row in LOGS]
)
def test_losses_of(heading: str, template: str, train: list[int], validation: list[int], tmp_path: Path) -> None:
    lines = [
        template.replace("@e", str(e)).replace("@s", str(100 * e)).replace("@t", f"{t}").replace("@v", f"{v}")
        for e, t, v in zip(EPOCHS, TRAINED, VALIDATED, strict=True)
    ]
    run = only(tmp_path, heading + "".join(lines))
    for name, steps, values in (("loss/train", train, TRAINED), ("loss/validation", validation, VALIDATED)):
        series = run.series(name)
        assert series.steps.tolist() == list(steps), name
        assert series.values.tolist() == (values if steps else []), name


def test_german_numbers_and_names(tmp_path: Path) -> None:
    losses = zip(EPOCHS, TRAINED, VALIDATED, strict=True)
    lines = [
        f"Epoche {e}: Trainingsverlust {t:.4f}; Validierungsverlust {v:.4f}\n".replace(".", ",") for e, t, v in losses
    ]
    run = only(tmp_path, "".join(lines))
    assert run.series("loss/train").values.tolist() == TRAINED
    assert run.series("loss/validation").values.tolist() == VALIDATED


def test_a_number_that_is_part_of_a_name_is_no_loss(tmp_path: Path) -> None:
    losses = zip(EPOCHS, TRAINED, VALIDATED, strict=True)
    run = only(tmp_path, "".join(f"Epoch {e}: loss 1: {t} loss 2: {v}\n" for e, t, v in losses))
    assert run.facts["log"]["columns"]["loss/train"] == "loss 1 + loss 2"
    assert run.series("loss/train").values == pytest.approx([t + v for t, v in zip(TRAINED, VALIDATED, strict=True)])


def test_a_yolo_table_with_bars_and_a_second_table_between_its_rows(tmp_path: Path) -> None:
    heading = "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
    between = (
        "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|██████████| 4/4 [00:01<00:00,  3.5it/s]\n"
        "                   all        128        929      0.612      0.512      0.503      0.31\n"
    )
    rows = [
        f"       {e}/20      2.51G     {t}     0.51      0.92        120        640: 100%|██████████| 50/50 [00:10<00:00,  4.9it/s]\n"
        for e, t in zip(EPOCHS, TRAINED, strict=True)
    ]
    run = only(tmp_path, heading + "".join(row + between for row in rows))
    assert run.series("loss/train").steps.tolist() == list(EPOCHS)
    assert run.series("loss/train").values == pytest.approx([t + 0.51 + 0.92 for t in TRAINED])
