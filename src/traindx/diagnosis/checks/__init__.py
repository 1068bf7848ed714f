"""What a check before training asks, and its answers.

Probes measure, signs rate the measurements; here they become answers to a fixed list of questions.
"""

from .judge import judge_check
from .types import Answer, CheckReport

__all__ = ["Answer", "CheckReport", "judge_check"]
