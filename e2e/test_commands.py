# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The command itself: help, exit statuses, conformance, refusing to start."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from harness.query import CommandFailed, run
from harness.server import binary

FIXTURES = Path(__file__).parent.parent / "fixtures" / "conformance"


COMMANDS = [
    [],
    ["serve"],
    ["home"],
    ["home", "init"],
    ["home", "start"],
    ["home", "run"],
    ["home", "stop"],
    ["home", "restart"],
    ["home", "status"],
    ["demo"],
    ["query"],
    ["reader", "enroll"],
    ["reader", "list"],
    ["reader", "remove"],
    ["policy", "check"],
    ["policy"],
    ["policy", "test"],
    ["policy", "explain"],
    ["policy", "preview"],
    ["policy", "impact"],
    ["policy", "export"],
    ["policy", "apply"],
    ["policy", "revisions"],
    ["access"],
    ["access", "explain"],
    ["access", "list"],
    ["conformance", "run"],
    ["conformance", "serve"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_teaches(command):
    text = run(*command, "--help")
    assert "Usage: " in text and len(text.splitlines()) > 5


def test_the_life_of_a_policy_is_told():
    text = run("policy", "--help")
    for command in ["check", "test", "impact", "preview", "apply", "explain", "export", "revisions"]:
        assert f"  lakeward policy {command} " in text


def test_wrong_use_is_told():
    for arguments in [["nothing"], ["serve", "--port", "many"], ["conformance", "run"]]:
        with pytest.raises(CommandFailed) as refused:
            run(*arguments)
        assert refused.value.code == 2 and "--help" in refused.value.error


def test_conformance_passes_and_failures_are_reported(tmp_path):
    text = run("conformance", "run", FIXTURES)
    version = json.loads((FIXTURES.parent / "conformance-kit.json").read_text())
    says, *lines = text.splitlines()
    assert f"kit {version['kit-version']}," in says and version["specification-revision"] in says
    assert [line.split(":")[0] for line in lines] == [
        f"{name}.json" for name in ["parse", "bind", "eval", "masks", "resolve", "capabilities", "cache"]
    ]
    assert all(line.endswith(" passed, 0 failed") for line in lines)
    reports = [json.loads(line) for line in run("conformance", "run", FIXTURES, "--json").splitlines()]
    assert all(report.keys() == {"file", "id", "passed", "expect", "actual"} for report in reports)
    assert all(report["passed"] for report in reports)
    cases = json.loads((FIXTURES / "cache.json").read_text())
    cases["cases"][0]["expect"] = {"reusable": False}
    (tmp_path / "cache.json").write_text(json.dumps(cases))
    with pytest.raises(CommandFailed) as failed:
        run("conformance", "run", tmp_path)
    assert failed.value.code == 1


def serve_with(tmp_path, **properties):
    """What `lakeward serve` says when it does not start."""
    conf = tmp_path / "lakeward.conf"
    conf.write_text("".join(f"{key} = {value}\n" for key, value in properties.items()))
    command = [binary(), "serve", "--conf", conf, "--data-dir", tmp_path / "data", "--port", "0", "--iceberg-port", "0"]
    environment = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=60, env=environment
    )
    assert done.returncode not in (0, 101) and done.stdout == ""
    return done.stderr


def test_a_misspelt_key_ends_the_start_and_names_the_nearest(tmp_path):
    error = serve_with(tmp_path, **{"gravitino.authorization.enabled": "true"})
    assert "gravitino.authorization.enabled" in error and "`gravitino.authorization.enable`" in error


def test_restrictions_need_authorization(tmp_path):
    error = serve_with(
        tmp_path, **{"lakeward.read-restrictions.enabled": "true", "gravitino.authorization.enable": "false"}
    )
    assert "gravitino.authorization.enable" in error


def test_unknown_values_are_told(tmp_path):
    error = serve_with(tmp_path, **{"gravitino.authenticators": "kerberoast"})
    assert "kerberoast" in error and "basic" in error
