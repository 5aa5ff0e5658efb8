// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The library is one that Python loads. What it does against servers is tested end to end.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The library as cargo built it for this test.
fn library() -> PathBuf {
    let name = format!(
        "{}_lakeward{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().join(name)
}

/// Runs a program with the package in its path; what it prints.
fn python(program: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("lakeward");
    std::fs::create_dir(&package).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/lakeward");
    for file in std::fs::read_dir(source).unwrap() {
        let file = file.unwrap();
        if file.file_type().unwrap().is_file() {
            std::fs::copy(file.path(), package.join(file.file_name())).unwrap();
        }
    }
    std::fs::copy(library(), package.join("_lakeward.abi3.so")).unwrap();
    let output = Command::new("python3")
        .args(["-c", program])
        .env("PYTHONPATH", folder.path())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn the_package_names_what_it_promises() {
    let program = "import lakeward
missing = [name for name in lakeward.__all__ if not hasattr(lakeward, name)]
assert not missing, missing
assert all(issubclass(getattr(lakeward, name), lakeward.Error) for name in lakeward.__all__ if name.endswith('Error'))
print(lakeward.__version__)";
    assert_eq!(python(program), env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_types_are_those_of_the_package() {
    let program = "import ast, inspect, lakeward, pathlib
stub = ast.parse((pathlib.Path(lakeward.__file__).parent / '__init__.pyi').read_text())
classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
exported = {name for name in lakeward.__all__ if inspect.isclass(getattr(lakeward, name))}
assert set(classes) == exported, set(classes) ^ exported
for name, node in classes.items():
    told = {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)}
    real = {inner for inner in vars(getattr(lakeward, name)) if not inner.startswith('__')}
    assert real <= told, (name, real - told)
    assert all(hasattr(getattr(lakeward, name), inner) for inner in told), name
print('same')";
    assert_eq!(python(program), "same");
}

#[test]
fn what_cannot_be_used_is_said() {
    let program = r#"import lakeward
def refused(kind, *arguments, **keywords):
    try:
        lakeward.connect(*arguments, **keywords)
    except kind as error:
        print(error)
    else:
        raise AssertionError(arguments)
refused(lakeward.ConfigurationError, "nowhere")
refused(lakeward.ConfigurationError, "https://127.0.0.1:1", password="p")
refused(lakeward.ConfigurationError, "https://127.0.0.1:1", user="ann", token="t")
refused(lakeward.ConfigurationError, "https://127.0.0.1:1", identity="/nowhere")
refused(lakeward.ConfigurationError, "grpc+tls://127.0.0.1:1", identity="/nowhere")
refused(lakeward.ConfigurationError, "grpc+tcp://gateway.example.com:1")
refused(lakeward.UnreachableError, "grpc+tcp://127.0.0.1:1")
connection = lakeward.connect("http://127.0.0.1:1", user="ann", password="a secret")
assert "secret" not in repr(connection)
try:
    connection.sql("SELECT * FROM a.b.c")
except lakeward.UnreachableError as error:
    assert "secret" not in str(error)
connection.close()
try:
    connection.sql("SELECT 1")
except lakeward.QueryError as error:
    assert "closed" in str(error)
"#;
    let said = python(program);
    assert_eq!(said.lines().count(), 7, "{said}");
}

#[test]
fn rows_are_read_once_and_in_arrow() {
    let program = r#"import lakeward
with lakeward.connect("http://127.0.0.1:1") as connection:
    rows = connection.sql("SELECT 1 AS one, 'a' AS letter")
    assert rows.columns == ["one", "letter"] and rows.tables == []
    rows.__arrow_c_schema__()
    assert "arrow_array_stream" in repr(rows.__arrow_c_stream__())
    try:
        rows.__arrow_c_stream__()
    except lakeward.QueryError as error:
        print(error)
"#;
    assert!(python(program).contains("read or closed before"));
}

#[test]
fn parameters_are_values_of_many_types() {
    let program = r#"import datetime, lakeward
with lakeward.connect("http://127.0.0.1:1") as connection:
    values = [None, True, 7, 1.5, "it's", b"\x00", datetime.date(2020, 2, 29),
              datetime.datetime(2020, 2, 29, 1, 2, 3, 4),
              datetime.datetime(2020, 2, 29, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))]
    marks = ", ".join(f"arrow_typeof(${n + 1}) AS c{n}" for n in range(len(values)))
    rows = connection.sql(f"SELECT {marks}", values)
    assert len(rows.columns) == len(values)
    rows = connection.sql("SELECT 1 AS one WHERE $1 = 'it''s' AND $2 = TIMESTAMP '2020-02-28T22:00:00Z'", ["it's", values[-1]])
    rows.__arrow_c_stream__()
    for wrong in [[], [1, 2], [object()], [2**63], [{}]]:
        try:
            connection.sql("SELECT $1", wrong)
        except (lakeward.QueryError, TypeError, OverflowError) as error:
            print(error)
"#;
    let said = python(program);
    assert_eq!(said.lines().count(), 5, "{said}");
}
