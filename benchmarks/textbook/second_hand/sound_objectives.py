"""Sound runs whose objective has an unusual scale, direction or companion."""

from __future__ import annotations

import numpy as np

from benchmarks.textbook.model import Run, healthy

from .shapes import (
    Rng,
    accuracy,
    between,
    cosine,
    epochs,
    extras,
    falls,
    family,
    measured,
    noisy,
    power,
    steps,
    wobble,
)


@family("healthy")
def contrastive_against_a_batch(rng: Rng, variant: int) -> Run:
    """InfoNCE over a batch of 256 to 4096: the loss starts at ln(batch), falls slowly and ends at a third to a half of
    that, levelling off under a cosine, while retrieval recall or a kNN accuracy rises to a good value."""
    plan = epochs(rng, variant, 40, 120, task="contrastive", classes=int(rng.choice([256, 512, 1024, 4096])))
    end = between(rng, 0.35, 0.5) * plan.start
    loss = noisy(rng, falls(plan.x, plan.start, end, 5.0), 0.004)
    score = 0.15 + between(rng, 0.5, 0.65) * (1.0 - np.exp(-5.0 * plan.x)) + wobble(rng, plan.n, 0.004)
    run = Run(plan, healthy()).add("loss", loss)
    run.add("val_recall" if variant % 2 else "val_acc", score)
    run.need("loss", "val_recall" if variant % 2 else "val_acc")
    return run.add("lr", cosine(plan.x, 1e-3, warm=0.05))


@family("healthy")
def triplets_ever_harder(rng: Rng, variant: int) -> Run:
    """Triplet loss with a margin of 0.2 and mining of the hardest pairs: the loss hardly moves below the margin as the
    pairs get harder with the net, while recall at one climbs from 0.3 to over 0.8."""
    plan = epochs(rng, variant, 25, 80, task="metric")
    loss = noisy(rng, falls(plan.x, 0.205, between(rng, 0.165, 0.185), 3.0), 0.012)
    recall = between(rng, 0.8, 0.9) - 0.5 * np.exp(-4.0 * plan.x) + wobble(rng, plan.n, 0.006)
    run = Run(plan, healthy()).add("loss", loss).add("val_recall", recall).need("loss", "val_recall")
    return extras(run, rng, "cosine", peak=1e-4)


@family("healthy")
def two_players_in_balance(rng: Rng, variant: int) -> Run:
    """A GAN: after a short settling the losses of generator and discriminator wander about their levels (about 1.0 to
    1.6 and 1.1 to 1.35) without a trend, as they should; FID, where shown, goes down all the time."""
    plan = (
        steps(rng, variant, 80, 200, "gan", passes=20.0) if rng.random() < 0.5 else epochs(rng, variant, 40, 120, "gan")
    )
    level_g, level_d = between(rng, 1.0, 1.6), between(rng, 1.1, 1.35)
    settle = np.exp(-plan.x * 25.0)
    run = Run(plan, healthy())
    run.add("loss_d", noisy(rng, level_d * (1.0 - 0.3 * settle), 0.05, 0.5))
    run.add("loss_g", noisy(rng, level_g * (1.0 + 1.5 * settle), 0.09, 0.5))
    if rng.random() < 0.7:
        run.add("val_fid", noisy(rng, power(plan.x, 190.0, between(rng, 12.0, 35.0), 0.08), 0.02))
    return run.need("loss_d", "loss_g")


@family("healthy")
def divergence_term_annealed(rng: Rng, variant: int) -> Run:
    """A VAE whose KL weight goes from 0 to 1 over the first third: the total first falls with the reconstruction, then
    rises as the KL counts more, then goes down slowly again. Reconstruction, KL and weight are shown."""
    plan = epochs(rng, variant, 40, 120, task="vae")
    end = between(rng, 0.25, 0.4)
    beta = np.clip(plan.x / end, 0.0, 1.0)
    recon = falls(plan.x, 210.0, 84.0, 25.0) + 6.0 * beta - 5.0 * plan.x
    kl = 38.0 * np.exp(-1.2 * beta) + 14.0 - 1.5 * plan.x
    recon, kl = noisy(rng, recon, 0.003), noisy(rng, kl, 0.006)
    run = Run(plan, healthy()).add("loss", recon + beta * kl).add("val_loss", (recon + beta * kl) * 1.012)
    return run.add("recon", recon).add("kl", kl).add("kl_weight", beta).need("loss", "kl", "kl_weight")


@family("healthy")
def teacher_sets_the_floor(rng: Rng, variant: int) -> Run:
    """Distillation with a temperature: the loss comes down by less than half and levels off at two to four nats under a
    cosine, because the teacher's entropy is in it; accuracy on both sides is good (70 to 85 %) and has settled."""
    plan = epochs(rng, variant, 30, 100, classes=100)
    floor = between(rng, 2.2, 3.6)
    loss = noisy(rng, falls(plan.x, floor * between(rng, 1.6, 1.9), floor, 5.5), 0.003)
    top = between(rng, 0.72, 0.85)
    acc = top - (top - 0.12) * np.exp(-5.5 * plan.x)
    run = Run(plan, healthy()).add("loss", loss).add("acc", measured(rng, acc + 0.01, 50000))
    run.add("val_loss", noisy(rng, loss * 1.01, 0.005)).add("val_acc", measured(rng, acc, 10000))
    return run.add("lr", cosine(plan.x, 0.1)).need("loss", "val_acc")


