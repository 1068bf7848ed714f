"""What a pre-flight check asks, and its answers: ticks, crosses, and what could not be asked.

Probes measure, signs place measurements on scales; here they become answers to a fixed list of questions.
"""

from ._base import Answer, CheckReport

__all__ = ["Answer", "CheckReport"]
