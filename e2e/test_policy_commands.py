# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Policies as files: test, export, apply; previews with rows; what a masked steward may not learn from them."""

import json
import os
import subprocess

import pyarrow
import pytest

from harness.lake import CATALOG, METALAKE
from harness.native import Refused
from harness.query import Reader
from harness.server import ADMIN, PASSWORD, binary

TABLE = f"{CATALOG}.hr.people"
PEOPLE = [
    {"id": 1, "region": "EU", "ssn": "900-11-1234", "salary": 10},
    {"id": 2, "region": "US", "ssn": "100-22-5678", "salary": 20},
    {"id": 3, "region": "EU", "ssn": "500-33-9012", "salary": 30},
    {"id": 4, "region": None, "ssn": None, "salary": 40},
]


def environment():
    return {**os.environ, "LAKEWARD_PASSWORD": PASSWORD}


def policy(*arguments):
    """Exit status, standard output, standard error of `lakeward policy …`."""
    done = subprocess.run(
        [binary(), "policy", *map(str, arguments)],
        env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def at(server, user=ADMIN):
    return "--server", server.native, "--metalake", METALAKE, "--user", user


def snapshot(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.yaml")}


@pytest.fixture(scope="module")
def people(lake):
    """A table of people; `ssn` is masked for all but the group `hr`."""
    for group in ["hr", "auditors"]:
        lake.add_group(group)
    lake.add_user("ann")
    lake.add_user("bob", ["auditors"])
    lake.add_user("eve", ["hr"])
    lake.add_user("sam")
    lake.add_readers("ann", "bob", "eve", "sam")
    privileges = ["apply_policy", "create_policy", "apply_tag"]
    lake.add_role("stewards", privileges, ["sam"], full_name=METALAKE, kind="metalake")
    catalog = lake.pyiceberg()
    catalog.create_namespace("hr")
    data = pyarrow.Table.from_pylist(PEOPLE)
    catalog.create_table("hr.people", schema=data.schema).append(data)
    lake.add_tag("pii")
    lake.assign("column", f"{TABLE}.ssn", "pii")
    lake.add_tag("access", ["restricted", "public"])
    lake.assign("schema", f"{CATALOG}.hr", "access", "restricted")
    return lake


@pytest.fixture(scope="module")
def reader(people, tmp_path_factory):
    reader = Reader(people.server, tmp_path_factory.mktemp("reader"))
    people.add_policy(
        "mask_ssn", "column_mask",
        'mask := action("show-last-4") if is_group_member("hr") else := action("replace-with-null")', "pii",
    )  # fmt: skip
    people.admin.post(
        *people.at("policies"),
        body={
            "name": "own_region",
            "policyType": "system_row_filter",
            "enabled": False,
            "content": {
                "expression": 'filter := true if is_group_member("auditors") else := col("region") == "EU"'
            },
        },
    )
    people.admin.put(
        *people.at("tags", "access", "policies", "own_region"),
        body={"selector": {"type": "TAG_VALUE", "value": "restricted"}},
    )
    return reader


def test_export_edit_apply_and_nothing_more(reader, people, tmp_path):
    server = people.server
    folder = tmp_path / "governance"
    code, output, error = policy("export", *at(server), "--to", folder)
    assert code == 0, error
    first = snapshot(folder)
    assert {str(path) for path in first} == {
        "policies/mask_ssn.yaml", "policies/own_region.yaml", "tags/pii.yaml", "tags/access.yaml",
    }  # fmt: skip
    code, output, _ = policy("export", *at(server), "--to", folder)
    assert code == 0 and "0 files written, 0 removed" in output and snapshot(folder) == first
    code, output, _ = policy("apply", folder, *at(server))
    assert code == 0 and output.startswith("nothing to do")

    own = folder / "policies" / "own_region.yaml"
    own.write_text(own.read_text().replace('== "EU"', 'in ["EU", "CH"]'))
    (folder / "policies" / "salary.yaml").write_text(
        "policy: salary\ntype: system_column_mask\nenabled: true\n"
        "tags: [{tag: money, value: secret}]\nexpression: mask := action(\"mask-to-fixed-value\")\n"
    )
    (folder / "tags" / "money.yaml").write_text(
        f"tag: money\nallowed-values: [secret]\nassigned:\n- {{type: column, name: {TABLE}.salary, values: [secret]}}\n"
    )
    code, planned, error = policy("apply", folder, *at(server), "--dry-run")
    assert code == 0, error
    steps = [line[2:] for line in planned.splitlines() if line[:2] in ("+ ", "~ ", "- ")]
    assert steps == [
        "create tag money",
        "create policy salary (system_column_mask), disabled",
        "alter policy own_region: content",
        "put policy salary on tag money where the value is secret",
        f"assign money=secret to column {TABLE}.salary",
        "enable policy salary",
    ]
    assert 'in ["EU", "CH"]' in planned
    assert snapshot(folder).keys() != first.keys()
    names = people.admin.get(*people.at("policies"))["names"]
    assert "salary" not in names, "a dry run changes nothing"
    code, output, error = policy("apply", folder, *at(server))
    assert code == 0, error
    assert [line.removeprefix("done: ") for line in output.splitlines()[:6]] == steps
    code, output, _ = policy("apply", folder, *at(server))
    assert code == 0 and output.startswith("nothing to do")
    assert set(reader.query("ann", f"SELECT salary FROM {TABLE}")["salary"].to_pylist()) == {0}


def test_what_takes_restrictions_away_waits_for_force(reader, people, tmp_path):
    server = people.server
    folder = tmp_path / "governance"
    assert policy("export", *at(server), "--to", folder)[0] == 0
    for name in ["policies/salary.yaml", "tags/money.yaml"]:
        (folder / name).unlink(missing_ok=True)
    mask = folder / "policies" / "mask_ssn.yaml"
    kept = mask.read_text()
    mask.write_text(kept.replace("enabled: true", "enabled: false"))
    code, output, error = policy("apply", folder, *at(server), "--dry-run")
    assert code == 0 and "takes mask_ssn from column" in output and "--prune removes it" in output
    code, _, error = policy("apply", folder, *at(server))
    assert code == 1 and "nothing was changed" in error and "--force" in error
    assert people.admin.get(*people.at("policies", "mask_ssn"))["policy"]["enabled"]
    code, output, error = policy("apply", folder, *at(server), "--force", "--prune")
    assert code == 0, error
    assert not people.admin.get(*people.at("policies", "mask_ssn"))["policy"]["enabled"]
    with pytest.raises(Refused) as gone:
        people.admin.get(*people.at("tags", "money"))
    assert gone.value.status == 404
    mask.write_text(kept)
    assert policy("apply", folder, *at(server))[0] == 0
    assert people.admin.get(*people.at("policies", "mask_ssn"))["policy"]["enabled"]


def test_a_refused_call_says_what_was_done_and_what_remains(reader, people, tmp_path):
    (tmp_path / "t.yaml").write_text("tag: by-ann\n")
    (tmp_path / "p.yaml").write_text(
        "policy: by-ann\ntype: system_row_filter\nenabled: true\ntags: [{tag: by-ann}]\nexpression: 'filter := false'\n"
    )
    people.add_role("taggers", ["create_tag"], ["ann"], full_name=METALAKE, kind="metalake")
    code, output, error = policy("apply", tmp_path, *at(people.server, "ann"))
    assert code == 1 and output == "done: create tag by-ann\n"
    lines = error.splitlines()
    assert lines[0].startswith("refused: ") and "status 403" in lines[0]
    assert lines[1] == "1 changes were made; these remain:"
    assert [line.strip() for line in lines[2:]] == [
        "create policy by-ann (system_row_filter), disabled",
        "put policy by-ann on tag by-ann for every value",
        "enable policy by-ann",
    ]
    code, output, error = policy("apply", tmp_path, *at(people.server))
    assert code == 0, error
    assert "create tag" not in output


def test_a_killed_apply_goes_on_where_it_was(reader, people, tmp_path):
    server = people.server
    for number in range(40):
        (tmp_path / f"{number}.yaml").write_text(
            f"policy: many-{number}\ntype: system_row_filter\nenabled: true\n"
            f"tags: [{{tag: many}}]\nexpression: 'filter := col(\"id\") != {number}'\n"
        )
    (tmp_path / "tag.yaml").write_text("tag: many\n")
    process = subprocess.Popen(
        [binary(), "policy", "apply", str(tmp_path), *at(server)],
        env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for _ in range(10):
        assert process.stdout.readline().startswith("done: ")
    process.kill()
    process.communicate()
    policies = people.admin.get(*people.at("policies"), query={"details": "true"})["policies"]
    made = [found for found in policies if found["name"].startswith("many-")]
    assert 0 < len(made) < 40 and not any(found["enabled"] for found in made)
    code, output, error = policy("apply", tmp_path, *at(server))
    assert code == 0, error
    assert f"create policy many-{made[0]['name'].removeprefix('many-')} " not in output
    assert output.count("done: enable policy many-") == 40
    code, output, _ = policy("apply", tmp_path, *at(server))
    assert code == 0 and output.startswith("nothing to do")


def preview(reader, asker, user, *options):
    code, output, error = policy(
        "preview", "--server", reader.server.native, "--metalake", METALAKE, "--as", asker, "--user", user,
        "--table", TABLE, "--reader-server", reader.server.reader, "--identity", reader.identity, "--json", *options,
    )  # fmt: skip
    assert output, error
    return code, json.loads(output)


def test_previews_show_rows_that_both_may_see(reader, people):
    # sam sees no `ssn` at all, ann neither: the same mask.
    code, ann = preview(reader, "sam", "ann", "--policy", "own_region")
    assert code == 0, ann
    assert [(row["id"], row["region"], row["ssn"]) for row in ann["sample"]["rows"]] == [
        (1, "EU", None), (3, "EU", None)
    ]  # fmt: skip
    assert ann["sample"]["hidden"] == []
    # An auditor sees every row.
    code, bob = preview(reader, "sam", "bob", "--policy", "own_region", "--sample", "3")
    assert code == 0 and [row["id"] for row in bob["sample"]["rows"]] == [1, 2, 3]
    assert bob["explanation"]["omitted"][0]["policy"] == "own_region"
    # eve sees the last four characters; sam does not, and learns none of them.
    code, eve = preview(reader, "sam", "eve", "--policy", "own_region")
    assert code == 0 and eve["sample"]["hidden"] == ["ssn"]
    assert [row["ssn"] for row in eve["sample"]["rows"]] == [None, None]
    assert "1234" not in json.dumps(eve)
    # eve herself may apply no policy, and so previews nothing.
    code, output, error = policy(
        "preview", "--server", reader.server.native, "--metalake", METALAKE, "--as", "eve", "--table", TABLE,
        "--policy", "own_region",
    )  # fmt: skip
    assert code != 0 and "403" in error and output == ""


def test_a_masked_steward_gets_no_oracle(reader, people, tmp_path):
    draft = tmp_path / "guess.txt"
    for expression in [
        'filter := col("ssn") == "900-11-1234"',
        'filter := not col("ssn") < "5" and col("region") == "EU"',
    ]:
        draft.write_text(expression)
        code, answer = preview(reader, "sam", "ann", "--draft", draft, "--tag", "access=restricted")
        assert code == 1, answer
        assert answer["explanation"]["restricted"]
        assert "rows" not in answer["sample"]
        assert "`ssn`, which is masked for you" in answer["sample"]["refused"]
    draft.write_text('filter := col("salary") >= 30')
    code, answer = preview(reader, "sam", "ann", "--draft", draft, "--tag", "access=restricted")
    assert code == 0 and [row["id"] for row in answer["sample"]["rows"]] == [3, 4]
    code, output, error = policy(
        "preview", "--server", reader.server.native, "--metalake", METALAKE, "--as", "sam", "--user", "ann",
        "--table", TABLE, "--draft", draft, "--tag", "access=restricted", "--wire",
        "--reader-server", reader.server.reader, "--identity", reader.identity,
    )  # fmt: skip
    assert code == 0, error
    assert 'rows        col("salary") >= 30' in output and "sample      what ann would see" in output


def test_impact_says_what_is_reached_and_what_would_fail(reader, people, tmp_path):
    code, output, error = policy("impact", "--policy", "own_region", *at(people.server), "--json")
    assert code == 0, error
    impact = json.loads(output)
    assert [(table["table"], table["row-filter"]) for table in impact["tables"]] == [(TABLE, True)]
    assert impact["readers-enrolled"] >= 1
    bad = tmp_path / "bad.txt"
    bad.write_text('filter := col("colour") == "red"')
    code, output, error = policy(
        "impact", "--draft", bad, "--draft-tag", "access=restricted", *at(people.server)
    )  # fmt: skip
    assert code == 1, output + error
    assert f"table       {TABLE}" in output and "! could not be loaded: " in output and "colour" in output


def test_revisions_are_listed(reader, people):
    code, output, error = policy("revisions", "mask_ssn", *at(people.server))
    assert code == 0, error
    first = output.splitlines()[0]
    assert first.startswith("revision ") and first.endswith(f"by {ADMIN}") and "enabled" in first
    assert 'mask := action("show-last-4")' in output


def test_policy_tests_pass_fail_and_say_what_is_wrong(tmp_path):
    file = tmp_path / "t.yaml"
    text = (
        "table: c.s.t\ncolumns: {id: long, name: string}\n"
        "policies: [{for: name, expression: 'mask := action(\"show-first-4\")'}]\n"
        "rows: [{id: 1, name: Jonathan}]\ncases:\n- {name: masked, user: ann, rows: [{id: 1, name: Jonaxxxx}]}\n"
    )
    file.write_text(text)
    code, output, _ = policy("test", tmp_path)
    assert code == 0 and output.endswith("1 passed, 0 failed\n")
    file.write_text(text.replace("Jonaxxxx", "Jonathan"))
    code, output, _ = policy("test", tmp_path)
    assert code == 1 and 'name: expected "Jonathan", shown "Jonaxxxx"' in output
    code, output, _ = policy("test", tmp_path, "--json")
    assert code == 1 and json.loads(output)["failure"]["unexpected"] == [{"id": 1, "name": "Jonaxxxx"}]
    file.write_text(text.replace("user: ann", "user: ann, colour: red"))
    code, _, error = policy("test", tmp_path)
    assert code == 2 and error.startswith(f"{file}:6: ") and "colour" in error
    empty = tmp_path / "empty"
    empty.mkdir()
    code, _, error = policy("test", empty)
    assert code == 2 and "no tests" in error