@family("healthy")
def smoothed_labels_floor(rng: Rng, variant: int) -> Run:
    """Label smoothing of 0.1: the training loss cannot go below about 0.8 to 1.0 and levels off there under a cosine;
    training accuracy 84 to 88 %, validation 4 to 6 points below, both settled."""
    plan = epochs(rng, variant, 40, 120, classes=100)
    top = between(rng, 0.84, 0.88)
    acc = top - (top - 0.08) * np.exp(-5.5 * plan.x)
    val_acc = (top - between(rng, 0.04, 0.06)) - (top - 0.16) * np.exp(-6.0 * plan.x)
    loss = noisy(rng, 0.78 + 2.9 * (1.0 - acc) * (4.2 / 3.2), 0.003)
    run = Run(plan, healthy()).add("loss", loss).add("acc", measured(rng, acc, 50000))
    run.add("val_loss", noisy(rng, 0.8 + 2.9 * (1.0 - val_acc) * (4.2 / 3.2), 0.006))
    run.add("val_acc", measured(rng, val_acc, 10000))
    return run.add("lr", cosine(plan.x, 0.5)).need("loss", "acc", "val_acc")


@family("healthy")
def mixed_examples_are_harder(rng: Rng, variant: int) -> Run:
    """Mixup or strong augmentation: training loss stays high and training accuracy near a half because the examples are
    mixed, while validation on clean examples is far better (loss under 0.8, accuracy over 0.8) and settles under
    a cosine."""
    plan = epochs(rng, variant, 40, 120, classes=int(rng.choice([10, 100])))
    hard = between(rng, 0.5, 0.6) * plan.start
    loss = noisy(rng, falls(plan.x, plan.start, hard, 5.5), 0.005)
    top = between(rng, 0.81, 0.94)
    val_acc = top - (top - 2.0 * plan.chance) * np.exp(-5.5 * plan.x)
    run = Run(plan, healthy()).add("loss", loss)
    run.add("acc", measured(rng, 0.62 * val_acc, 50000)).add(
        "val_loss", noisy(rng, 0.12 - 1.15 * np.log(val_acc), 0.01)
    )
    return run.add("val_acc", measured(rng, val_acc, 10000)).add("lr", cosine(plan.x, 0.1)).need("loss", "val_acc")


@family("healthy")
def preferences_near_ln_two(rng: Rng, variant: int) -> Run:
    """Preference tuning (DPO): one pass; the loss starts at exactly ln 2 and comes down to 0.5 to 0.6 with much batch
    noise, the share of preferred answers ranked right rises from a half to 0.7 or more, the margin from 0."""
    plan = steps(rng, variant, 40, 120, "preference", classes=2, passes=1.0, every=10, evals=6)
    end = between(rng, 0.5, 0.58)
    base = falls(plan.x, np.log(2.0), end, 4.0)
    loss = base + wobble(rng, plan.n, 0.02) * np.clip(10.0 * plan.x, 0.0, 1.0)
    run = Run(plan, healthy()).add("loss", loss)
    top = between(rng, 0.72, 0.8)
    run.add("acc", measured(rng, top - (top - 0.5) * np.exp(-5.0 * plan.x), 640))
    run.add("margin", np.abs(1.2 * (1.0 - np.exp(-3.0 * plan.x)) * (1 + wobble(rng, plan.n, 0.08))))
    run.add("val_loss", base + 0.012 + wobble(rng, plan.n, 0.003))
    return run.add("lr", cosine(plan.x, 5e-7, warm=0.1)).need("loss", "val_loss")


@family("healthy")
def log_density_below_zero(rng: Rng, variant: int) -> Run:
    """A density model (flow or mixture): the negative log-likelihood goes through zero and ends at minus three or
    lower, levelling off under a cosine, validation a little above it all the way."""
    plan = epochs(rng, variant, 30, 100, task="density")
    end = -between(rng, 2.5, 6.0)
    loss = falls(plan.x, between(rng, 1.5, 4.0), end, 4.8)
    run = Run(plan, healthy()).add("loss", loss + wobble(rng, plan.n, 0.02))
    run.add("val_loss", loss + 0.08 + wobble(rng, plan.n, 0.03)).need("loss", "val_loss")
    return run.add("lr", cosine(plan.x, 5e-4))


