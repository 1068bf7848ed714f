"""Prompts, resources, the interview and the skill file."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from assistants_samples import said, write_overfitting_log
from mcp import Client

from traindx.__main__ import main
from traindx.commands import _verbs
from traindx.commands._verbs import Parser
from traindx.consult.assistants.declaring import all_tools


def test_prompts_put_the_protocol_first(talk: Any) -> None:
    async def conversation(client: Client) -> None:
        names = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert names == {"why_not_training", "interview", "before_training"}
        for name, given in (
            ("why_not_training", {"path": "log.csv"}),
            ("interview", {}),
            ("before_training", {"script": "t.py"}),
        ):
            text = (await client.get_prompt(name, given)).messages[0].content.text
            assert "diagnose before you fix" in text
            mentioned = set(re.findall(r"\b(?:call|tool|Call) ([a-z_]+)\b", text))
            assert mentioned & {tool.name for tool in all_tools()}, name

    talk(conversation)


def test_every_page_is_a_resource(talk: Any) -> None:
    async def conversation(client: Client) -> None:
        listed = {str(one.uri): one for one in (await client.list_resources()).resources}
        assert {"traindx://skill", "traindx://explain/lr-too-high", "traindx://docs/record"} <= set(listed)
        for uri in ("traindx://skill", "traindx://explain/lr-too-high", "traindx://docs/record"):
            page = (await client.read_resource(uri)).contents[0]
            assert page.mime_type == "text/markdown"
            assert len(page.text) > 500
        assert listed["traindx://explain/lr-too-high"].title == "Learning rate too high"
        with pytest.raises(Exception, match="traindx://docs"):
            await client.read_resource("traindx://docs/../../etc/passwd")

    talk(conversation)


def test_an_interview_by_calls(call: Any, root: Path) -> None:
    first = call("interview").structured_content["question"]
    assert first["id"] == "symptoms"
    assert "nan" in [option["key"] for option in first["options"]]
    second = call("interview", answers={"symptoms": ["nan"]}).structured_content["question"]
    assert second["id"] not in ("symptoms", None)
    end = call("interview", answers={"symptoms": ["nan"]}, skipped=[second["id"]], finish=True).structured_content
    assert end["question"] is None
    assert end["conclusion"]["diagnosis"]["verdict"] == "sick"
    assert "not one of the symptoms" in said(call("interview", answers={"symptoms": ["purple"]}))
    assert "outside" in said(call("interview", source="../log.csv"))
    assert not call("interview", source="log.csv").is_error


# ── the skill file ─────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def skill(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["skill"]) == 0
    return capsys.readouterr().out


def commands_in(text: str) -> list[list[str]]:
    """Every `traindx …` of the file, in code spans and blocks."""
    spans = re.findall(r"`(traindx [^`\n]+)`", text) + re.findall(r"^\$ (traindx .+)$", text, re.M)
    spans += re.findall(r"^ +(traindx .+)$", text, re.M)
    words = [shlex.split(span)[1:] for span in spans]
    assert {verb for verb, *_ in words} - {"VERB"} <= set(_verbs.verb_names())
    return [one for one in words if len(one) > 1 and one[0] != "VERB"]  # a verb alone is only its name


def test_every_command_in_the_skill_parses(skill: str) -> None:
    commands = commands_in(skill)
    assert len(commands) > 10
    for verb, *rest in commands:
        parser = Parser(prog=verb, description=None)
        _verbs.find_verb(verb).configure(parser)
        try:
            parser.parse(rest)
        except SystemExit as ended:
            assert not ended.code, f"traindx {verb} {shlex.join(rest)}"
        except argparse.ArgumentError as error:
            pytest.fail(f"traindx {verb} {shlex.join(rest)}: {error}")


def test_the_skill_names_tools_and_fields_that_exist(skill: str) -> None:
    from traindx.consult.assistants.declaring import diagnosis_schema

    line = next(line for line in skill.split("\n\n") if "MCP server is connected" in line)
    named = set(re.findall(r"`([a-z_]+)`", line.partition("MCP server is connected")[2]))
    assert named <= {tool.name for tool in all_tools()}
    known = set(diagnosis_schema()["properties"]) | {"checks"}
    table = skill.partition("| field | meaning |")[2].partition("\n\n")[0]
    fields = {field.partition("[")[0] for field in re.findall(r"^\| `([a-z_]+[^`]*)`", table, re.M)}
    assert fields <= known
    assert {"verdict", "do_now", "hypotheses", "next_tests", "treatment"} <= fields


def test_the_skill_has_front_matter(skill: str) -> None:
    matter = re.match(r"---\nname: ([a-z-]{1,64})\ndescription: (.{50,1024})\n---\n", skill)
    assert matter, "name and description, as assistants look for them"


def test_the_example_of_a_log_is_what_is_printed(
    skill: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Figures may change in the last digit; headings, verdict and finding may not."""
    write_overfitting_log(tmp_path / "log.csv")
    monkeypatch.chdir(tmp_path)
    assert main(["diagnose", "log.csv"]) == 0
    printed = capsys.readouterr().out
    example = skill.partition("$ traindx diagnose log.csv\n")[2].partition("```")[0]
    shown = re.findall(r"^([A-Z ]{2,13}?)  +(\S+ \S+)", example, re.M)
    assert len(shown) >= 4
    for heading, begins in shown:
        words = re.escape(begins) if not re.search(r"\d", begins) else ".*"
        assert re.search(rf"^{heading} +{words}", printed, re.M), heading
