"""The handbook builds without a warning, its links lead somewhere, and all that it tells a reader to do works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from example_session import compared, session, shown
from guide_snippets import follow, missing_lines, snippets

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDES = sorted((DOCS / "guides").glob("*.md"))


def test_it_builds_without_warnings_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    # The dummy builder reads and resolves every page and link, and writes nothing.
    words = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "dummy", "-d", str(tmp_path / "trees")]
    done = subprocess.run([*words, str(DOCS), str(tmp_path / "out")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_can_be_followed_literally(page: Path, tmp_path: Path) -> None:
    assert follow(snippets(page.read_text(encoding="utf-8")), tmp_path) == []


def test_every_guide_shows_something_to_run() -> None:
    assert GUIDES
    assert [page.stem for page in GUIDES if not snippets(page.read_text(encoding="utf-8"))] == []


def test_the_first_session_is_what_traindx_prints() -> None:
    """`python tests/docs/example_session.py` renews it."""
    assert len(compared(shown())) > 5
    assert compared(shown()) == compared(session())


def test_links_of_the_readme_lead_to_files() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
        assert [link for link in links if not (ROOT / link).exists()] == []


def test_output_that_is_not_printed_is_noticed() -> None:
    assert missing_lines(("SICK  …",), ["HEALTHY  fine"]) == "SICK  …"
    assert missing_lines(("…", "SICK  …", "FIX"), ["a", "SICK  x", "b", "FIX"]) is None
    assert missing_lines(("FIX", "SICK …"), ["SICK x", "FIX"]) == "SICK …"


def test_a_command_that_fails_is_noticed(tmp_path: Path) -> None:
    page = snippets("```console\n$ traindx diagnose nowhere.csv\n```\n")
    assert len(follow(page, tmp_path)) == 1