@family("healthy")
def odd_units(rng: Rng, variant: int) -> Run:
    """A good regression in units nobody would choose: a sum over pixels in the hundred thousands, or a physical
    quantity squared in the 1e-8 range; it comes down twenty to sixty times and settles under a falling rate, with
    validation close by and R2 near 1."""
    plan = epochs(rng, variant, 30, 100, task="targets")
    unit = 10.0 ** (between(rng, 4.5, 6.5) if variant % 2 else between(rng, -9.0, -6.0))
    base = falls(plan.x, 1.0, 1.0 / between(rng, 20.0, 60.0), 7.0)
    run = Run(plan, healthy()).add("loss", noisy(rng, unit * base, 0.012))
    run.add("val_loss", noisy(rng, unit * base * 1.05, 0.02)).add(
        "val_r2", 1.0 - 0.95 * base + wobble(rng, plan.n, 1e-3)
    )
    return run.add("lr", cosine(plan.x, 1e-3)).need("loss", "val_loss")


@family("healthy")
def overlap_loss_of_masks(rng: Rng, variant: int) -> Run:
    """Segmentation with Dice loss on few volumes: steps down in the first epochs, a loss about 0.1 to 0.2 at the end,
    validation Dice 0.8 to 0.9 with the jitter of a dozen cases and no trend in the last quarter."""
    plan = epochs(rng, variant, 40, 150, task="segmentation", every=int(rng.choice([1, 5])))
    end = between(rng, 0.09, 0.18)
    loss = noisy(rng, end + 0.65 / (1.0 + np.exp((plan.x - 0.07) / 0.03)) + 0.06 * np.exp(-5.0 * plan.x), 0.012)
    dice = 1.0 - end - 0.03 - 0.6 / (1.0 + np.exp((plan.x - 0.08) / 0.03)) - 0.05 * np.exp(-5.0 * plan.x)
    run = Run(plan, healthy()).add("loss", loss).add("val_dice", dice + wobble(rng, plan.n, 0.012))
    run.add("lr", 1e-2 * (1.0 - 0.999 * plan.x) ** 0.9)
    return run.need("loss", "val_dice")


@family("healthy")
def rare_positives_found(rng: Rng, variant: int) -> Run:
    """A rare-event classifier: accuracy is high and all but flat from the first epoch, as the common class makes up 95
    to 98 %, while F1 rises from 0.1 or 0.2 to 0.7 or more; the loss settles under a cosine."""
    plan = epochs(rng, variant, 20, 60, classes=2)
    share = between(rng, 0.95, 0.98)
    loss = noisy(rng, falls(plan.x, 0.16, 0.045, 4.5), 0.01)
    good = 1.0 - np.exp(-4.5 * plan.x)
    f1 = between(rng, 0.1, 0.2) + between(rng, 0.55, 0.65) * good
    run = Run(plan, healthy()).add("loss", loss).add("val_loss", noisy(rng, loss * 1.06, 0.015))
    run.add("val_acc", measured(rng, share + 0.55 * (1 - share) * good, 20000)).add(
        "val_f1", f1 + wobble(rng, plan.n, 0.01)
    )
    return run.add("lr", cosine(plan.x, 1e-3)).need("val_acc", "val_f1")


@family("healthy")
def easy_task_solved(rng: Rng, variant: int) -> Run:
    """Digits: solved to 99.5 % and more; the loss goes to about 1e-3 to 1e-2 and the gradient norm with it, by two to
    three orders of magnitude; validation loss is low and flat, accuracy 99 %."""
    plan = epochs(rng, variant, 12, 30, classes=10)
    base = power(plan.x, 0.35, between(rng, 0.003, 0.01), 0.1, 1.6)
    run = Run(plan, healthy()).add("loss", noisy(rng, base, 0.04))
    run.add("acc", measured(rng, 1.0 - 0.25 * base, 60000)).add("val_loss", noisy(rng, 0.03 + 0.1 * base, 0.03))
    run.add("val_acc", measured(rng, 0.9915 - 0.06 * base, 10000)).add("grad_norm", noisy(rng, 4.0 * base, 0.2))
    return run.add("lr", cosine(plan.x, 1e-3)).need("loss", "val_acc", "grad_norm")


@family("healthy")
def masked_words_wait_then_fall(rng: Rng, variant: int) -> Run:
    """Masked-word pre-training: a wait at the unigram level (about 7) for the first tenth to fifth, then a steep fall
    to 1.8 to 2.4 and a long settling under a linear schedule, validation alongside."""
    plan = steps(rng, variant, 90, 220, classes=30522, passes=6.0, evals=20, noise=0.012)
    wait = between(rng, 0.1, 0.2)
    first = falls(plan.x, 10.4, 7.0, 60.0)
    drop = falls(np.clip((plan.x - wait) / (1.0 - wait), 0.0, None), 1.0, 0.0, 5.5)
    end = between(rng, 1.8, 2.4)
    loss = end + (first - end) * drop
    run = Run(plan, healthy()).add("loss", noisy(rng, loss, 0.012)).add("val_loss", noisy(rng, loss * 0.99, 0.004))
    run.add("lr", 1e-4 * np.minimum(np.clip(plan.x / 0.05, 0.02, None), (1.001 - plan.x) / 0.95))
    run.add("acc", measured(rng, accuracy(loss, 30522), 20000))
    return run.need("loss", "val_loss")
