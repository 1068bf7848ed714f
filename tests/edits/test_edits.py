"""Edits keep everything else as it is, whatever the style of the source, and refuse what is not certain."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest
from project_of import applied, project, site

from traindx.edits import Edits, Project, changes
from traindx.edits.calls import set_argument

STYLES = {
    "plain": "import a\n\nx = 1\nloss.backward()\nopt.step()\n",
    "no final newline": "x = 1\nopt.step()",
    "carriage returns": "x = 1\r\nopt.step()\r\ny = 2\r\n",
    "tabs": "for b in c:\n\tloss.backward()\n\topt.step()\n\tprint(b)\n",
    "one line": "loss.backward(); opt.step()\n",
    "in the middle": "loss.backward(); opt.step(); n += 1\n",
    "one-line loop": "for b in c: opt.step()\n",
    "comment": "opt.step()  # done; next\n",
    "several lines": "if a:\n    opt.step(\n        closure,\n    )\n",
    "last of a block": "while a:\n    if b:\n        opt.step()\nc = 1\n",
    "wide characters": "s = 'ü€'; opt.step()\n",
    "form feed": "x = 1\n\x0c\nopt.step()\n",
}


def step(made: Project) -> tuple[Edits, ast.stmt]:
    source = made.sources[0]
    call = next(call for _, call in made.calls("step"))
    return Edits(made), source.statement_of(call)


def executed(text: str) -> list[str]:
    """The simple statements in the order of the text."""
    return [ast.unparse(n) for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.Expr, ast.Assign, ast.AugAssign))]


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_insert_after_keeps_the_rest(tmp_path: Path, text: str) -> None:
    made = project(tmp_path, text)
    edits, statement = step(made)
    edits.insert_after(made.sources[0], statement, "opt.zero_grad()")
    after = applied(edits)
    before = executed(text)
    position = next(i for i, line in enumerate(before) if line.startswith("opt.step"))
    assert executed(after) == [*before[: position + 1], "opt.zero_grad()", *before[position + 1 :]]
    assert after.count("\r\n") == (after.count("\n") if "\r" in text else 0)
    assert after.endswith("\n") == text.endswith("\n")


@pytest.mark.parametrize("text", STYLES.values(), ids=STYLES)
def test_delete_leaves_a_program(tmp_path: Path, text: str) -> None:
    made = project(tmp_path, text + ("" if text.endswith("\n") else "\n") + "end = 1\n")
    edits, statement = step(made)
    edits.delete(made.sources[0], statement)
    after = applied(edits)
    assert "opt.step" not in after and "end = 1" in after


def test_nothing_goes_behind_a_return(tmp_path: Path) -> None:
    made = project(tmp_path, "def f():\n    return opt.step()\n")
    edits, statement = step(made)
    edits.insert_after(made.sources[0], statement, "opt.zero_grad()")
    assert edits.patch() is None


def test_a_block_is_not_squeezed_into_a_shared_line(tmp_path: Path) -> None:
    made = project(tmp_path, "loss.backward(); opt.step()\n")
    edits, statement = step(made)
    edits.insert_before(made.sources[0], statement, "for p in q:\n    p.grad = None")
    assert edits.patch() is None


def test_unwrap_moves_the_body_out(tmp_path: Path) -> None:
    text = (
        "def f():\n    with torch.no_grad():\n        a = g(\n            1,\n        )\n"
        "        # why\n        b = 2\n    return b\n"
    )
    made = project(tmp_path, text)
    block = next(n for n in ast.walk(made.sources[0].tree) if isinstance(n, ast.With))
    edits = Edits(made)
    edits.unwrap(made.sources[0], block)
    assert applied(edits) == "def f():\n    a = g(\n        1,\n    )\n    # why\n    b = 2\n    return b\n"


def test_unwrap_leaves_long_strings_alone(tmp_path: Path) -> None:
    made = project(tmp_path, 'with torch.no_grad():\n    a = """x\n    y"""\n')
    edits = Edits(made)
    edits.unwrap(made.sources[0], made.sources[0].tree.body[0])  # type: ignore[arg-type]
    assert edits.patch() is None


ORIGINS = {
    "literal": ("opt = SGD(p, lr=5.0, momentum=0.9)\n", "lr=0.1, momentum"),
    "by place": ("opt = SGD(p, 5.0)\n", "SGD(p, 0.1)"),
    "added": ("opt = SGD(p)\n", "SGD(p, lr=0.1)"),
    "several lines": ("opt = SGD(\n    p,\n    lr=5.0,  # why\n)\n", "    lr=0.1,  # why\n"),
    "constant": ("LR = 5.0\nopt = SGD(p, lr=LR)\n", "LR = 0.1\n"),
    "quotient": ("opt = SGD(p, lr=5.0 / 32)\n", "lr=0.1)"),
    "default": ("def f(lr=5.0):\n    opt = SGD(p, lr=lr)\nf()\n", "def f(lr=0.1)"),
    "given": ("def f(lr=5.0):\n    opt = SGD(p, lr=lr)\nf(lr=4.0)\n", "f(lr=0.1)"),
    "option": ('q.add_argument("--lr", default=5.0)\nopt = SGD(p, lr=args.lr)\n', "default=0.1"),
    "field": ("class C:\n    lr: float = 5.0\nopt = SGD(p, lr=C.lr)\n", "lr: float = 0.1"),
    "attribute": (
        "class T:\n    def __init__(s, lr=5.0):\n        s.lr = lr\n        opt = SGD(p, lr=s.lr)\n",
        "lr=0.1)",
    ),
    "entry": ('c = {"lr": 5.0}\nopt = SGD(p, lr=c["lr"])\n', '{"lr": 0.1}'),
}


@pytest.mark.parametrize(("text", "expected"), ORIGINS.values(), ids=ORIGINS)
def test_a_value_is_written_where_it_comes_from(tmp_path: Path, text: str, expected: str) -> None:
    made = project(tmp_path, text)
    edits = Edits(made)
    source, call = made.calls("SGD")[0]
    assert set_argument(edits, source, call, "lr", "0.1", "SGD") is None
    assert expected in applied(edits)


UNCERTAIN = {
    "kwargs": "opt = SGD(p, **settings)\n",
    "assigned twice": "LR = 1\nif big:\n    LR = 2\nopt = SGD(p, lr=LR)\n",
    "computed": "opt = SGD(p, lr=base * scale)\n",
    "loaded": 'c = load("c.yaml")\nopt = SGD(p, lr=c["lr"])\n',
    "several calls": "def f(lr):\n    opt = SGD(p, lr=lr)\nf(1.0)\nf(2.0)\n",
    "changed entry": 'c = {"lr": 5.0}\nc["lr"] = 3.0\nopt = SGD(p, lr=c["lr"])\n',
}


@pytest.mark.parametrize("text", UNCERTAIN.values(), ids=UNCERTAIN)
def test_an_uncertain_value_is_refused(tmp_path: Path, text: str) -> None:
    made = project(tmp_path, text)
    edits = Edits(made)
    source, call = made.calls("SGD")[0]
    assert set_argument(edits, source, call, "lr", "0.1", "SGD") is None
    assert edits.patch() is None


SHOWN = {  # where a run that has shown 5.0 got it from
    "given to a constructor": ("class C:\n    lr: float = 1e-3\nc = C(lr=5.0)\nopt = SGD(p, lr=c.lr)\n", "C(lr=0.1)"),
    "keywords of a dict": ('c = dict(lr=5.0)\nopt = SGD(p, lr=c.get("lr", 0.3))\n', "dict(lr=0.1)"),
    "entry in an entry": ('c = {"optim": {"lr": 5.0}}\nopt = SGD(p, lr=c["optim"]["lr"])\n', '{"lr": 0.1}'),
    "options as a dict": (
        'q.add_argument("-l", "--rate", dest="lr", default=5.0)\nargs = vars(q.parse())\nopt = SGD(p, lr=args["lr"])\n',
        "default=0.1",
    ),
    "passed on": ("settings = dict(lr=5.0, momentum=0.9)\nopt = SGD(p, **settings)\n", "dict(lr=0.1, mom"),
    "set again": ('c = {"lr": 1.0}\nc["lr"] = 5.0\nopt = SGD(p, lr=c["lr"])\n', 'c["lr"] = 0.1'),
    "saved by a framework": (
        "class Lit:\n    def __init__(self, lr=1e-3):\n        self.save_hyperparameters()\n"
        "    def configure_optimizers(self):\n        return SGD(self.parameters(), lr=self.hparams.lr)\n"
        "fit(Lit(lr=5.0))\n",
        "Lit(lr=0.1)",
    ),
    "computed": ("size = 32\nopt = SGD(p, lr=0.15625 * size)\n", "SGD(p, lr=0.1)"),
}


@pytest.mark.parametrize(("text", "expected"), SHOWN.values(), ids=SHOWN)
def test_the_value_that_the_run_has_shown_tells_its_place(tmp_path: Path, text: str, expected: str) -> None:
    made = project(tmp_path, text)
    edits = Edits(made)
    assert set_argument(edits, *made.calls("SGD")[0], "lr", "0.1", "SGD", 5.0) is None
    assert expected in applied(edits)


NOT_SHOWN = {
    "one of several": "for lr in (5.0, 1.0):\n    opt = SGD(p, lr=lr)\n",
    "a parameter of two calls": "def f(rate):\n    opt = SGD(p, lr=2 * rate)\nf(2.5)\nf(1.0)\n",
    "another number": "settings = dict(lr=1.0)\nopt = SGD(p, **settings)\n",
    "written twice": "a = dict(lr=5.0)\nb = dict(lr=5.0)\nopt = SGD(p, **pick(a, b))\n",
}


@pytest.mark.parametrize("text", NOT_SHOWN.values(), ids=NOT_SHOWN)
def test_a_place_that_may_be_another_is_refused(tmp_path: Path, text: str) -> None:
    made = project(tmp_path, text)
    edits = Edits(made)
    set_argument(edits, *made.calls("SGD")[0], "lr", "0.1", "SGD", 5.0)
    assert edits.patch() is None


@pytest.mark.parametrize(
    ("name", "entry", "value", "expected"),
    [
        ("c.yaml", "model:\n  lr_min: 5.0\noptim:\n  lr: 5.0  # why\n", "1e-05", "  lr: 1.0e-05  # why\n"),
        ("c.json", '{"batch": 5.0, "optim": {"lr": 5}}', "0.1", '{"batch": 5.0, "optim": {"lr": 0.1}}'),
        ("c.toml", "[optim]\nlr = 5e0\n", "0.1", "[optim]\nlr = 0.1\n"),
    ],
)
def test_a_value_from_a_configuration_file_is_written_there(
    tmp_path: Path, name: str, entry: str, value: str, expected: str
) -> None:
    made = project(tmp_path, f'c = load("{name}")\nopt = SGD(p, lr=c["optim"]["lr"])\n')
    (tmp_path / name).write_text(entry)
    edits = Edits(made)
    set_argument(edits, *made.calls("SGD")[0], "lr", value, "SGD", 5.0)
    applied(edits)
    assert (tmp_path / name).read_text().endswith(expected)


def test_a_name_that_is_not_there_is_refused(tmp_path: Path) -> None:
    made = project(tmp_path, "from torch import optim\nopt = optim.SGD(p)\nopt.step()\n")
    edits, statement = step(made)
    edits.insert_before(made.sources[0], statement, "torch.nn.utils.clip_grad_norm_(p, 1.0)")
    assert edits.patch() is None


def test_an_option_on_the_command_line_is_named(tmp_path: Path) -> None:
    made = project(tmp_path, ORIGINS["option"][0], argv=["--lr", "3"])
    edits = Edits(made)
    source, call = made.calls("SGD")[0]
    assert set_argument(edits, source, call, "lr", "0.1", "SGD") == "--lr"
    assert edits.patch() is None


def test_imported_modules_of_the_folder_belong_to_the_project(tmp_path: Path) -> None:
    made = project(tmp_path, "import torch\nfrom config import LR\nopt = SGD(p, lr=LR)\n", config="LR = 5.0\n")
    assert [source.path.name for source in made.sources] == ["train.py", "config.py"]
    edits = Edits(made)
    set_argument(edits, *made.calls("SGD")[0], "lr", "0.1", "SGD")
    assert "--- a/config.py" in (edits.patch() or "")


def test_a_script_that_changed_since_is_left_alone(tmp_path: Path) -> None:
    made = project(tmp_path, "x = 1\nopt = SGD(p)\n")
    recorded = replace(site(made, 2), text="opt = Adam(p)")
    assert Project(made.script, [], [site(made, 2)], tmp_path).sources
    assert not Project(made.script, [], [recorded], tmp_path).sources


def test_libraries_and_other_folders_are_not_edited(tmp_path: Path) -> None:
    made = project(tmp_path, "x = 1\n")
    library = tmp_path / ".venv" / "lib" / "site-packages" / "torch"
    library.mkdir(parents=True)
    (library / "container.py").write_text("y = 1\n")
    assert made.source(str(library / "container.py")) is None
    assert made.source(__file__) is None


@pytest.mark.parametrize("saves", [True, False])
def test_a_value_behind_lightnings_hyperparameters(tmp_path: Path, saves: bool) -> None:
    made = project(
        tmp_path,
        "class Lit(Module):\n"
        "    def __init__(self, lr):\n"
        f"        {'self.save_hyperparameters()' if saves else 'self.hparams = load()'}\n"
        "    def configure_optimizers(self):\n"
        "        return Adam(self.parameters(), lr=self.hparams.lr)\n"
        "fit(Lit(lr=0.3))\n",
    )
    edits = Edits(made)
    set_argument(edits, *made.calls("Adam")[0], "lr", "0.001", "Adam")
    assert ("+fit(Lit(lr=0.001))" in (edits.patch() or "")) is saves


INSERTED = {
    "def main():\n    net = Net()\n    for x in d:\n        net(x)\n": True,
    "def train(model):\n    for x in d:\n        model(x)\ndef main():\n    net = Net()\n    train(net)\n": False,
    "net = Net()\ndef train(model):\n    for x in d:\n        model(x)\n": True,
    "def main():\n    net = Net()\n    def step():\n        for x in d:\n            net(x)\n": True,
    "def make():\n    global net\n    net = Net()\ndef train():\n    for x in d:\n        f(x)\n": True,
}


@pytest.mark.parametrize(("text", "visible"), INSERTED.items(), ids=range(len(INSERTED)))
def test_a_name_must_exist_at_the_place_where_it_is_written(tmp_path: Path, text: str, visible: bool) -> None:
    made = project(tmp_path, text)
    source = made.sources[0]
    edits = Edits(made)
    loop = next(node for node in source.walk(ast.For) if isinstance(node, ast.For))
    edits.insert_before(source, loop, "net.train()")
    assert (edits.patch() is not None) is visible


def test_a_change_is_checked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A patch and its place are asked for in turn; with a source of thousands of statements each check takes long."""
    checked: list[str] = []
    monkeypatch.setattr(changes, "_sound", lambda source, text: not checked.append(text))
    made = project(tmp_path, STYLES["plain"])
    edits, statement = step(made)
    edits.insert_after(made.sources[0], statement, "opt.zero_grad()")
    assert edits.patch() and edits.place() and edits.patch()
    assert len(checked) == 1
