"""The changes that many fixes share: a setting of the optimizer, of the loader, or the rate itself."""

from __future__ import annotations

from ..record import Run
from ._base import Fix, Safety
from ._known import (
    at,
    entries,
    groups,
    median,
    nice,
    number,
    optimizer,
    optimizer_class,
    optimizer_name,
    rate,
    setting,
    show,
    site_of,
    train_loader,
)
from ._lines import with_keyword

# Updates of about a thousandth of the weight are what well-set runs show; this is the middle of 1e-3 to 3e-3.
HEALTHY_UPDATE_RATIO = 2e-3


def optimizer_setting(run: Run, name: str, value: str, why: str, safety: Safety = "changes-result") -> Fix:
    """Set one keyword of the optimizer to the source text `value`."""
    site = site_of(optimizer(run))
    old = setting(run, name) if name != "lr" else rate(run)
    change = f"{name}={show(old)} → {name}={value}" if old is not None else f"set {name}={value}"
    line = None
    if site and site.text:
        position = 1 if name == "lr" else None  # every torch optimizer takes the rate as its second argument
        line = with_keyword(site.text, name, value, call=optimizer_class(run), position=position)
    loop = f'for group in {optimizer_name(run)}.param_groups:\n    group["{name}"] = {value}'
    return Fix(f"{at(site)}{change}; {why}", line or loop, site, safety)


def loader_setting(run: Run, name: str, value: str, why: str, safety: Safety = "changes-result") -> Fix:
    """Set one keyword of the training loader to the source text `value`."""
    loader = train_loader(run)
    site = site_of(loader)
    old = number(loader.get(name))
    change = f"{name}={show(old)} → {name}={value}" if old is not None else f"set {name}={value}"
    line = with_keyword(site.text, name, value, call="DataLoader") if site and site.text else None
    code = line or f"loader = torch.utils.data.DataLoader(dataset, {name}={value})  # keep your other arguments"
    return Fix(f"{at(site)}{change}; {why}", code, site, safety)


def scaled_rate(run: Run, factor: float, why: str, ceiling: float | None = None) -> Fix:
    """Multiply the rate by a factor, and write the result where the rate is set.

    `ceiling` bounds a raise; a rate that stands there already is raised threefold.
    """
    old = rate(run)
    word = f"divided by about {show(1 / factor)}" if factor < 1 else f"multiplied by about {show(factor)}"
    if old is None and "backward_sites" in run.facts and not entries(run, "optimizers"):  # it updates by hand
        return Fix(f"the rate of your own update {word}; {why}", f"lr *= {show(factor)}  # by whatever name it goes")
    several = len({number(group.get("lr")) for group in groups(run)}) > 1
    if old is None or several:
        loop = f'for group in {optimizer_name(run)}.param_groups:\n    group["lr"] *= {show(factor)}'
        which = "every group's rate" if several else "the rate"
        site = site_of(optimizer(run))
        return Fix(f"{at(site)}{which} {word}; {why}", loop, site)
    new = nice(old * factor)
    if ceiling is not None and factor > 1 and new > ceiling:
        new = ceiling if ceiling >= 3 * old else nice(3 * old)
    return optimizer_setting(run, "lr", show(new), why)


def factor_to_healthy_updates(run: Run, lowest: float, highest: float, before: int | None = None) -> float | None:
    """By what to multiply the rate so that the median update becomes a healthy share of the weight."""
    ratio = median(run, "update_ratio", before) or median(run, "update_ratio")
    if not ratio or ratio <= 0:
        return None
    return min(highest, max(lowest, HEALTHY_UPDATE_RATIO / ratio))
