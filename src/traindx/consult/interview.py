"""The logic of the interview, independent of any screen: it chooses questions, takes answers, and gives a diagnosis.

The state is plain JSON. It holds only what was said, nothing that can be computed from it, so it can be saved or passed
between processes at any time. First come the questions that every guide asks of the symptom (`trees/`), then the one
whose answer is expected to give the most information about the cause (`information.py`). Where nothing was understood,
the symptoms are offered, and nothing is diagnosed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..conditions import established
from ..record import Run
from ..signs import Signs, measure_all
from .conclusion import Consultation
from .conclusion import consult as _consult
from .information import answers_of, base_run, ranked, read_pasted, told_run
from .matching import OTHER, Match, all_symptoms, heard, recognise, telling_of
from .questions import AnswerError, Option, Question, Telling, all_questions

State = Mapping[str, Any]
SCHEMA = "traindx.interview/1"
MOST = 8  # questions, skipped ones included; after these, an experiment tells more than another answer
MOST_SYMPTOMS = 2  # the clearest ones that a record shows
WORTHWHILE, WORTHLESS = 0.04, 0.003  # least expected bits of an answer: of any question, of one that the tree asks
SYMPTOMS, WORDS, COURSE = "symptoms", "words", "course"
NOTHING_SAID = ("", "skip", "?", "-", "don't know", "dont know", "no idea")


def begin(source: str | None = None) -> dict[str, Any]:
    """A new interview, which may start from a record or log (`source`). Raises any error from reading it."""
    if source is not None:
        base_run(source)
    return {"schema": SCHEMA, "source": source, "answers": {}, "skipped": [], "asked": []}


def next_question(state: State) -> dict[str, Any] | None:
    """The question whose answer would tell most, or None when it is time to conclude."""
    checked(state)
    known = {*state["answers"], *state["skipped"]}
    symptoms = _symptoms(state)
    if SYMPTOMS not in known and not symptoms and WORDS not in known:
        return _about_symptoms()
    if WORDS not in known and state["answers"].get(SYMPTOMS) == [OTHER]:
        return _about_words()
    if not_understood(state):
        return None if SYMPTOMS in state["skipped"] else _about_symptoms(str(state["answers"][WORDS]))
    asked = [name for name in state["asked"] if name not in (SYMPTOMS, WORDS)]
    if len(asked) >= MOST or _handed_over(state) or _only_wished(state):
        return None
    open_questions = [question for name, question in all_questions().items() if name not in known]
    if not _symptoms_known(state) and COURSE not in known:
        open_questions = [all_questions()[COURSE]]  # no symptom was named, so ask how the loss behaved
    run, signs = _heard(state)
    if run.kind != "interview":
        open_questions = [question for question in open_questions if question.id != "losses"]
    guided = _guided(state, signs)
    if guided is not None:
        return shown(guided, None, len(asked))
    if open_questions and [question.id for question in open_questions] == [COURSE]:
        return shown(open_questions[0], None, len(asked))
    condition = next(iter(established(run, signs)), None)  # the one that leads by what was said and measured so far
    if condition is None:
        return None
    symptoms_said = [all_symptoms()[name] for name in symptoms if name in all_symptoms()]
    named = {fork.question for symptom in symptoms_said for fork in symptom.forks}
    if symptoms_said and all(symptom.closed for symptom in symptoms_said):
        open_questions = [question for question in open_questions if question.id in named]
    worth = ranked(open_questions, signs, condition, [said for _, said in _tellings(state)])
    worth = [(bits, q) for bits, q in worth if bits >= (WORTHLESS if q.id in named else WORTHWHILE)]
    worth.sort(key=lambda item: item[1].id not in named)
    return shown(worth[0][1], worth[0][0], len(asked)) if worth else None


def shown(question: Question, bits: float | None = None, asked: int = 0) -> dict[str, Any]:
    """The question as a screen or an assistant gets it, after `asked` others."""
    return {
        "id": question.id,
        "ask": question.ask,
        "why": question.why,
        "how": question.how,
        "kind": "paste" if question.many_lines else "choice" if question.options else "text",
        "options": [{"key": option.key, "label": option.label} for option in question.options],
        "hint": question.hint,
        "number": asked + 1,
        "of": MOST,
        "bits": None if bits is None else round(bits, 3),
    }


def answer(state: State, question: str, value: str | Sequence[str]) -> dict[str, Any]:
    """The state with this answer. Raises `AnswerError` (one line) if the answer cannot be understood."""
    checked(state)
    if isinstance(value, str) and value.strip().lower() in NOTHING_SAID:
        return skip(state, question)
    if question == SYMPTOMS:
        return _with(state, question, _chosen_symptoms(value))
    if question == WORDS:
        words = " ".join(_text(value).split())
        by_the_way = {name: said for name, said in heard(words).items() if name not in state["answers"]}
        return {**_with(state, question, words), "answers": {**state["answers"], **by_the_way, WORDS: words}}
    if question not in all_questions():
        raise AnswerError(f"there is no question {question!r} (the questions are {', '.join(all_questions())})")
    telling = all_questions()[question].answer(_text(value))
    if telling.pasted:
        read_pasted(telling.pasted)  # reject unreadable lines now, not at the end
    return _with(state, question, _text(value).strip())


def skip(state: State, question: str) -> dict[str, Any]:
    """The state with this question left open. It is not asked again."""
    checked(state)
    if question not in {SYMPTOMS, WORDS, *all_questions()}:
        raise AnswerError(f"there is no question {question!r} (the questions are {', '.join(all_questions())})")
    answers = {name: said for name, said in state["answers"].items() if name != question}
    return {
        **state,
        "answers": answers,
        "skipped": _added(state["skipped"], question),
        "asked": _added(state["asked"], question),
    }


def undone(state: State) -> dict[str, Any]:
    """The state before the last question was answered or skipped; it will be asked again."""
    if not state["asked"]:
        return dict(state)
    last = state["asked"][-1]
    return {
        **state,
        "answers": {name: said for name, said in state["answers"].items() if name != last},
        "skipped": [name for name in state["skipped"] if name != last],
        "asked": list(state["asked"][:-1]),
    }


def conclude(state: State) -> dict[str, Any]:
    """The conclusion from the answers as plain JSON; `docs/ask.md` lists the fields."""
    return consultation(state).as_object()


def consultation(state: State) -> Consultation:
    """The same, with the diagnosis as an object."""
    checked(state)
    run, signs = _heard(state)
    symptoms = [all_symptoms()[name] for name in _symptoms(state) if name in all_symptoms()]
    return _consult(state, run, signs, symptoms, _matched(state), _tellings(state), not_understood(state))


def checked(state: State) -> None:
    """Raises `AnswerError` if this is not a valid state of an interview."""
    if not isinstance(state, Mapping) or state.get("schema") != SCHEMA:
        raise AnswerError(f"this is not an interview of this version of traindx (its schema is not {SCHEMA!r})")
    kinds = {"answers": Mapping, "skipped": Sequence, "asked": Sequence}
    wrong = [name for name, kind in kinds.items() if not isinstance(state.get(name), kind)]
    if wrong:
        raise AnswerError(f"this interview is damaged: {wrong[0]} is missing")


def not_understood(state: State) -> bool:
    """Whether words were said of which nothing was understood, and nothing else is known."""
    said = set(state["answers"]) - {SYMPTOMS, WORDS}
    chosen = [name for name in state["answers"].get(SYMPTOMS, []) if name != OTHER]
    words = str(state["answers"].get(WORDS, ""))
    return bool(words) and not (said or chosen or state.get("source") or _matched(state))


def _heard(state: State) -> tuple[Run, Signs]:
    source = state.get("source")
    run = told_run([said for _, said in _tellings(state)], base_run(str(source)) if source else None)
    return run, measure_all(run)


def _guided(state: State, signs: Signs) -> Question | None:
    """The next of the questions that every guide asks of these symptoms, unless a record has answered it."""
    known = {*state["answers"], *state["skipped"]}
    firm = {name for name, sign in signs.items() if not sign.values.get("told")}
    orders = [all_symptoms()[name].first for name in _symptoms(state) if name in all_symptoms()]
    for place in range(max(map(len, orders), default=0)):
        for order in orders:
            if place < len(order) and order[place] not in known:
                question = all_questions()[order[place]]
                told = {name for _, levels in answers_of(question) for name in levels}
                if not told or told - firm:
                    return question
    return None


def _tellings(state: State) -> list[tuple[str, Telling]]:
    """What was said, by question. Symptoms come first, so that more specific answers override them."""
    found: list[tuple[str, Telling]] = []
    answers = state["answers"]
    worded = {match.id: match for match in _matched(state) if match.kind == "symptom"}
    for name in _said_symptoms(state):
        if name in worded:  # the words say more than the title
            found.append((WORDS, telling_of(worded[name])))
        elif name in all_symptoms():
            found.append((SYMPTOMS, all_symptoms()[name].tell()))
    found += [(WORDS, Telling("", dict(match.facts))) for match in _matched(state) if _handed_over(state)]
    for name, question in all_questions().items():
        if name in answers:
            found.append((name, question.answer(str(answers[name]))))
    return found


def _symptoms(state: State) -> list[str]:
    """The symptoms that the user named, or else those that the record shows."""
    named = [name for name in _said_symptoms(state) if name != OTHER]
    if named or SYMPTOMS in state["answers"] or not state.get("source"):
        return named or _said_symptoms(state)
    signs = measure_all(base_run(str(state["source"])))
    shown = {
        name: max((signs.level(s) or 0.0 for s in symptom.complaints), default=0.0)
        for name, symptom in all_symptoms().items()
    }
    raised = [name for name, level in shown.items() if level >= 0.5]
    return sorted(raised, key=lambda name: -shown[name])[:MOST_SYMPTOMS]


def _said_symptoms(state: State) -> list[str]:
    said = [str(name) for name in state["answers"].get(SYMPTOMS, [])]
    said += [match.id for match in _matched(state) if match.kind == "symptom"]
    return list(dict.fromkeys(said))


def _matched(state: State) -> list[Match]:
    """What the user's own words are about: symptoms, wishes, and matters that are out of scope."""
    return recognise(str(state["answers"].get(WORDS, "")))


