// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Test files that pass, fail, and cannot be used.

use std::path::Path;

use super::{Outcome, outcome, report};

/// A table whose rows are filtered by region and whose phone is masked; cases follow.
const ORDERS: &str = r#"table: lake.sales:eu.orders
about: what staff see of orders
columns:
  id: long required
  region: string
  phone: string
  price: decimal(9,2)
  ratio: double
  ordered: date
groups: [auditors]
policies:
- policy: own_region
  expression: |
    filter := true if is_group_member("auditors")
    else := col("region") == "EU"
  tags: [{tag: access, value: restricted}]
- {for: phone, expression: 'mask := action("show-last-4")'}
tags:
  lake: {access: restricted}
rows:
- {id: 1, region: EU, phone: 555-0101, price: 12.5, ratio: .nan, ordered: 2026-01-31}
- {id: 2, region: US, phone: 555-0102, price: "3.00", ratio: -0.0}
- {id: 3, phone: "12"}
cases:
"#;

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn orders(cases: &str) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "orders.yaml", &format!("{ORDERS}{cases}"));
    outcome(folder.path()).unwrap()
}

#[track_caller]
fn passes(cases: &str) {
    let outcome = orders(cases);
    assert_eq!(outcome.malformed, []);
    let failed: Vec<_> = outcome
        .judged
        .iter()
        .filter(|case| case.failure.is_some())
        .collect();
    assert!(!outcome.judged.is_empty() && failed.is_empty(), "{failed:#?}");
}

/// The first failure as text, without the folder.
#[track_caller]
fn fails(cases: &str, expected: &str) {
    let outcome = orders(cases);
    assert_eq!(outcome.malformed, []);
    let text = report::text(&outcome.judged, false);
    let (_, text) = text.split_once('\n').unwrap();
    assert_eq!(text, expected);
}

/// The line of the problem, and a part of what is said.
#[track_caller]
fn malformed(cases: &str, expected_line: u64, part: &str) {
    let outcome = orders(cases);
    let [problem] = outcome.malformed.as_slice() else {
        panic!("{:?}", outcome.malformed);
    };
    let lines_before = u64::try_from(ORDERS.lines().count()).unwrap();
    assert!(problem.problem.contains(part), "{problem}");
    assert_eq!(problem.line, Some(lines_before + expected_line), "{problem}");
}

#[test]
fn rows_in_any_order_with_nulls_and_floats() {
    passes(
        r#"
- name: staff
  user: ann
  rows: [{id: 1, region: EU, phone: nnn-0101, price: "12.50", ratio: .nan, ordered: "2026-01-31"}]
- name: auditors
  user: bob
  groups: [auditors]
  rows:
  - {id: 3, phone: "12"}
  - {id: 2, region: US, phone: nnn-0102, price: 3, ratio: -0.0}
  - {id: 1, region: EU, phone: nnn-0101, price: 12.50, ratio: .nan, ordered: 2026-01-31}
- name: some columns
  user: ann
  columns: [id]
  rows: [{id: 1}]
"#,
    );
}

#[test]
fn tags_decide_where_and_a_case_may_have_its_own() {
    passes(
        r#"
- name: a nearer value takes the filter away
  user: ann
  tags: {lake.sales:eu.orders: {access: [public, open]}}
  columns: [id]
  rows: [{id: 1}, {id: 2}, {id: 3}]
- name: an outer schema counts
  user: ann
  tags: {lake: [], lake.sales: {access: restricted}}
  columns: [id]
  rows: [{id: 1}]
- name: a filter on a column's tag does nothing
  user: ann
  tags: {lake: {}, lake.sales:eu.orders.id: {access: restricted}}
  columns: [id]
  rows: [{id: 1}, {id: 2}, {id: 3}]
"#,
    );
}

#[test]
fn errors_are_expected_by_their_code() {
    passes(
        "
- {name: nobody, user: null, error: restriction-context}
- {name: groups that failed to load, user: ann, groups: unknown, error: restriction-context}
",
    );
}

