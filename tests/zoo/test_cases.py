"""Every case makes a script: its edits fit, it compiles, it is not the host as it was."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from traindx.causes._base import all_causes
from traindx.zoo import all_cases, find_case, patient
from traindx.zoo.cases import HOSTS, PLAIN, Case, host_source, variants_by_host
from traindx.zoo.edits import HEALTHY, Edit, EditError, swap

HOST_NAMES = sorted(path.stem for path in HOSTS.glob("*.py"))


def test_every_host_has_variants_and_every_variant_a_host():
    assert sorted(variants_by_host()) == HOST_NAMES


def test_ids_are_unique():
    repeated = [name for name, count in Counter(case.id for case in all_cases()).items() if count > 1]
    assert repeated == []


@pytest.mark.parametrize("host", HOST_NAMES)
def test_all_patients_of_a_host_compile_and_differ_from_it(host):
    plain = Case(host, PLAIN, 0).source
    for case in all_cases():
        if case.host == host:
            ast.parse(case.source)
            assert case.variant is PLAIN or case.source != plain, case.id


@pytest.mark.parametrize("host", HOST_NAMES)
def test_hosts_are_plain_scripts(host):
    imported = {
        (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) else alias.name.split(".")[0]
        for node in ast.walk(ast.parse(host_source(host)))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert "torch" in imported
    assert "traindx" not in imported


def test_each_host_has_healthy_variants_to_tell_from_faults():
    for host, variants in variants_by_host().items():
        harmless = [variant for variant in variants if variant.cause == HEALTHY]
        assert len(harmless) >= 4, host
        assert any(variant.background for variant in harmless), host


def test_faults_stand_on_more_than_the_plain_host():
    grounds = Counter(case.background is not None for case in all_cases() if case.cause != HEALTHY)
    assert grounds[True] > 0.9 * grounds[False]


def test_causes_are_known():
    known = set(all_causes())
    if not known:
        pytest.skip("no cause is defined yet")
    assert {case.cause for case in all_cases()} - {HEALTHY} <= known


def test_an_edit_must_fit_exactly_once():
    assert swap("a", "b").apply("xax") == "xbx"
    with pytest.raises(EditError, match="2 times"):
        Edit("a", "b").apply("aa")
    with pytest.raises(EditError, match="0 times"):
        Edit("a", "b").apply("x")


def test_a_case_names_itself_when_an_edit_does_not_fit():
    broken = Case("mlp_digits", variants_by_host()["cnn_bn_digits"][0], 0)
    with pytest.raises(EditError, match="mlp_digits"):
        _ = broken.source


def test_seed_and_background_change_the_script():
    fault = find_case("mlp_digits/missing-zero-grad/line-deleted/0")
    assert fault is not None
    assert "zero_grad" not in fault.source
    assert fault.reference.source == host_source("mlp_digits")
    other = Case(fault.host, fault.variant, 7)
    assert "SEED = 7" in other.source
    assert other.key != fault.key


def test_a_patient_for_the_demonstration_is_gross_where_there_is_one():
    assert patient("missing-zero-grad").severity == "gross"
    with pytest.raises(LookupError, match="no-such-cause"):
        patient("no-such-cause")
