"""The interview, and the server for coding assistants. The interview asks for signs instead of measuring them; the
diagnosis is the same.

The state of an interview is plain JSON, so that a terminal, a file or an assistant can hold it. `answer` and `skip`
take a state and return a new one:

>>> from traindx.consult import answer, begin, conclude, next_question, skip
>>> state = begin()
>>> next_question(state)["id"]
'symptoms'
>>> state = answer(state, "symptoms", ["nan"])
>>> state = skip(state, next_question(state)["id"])
>>> conclude(state)["diagnosis"]["verdict"]
'sick'
"""

from typing import TYPE_CHECKING

from .._lazy import lazy_names
from .questions import AnswerError

if TYPE_CHECKING:
    from .interview import answer as answer
    from .interview import begin as begin
    from .interview import conclude as conclude
    from .interview import next_question as next_question
    from .interview import skip as skip

__all__ = ["AnswerError", "answer", "begin", "conclude", "next_question", "skip"]

__getattr__ = lazy_names(
    __name__,
    dict.fromkeys(("answer", "begin", "conclude", "next_question", "skip"), ".interview"),
)
