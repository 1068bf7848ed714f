import re


class _Tok:
    def __init__(self, text):
        self.text = text


class English:
    def __call__(self, line):
        return [_Tok(t) for t in re.findall(r"\n|[A-Za-z]+(?:'[a-z]+)?|[^\sA-Za-z]", line)]
