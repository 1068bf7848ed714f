"""The zoo: small real training scripts (hosts) and common mistakes in them (faults), as edits of their source.

`hosts/` holds plain PyTorch scripts that do not use traindx. `faults/` holds for each host the edits that plant a
fault, and edits that change the script without harm. A case is one edited script with one seed, also called a patient.

>>> from traindx.zoo import patient
>>> case = patient("missing-zero-grad")
>>> case.cause
'missing-zero-grad'
"""

from .cases import Case, all_cases, find_case, patient

__all__ = ["Case", "all_cases", "find_case", "patient"]
