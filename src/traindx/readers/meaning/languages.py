"""Translates names of training quantities from other languages to English."""

from __future__ import annotations

import unicodedata

# Scripts without spaces, and languages with many word endings: replaced anywhere in a name.
_PARTS = {
    "损失": " loss ",
    "損失": " loss ",
    "训练": " train ",
    "訓練": " train ",
    "验证": " validation ",
    "検証": " validation ",
    "测试": " test ",
    "准确率": " accuracy ",
    "正解率": " accuracy ",
    "精度": " accuracy ",
    "学习率": " lr ",
    "学習率": " lr ",
    "轮次": " epoch ",
    "轮": " epoch ",
    "エポック": " epoch ",
    "步数": " step ",
    "步": " step ",
    "ステップ": " step ",
    "迭代": " iteration ",
    "平均": " mean ",
    "总": " total ",
    "손실": " loss ",
    "학습률": " lr ",
    "학습": " train ",
    "훈련": " train ",
    "검증": " validation ",
    "정확도": " accuracy ",
    "에폭": " epoch ",
    "потер": " loss ",
    "точност": " accuracy ",
    "эпох": " epoch ",
    "шаг": " step ",
    "обуч": " train ",
    "валидац": " validation ",
}
_WORDS = {
    **dict.fromkeys(("verlust", "perte", "pertes", "perdida", "perda", "perdita"), ("loss",)),
    **dict.fromkeys(("trainingsverlust",), ("train", "loss")),
    **dict.fromkeys(("validierungsverlust",), ("validation", "loss")),
    **dict.fromkeys(("testverlust",), ("test", "loss")),
    **dict.fromkeys(("genauigkeit", "exactitude", "exactitud", "acuracia", "accuratezza"), ("accuracy",)),
    **dict.fromkeys(("epoche", "epoque", "epoca"), ("epoch",)),
    **dict.fromkeys(("schritt", "paso", "passo"), ("step",)),
    **dict.fromkeys(("lernrate",), ("lr",)),
    **dict.fromkeys(("entrainement", "entrenamiento", "treino", "treinamento", "addestramento"), ("train",)),
    **dict.fromkeys(("validierung", "validacion", "validacao", "validazione"), ("validation",)),
}
_ARTICLES = frozenset(("de", "di", "da", "do", "du", "la", "le"))


def in_latin_letters(name: str) -> str:
    """Translate the known parts of a name to English and remove accents."""
    for part, english in _PARTS.items():
        name = name.replace(part, english).replace(part.capitalize(), english)
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))


def in_english(words: list[str]) -> list[str]:
    """Translate known words.

    >>> in_english(["perdida", "de", "validacion"])
    ['loss', 'validation']
    """
    if not any(word in _WORDS for word in words):
        return words
    return [english for word in words if word not in _ARTICLES for english in _WORDS.get(word, (word,))]