def _handed_over(state: State) -> bool:
    """Whether the words are about something out of scope, and no symptom of training was named as well."""
    found = _matched(state)
    return not _symptoms_known(state) and any(match.kind == "handover" and match.facts for match in found)


def _only_wished(state: State) -> bool:
    """Whether the words name only wishes or matters out of scope, and nothing about the training was said."""
    said = set(state["answers"]) - {SYMPTOMS, WORDS}
    found = _matched(state)
    return bool(found) and not said and not _symptoms_known(state) and all(match.kind != "symptom" for match in found)


def _symptoms_known(state: State) -> bool:
    return any(name in all_symptoms() for name in _symptoms(state))


def _chosen_symptoms(value: str | Sequence[str]) -> list[str]:
    """Symptom ids from a list, or from text with ids, numbers or titles separated by commas."""
    parts = value.split(",") if isinstance(value, str) else [str(part) for part in value]
    names = [*all_symptoms(), OTHER]
    found: list[str] = []
    for part in (part.strip().lower() for part in parts):
        if part.isdigit() and 1 <= int(part) <= len(names):
            found.append(names[int(part) - 1])
        elif part in names:
            found.append(part)
        else:
            titles = [name for name, symptom in all_symptoms().items() if symptom.title.lower() == part]
            heard = titles or [match.id for match in recognise(part) if match.kind == "symptom"]
            if not heard:
                raise AnswerError(f"{part!r} is not one of the symptoms: {', '.join(names)}")
            found += heard
    if not found:
        raise AnswerError(f"please choose from the symptoms: {', '.join(names)}")
    return list(dict.fromkeys(found))


