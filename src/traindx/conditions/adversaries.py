"""Networks that are trained against each other, and have lost their balance."""

from __future__ import annotations

from ..record import Run
from ..signs import Signs
from ._base import Remedy, condition


@condition(
    "adversary-won",
    signs=("adversary-won",),
    bad_from=0.8,
    avoid=(
        "Do not train on: the loser's gradient says nothing any more.",
        "Do not judge either network by its own loss.",
    ),
    behind=("traindx check train.py", "whether both networks get gradients and their own parameters"),
)
def adversary_won(_run: Run, _signs: Signs) -> list[Remedy]:
    """Of two networks that are trained against each other one has won, and the other one learns nothing.

    ## Definition
    Over the last quarter the winner's loss is less than a hundredth of its first level, and the loser's has climbed to
    several times its own, or the norm of its gradient has fallen a hundredfold. Or both losses are nearly zero: then
    the networks help each other.

    ## What tells the candidates apart
    - Learning rates: with the winner's divided by four the balance lasts.
    - A saturating loss, `log(1 - D(G(z)))`: its gradient vanishes where the discriminator is sure.
    - Wiring: the loser's parameters are in no optimizer, or its graph is cut; `traindx run` sees both.

    ## Reference
    - M. Arjovsky, L. Bottou, "Towards Principled Methods for Training Generative Adversarial Networks", ICLR 2017.
    - M. Heusel et al., "GANs Trained by a Two Time-Scale Update Rule", NeurIPS 2017.
    """
    return [
        Remedy(
            "Divide the winner's learning rate by 4, and start again: no checkpoint after the onset is of use.",
            "Both losses stay within a few times their first level.",
        ),
        Remedy(
            "Give the generator the loss that does not saturate: real labels for its samples.",
            "Its gradient norm stays within a hundredth of its early level.",
            "loss_g = bce(D(G(z)), ones)",
        ),
        Remedy(
            "Hold the discriminator back: labels of 0.9 for real samples, noise on its inputs, spectral norm.",
            "The discriminator's loss stays above a tenth of its first level.",
            "nn.utils.parametrizations.spectral_norm(layer)",
        ),
    ]
