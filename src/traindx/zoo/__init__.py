"""The zoo: small real trainings (hosts) and the mistakes people make in them (faults), as edits of their source.

`hosts/` holds plain PyTorch scripts that know nothing of traindx. `faults/` holds, for each host, the edits that make
it sick, and the edits that change it without making it sick. A case is one edited script with one seed.

>>> from traindx.zoo import patient
>>> case = patient("missing-zero-grad")
>>> case.cause
'missing-zero-grad'
"""

from .cases import Case, all_cases, find_case, patient

__all__ = ["Case", "all_cases", "find_case", "patient"]