def _about_symptoms(not_understood: str = "") -> dict[str, Any]:
    other = [] if not_understood else [Option(OTHER, "Something else, in my own words", "")]
    asked = Question(
        SYMPTOMS,
        "What do you see? Choose all that fit.",
        "The other questions depend on this.",
        "If none fits, choose the last one and say it in your own words.",
        (*(Option(symptom.id, symptom.title, "") for symptom in all_symptoms().values()), *other),
    )
    if not_understood:
        ask = f"I did not understand {not_understood!r}. Which of these do you see?"
        how = "If none fits, skip: nothing is diagnosed from words that I do not understand."
        asked = replace(asked, ask=ask, how=how)
    return {**shown(asked), "kind": "several", "number": 0}


def _about_words() -> dict[str, Any]:
    asked = Question(
        WORDS,
        "What happens, or what would you like to know? Say it in your own words.",
        "Some questions have a short answer. Others are for another tool, which I then name.",
        "One or two sentences are enough.",
        hint="for example: the loss is fine but the predictions are nonsense",
    )
    return {**shown(asked), "number": 0}


def _with(state: State, question: str, value: Any) -> dict[str, Any]:
    left = [name for name in state["skipped"] if name != question]
    return {
        **state,
        "answers": {**state["answers"], question: value},
        "skipped": left,
        "asked": _added(state["asked"], question),
    }


def _added(names: Sequence[str], name: str) -> list[str]:
    return [*names, *([] if name in names else [name])]


def _text(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else ", ".join(map(str, value))