#[test]
fn what_differs_is_shown() {
    fails(
        "
- name: unmasked
  user: ann
  columns: [id, phone]
  rows: [{id: 1, phone: 555-0101}]
",
        "  FAIL  unmasked (line 26)
          - {\"id\":1,\"phone\":\"555-0101\"}
          + {\"id\":1,\"phone\":\"nnn-0101\"}
          phone: expected \"555-0101\", shown \"nnn-0101\"
          (- expected and not shown, + shown and not expected)
        · rows: col(\"region\") == \"EU\" (policy own_region, tag access=restricted on catalog lake)
        · phone: show-last-4 (policy unnamed-2, for column lake.sales:eu.orders.phone)
0 passed, 1 failed
",
    );
    fails(
        "
- {name: too many, user: ann, columns: [id], rows: []}
- {name: not refused, user: ann, columns: [id], error: restriction-conflict}
- {name: refused, user: null, rows: all}
",
        "  FAIL  too many (line 26)
          + {\"id\":1}
          (- expected and not shown, + shown and not expected)
        · rows: col(\"region\") == \"EU\" (policy own_region, tag access=restricted on catalog lake)
        · phone: show-last-4 (policy unnamed-2, for column lake.sales:eu.orders.phone)
  FAIL  not refused (line 27)
          the load should be refused with `restriction-conflict`, and it shows 1 rows
          + {\"id\":1}
        · rows: col(\"region\") == \"EU\" (policy own_region, tag access=restricted on catalog lake)
        · phone: show-last-4 (policy unnamed-2, for column lake.sales:eu.orders.phone)
  FAIL  refused (line 28)
          the load is refused with `restriction-context`, and rows were expected
          policy `own_region`: no subject is known for this request (line 1, column 1) (no-subject)
0 passed, 3 failed
",
    );
}

#[test]
fn files_that_cannot_be_used_say_where() {
    let case = |rest: &str| format!("- name: x\n  user: ann\n{rest}\n");
    malformed(&case("  rowz: []"), 3, "unknown field `rowz`");
    malformed(&case("  error: restriction-nonsense"), 3, "no code");
    malformed(&case("  rows: [{id: 1, colour: red}]"), 3, "no column `colour`");
    malformed(
        &case("  rows:\n  - {id: 1}\n  - {id: one}"),
        5,
        "`\"one\"` is not a value of type long",
    );
    malformed(
        &case("  rows: [{id: 1, region: 7}]"),
        3,
        "write the value in quotes",
    );
    malformed(&case("  columns: [idd]\n  rows: []"), 3, "no column `idd`");
    malformed(
        &case("  tags: {lake.other: pii}\n  rows: []"),
        3,
        "neither the table",
    );
    malformed(&case("  salt: abc\n  rows: []"), 3, "not hexadecimal");
    malformed(
        &case("  rows: []\n  error: restriction-context"),
        1,
        "either `rows` or an `error`",
    );
    malformed(&case("  rows: some"), 3, "`all`");
    malformed("- name: x\n  rows: []", 2, "missing field `user`");
}

#[test]
fn a_policy_of_a_file_is_tested_as_if_it_were_enabled() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "policies/mask.yaml",
        "policy: hash\ntype: system_column_mask\nenabled: false\ntags: [{tag: pii}]\nexpression: mask := action(\"sha-256-query-local\")\n",
    );
    write(
        folder.path(),
        "tags/pii.yaml",
        "tag: pii\nassigned:\n- {type: column, name: c.s.t.email}\n- {type: column, name: c.s.other.email}\n",
    );
    let test = |policies: &str, cases: &str| {
        format!(
            "table: c.s.t\ncolumns: {{email: string, n: int}}\npolicies: {policies}\ntag-files: [../tags/pii.yaml]\nrows:\n- {{email: a@b, n: 1}}\n- {{n: 2}}\ncases:\n{cases}"
        )
    };
    let salt = "00112233445566778899aabbccddeeff";
    let cases = format!(
        "- {{name: opaque, user: ann, rows: [{{email: opaque, n: 1}}, {{n: 2}}]}}
- {{name: salted, user: ann, salt: '{salt}', rows: [{{email: 720d6f8db646e8ab3d2675060d8af7d1a5fa04f479f1aec64d674561ca3ecf37, n: 1}}, {{n: 2}}]}}
- {{name: known, user: ann, rows: [{{email: a@b, n: 1}}, {{n: 2}}]}}\n"
    );
    write(
        folder.path(),
        "tests/t.yaml",
        &test("[../policies/mask.yaml]", &cases),
    );
    write(
        folder.path(),
        "tests/off.yaml",
        &test(
            "[{file: ../policies/mask.yaml, enabled: false}]",
            "- {name: off, user: ann, rows: all}\n",
        ),
    );
    let outcome = outcome(folder.path()).unwrap();
    assert_eq!(outcome.malformed, []);
    let passed: Vec<(&str, bool)> = outcome
        .judged
        .iter()
        .map(|case| (case.name.as_str(), case.failure.is_none()))
        .collect();
    assert_eq!(
        passed,
        [
            ("off", true),
            ("opaque", true),
            ("salted", true),
            ("known", false)
        ]
    );
    let text = report::text(&outcome.judged, false);
    assert!(
        text.contains("email: expected \"a@b\", shown \"opaque\""),
        "{text}"
    );
}

#[test]
fn errors_of_policies_are_those_of_the_server() {
    let check = |policies: &str, code: &str| {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "table: c.s.t\ncolumns: {{a: string required, b: int}}\npolicies: {policies}\nrows: []\ncases:\n- {{name: x, user: ann, error: {code}}}\n"
        );
        write(folder.path(), "t.yaml", &text);
        let outcome = outcome(folder.path()).unwrap();
        assert_eq!(outcome.malformed, []);
        assert!(
            outcome.judged.iter().all(|case| case.failure.is_none()),
            "{}",
            report::text(&outcome.judged, true)
        );
    };
    check(
        r#"[{for: table, expression: 'filter := col("c") == 1'}]"#,
        "restriction-schema",
    );
    check(
        r#"[{for: table, expression: 'filter := col("b") == 1.5'}]"#,
        "restriction-literal",
    );
    check(
        r#"[{for: table, expression: 'filter := nonsense'}]"#,
        "restriction-syntax",
    );
    check(
        r#"[{for: table, expression: 'filter := col("b")'}]"#,
        "restriction-static",
    );
    check(
        r#"[{for: a, expression: 'mask := action("replace-with-null")'}]"#,
        "restriction-action",
    );
    check(
        r#"[{for: table, expression: 'filter := col("b") == 1'}, {for: table, expression: 'filter := col("b") == 2'}]"#,
        "restriction-conflict",
    );
    check(
        r#"[{for: table, expression: 'filter := is_group_member("ghost")'}]"#,
        "restriction-context",
    );
}

/// The files of the documentation, and what it says that they give.
#[test]
fn the_documentation_is_true() {
    let document = include_str!("../../../../../docs/policy-tests.md");
    let folder = tempfile::tempdir().unwrap();
    let mut files = 0;
    for block in document.split("```yaml file=").skip(1) {
        let (name, rest) = block.split_once('\n').unwrap();
        let (text, _) = rest.split_once("```").unwrap();
        write(folder.path(), name, text);
        files += 1;
    }
    assert_eq!(files, 3);
    let outcome = outcome(folder.path()).unwrap();
    assert_eq!(outcome.malformed, []);
    let said = document
        .split("$ lakeward policy test governance\n")
        .nth(1)
        .unwrap();
    let (said, _) = said.split_once("```").unwrap();
    let text = report::text(&outcome.judged, false);
    let folder = folder.path().display().to_string();
    assert_eq!(text.replace(&folder, "governance"), said);
}
