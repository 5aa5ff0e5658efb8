// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Overloads, changes, and the form that is stored.

use super::*;
use crate::expression::LiteralValue;

fn one() -> Expression {
    Expression::Literal(LiteralValue {
        data_type: DataType::Integer,
        value: Some("1".to_owned()),
    })
}

/// Reads `x integer, y string = ` : a name, a type, and `=` for a default.
fn parameters(text: &str) -> Vec<FunctionParameter> {
    text.split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(|text| {
            let words: Vec<&str> = text.split(' ').collect();
            FunctionParameter {
                name: words[0].to_owned(),
                data_type: DataType::parse(words[1]).unwrap(),
                comment: None,
                default_value: words.get(2).map(|_| one()),
            }
        })
        .collect()
}

fn implementation(runtime: FunctionRuntime, sql: &str) -> FunctionImplementation {
    FunctionImplementation {
        runtime,
        code: FunctionCode::Sql { sql: sql.to_owned() },
        resources: FunctionResources::default(),
        properties: Properties::new(),
    }
}

fn definition(text: &str) -> FunctionDefinition {
    FunctionDefinition {
        parameters: parameters(text),
        result: FunctionResult::Type(DataType::Integer),
        implementations: vec![implementation(FunctionRuntime::Trino, "1")],
    }
}

fn body(definitions: &[&str]) -> FunctionBody {
    FunctionBody {
        function_type: FunctionType::Scalar,
        deterministic: true,
        definitions: definitions.iter().map(|text| definition(text)).collect(),
    }
}

#[test]
fn overloads_that_a_call_could_mix_up_are_refused() {
    for (definitions, fits) in [
        (&["x integer", "x long"][..], true),
        (&["x integer", "y integer"], false),
        (&["", ""], false),
        (&["", "x integer"], true),
        (&["", "x integer ="], false),
        (&["x integer", "x integer, y string"], true),
        (&["x integer", "x integer, y string ="], false),
        (&["x integer, y float =", "x integer, y string ="], false),
        (&["x integer, y float", "x integer, y string"], true),
        (&["x integer, y float =, z date =", "x integer, y string"], true),
        (&["x integer, y float, z date =", "x integer, y float"], false),
        (&["x integer, y float, z date =", "x integer"], true),
    ] {
        let checked = body(definitions).check();
        assert_eq!(checked.is_ok(), fits, "{definitions:?}: {checked:?}");
        // In either order, and when it is added to the other.
        let reversed: Vec<&str> = definitions.iter().rev().copied().collect();
        assert_eq!(body(&reversed).check().is_ok(), fits, "{reversed:?}");
        let mut first = body(&definitions[..1]);
        let added = first.apply(FunctionChange::AddDefinition(definition(definitions[1])));
        assert_eq!(added.is_ok(), fits, "{definitions:?}: {added:?}");
        assert_eq!(first.definitions.len(), if fits { 2 } else { 1 });
    }
}

proptest::proptest! {
    /// Two definitions overlap exactly when some list of types is a call of both.
    #[test]
    fn overlaps_are_shared_calls(
        one in proptest::collection::vec(0..3_usize, 0..4), one_defaults in 0..4_usize,
        other in proptest::collection::vec(0..3_usize, 0..4), other_defaults in 0..4_usize,
    ) {
        const TYPES: [&str; 3] = ["integer", "long", "string"];
        let text = |types: &[usize], defaults: usize| {
            let required = types.len().saturating_sub(defaults);
            let parameters: Vec<String> = types
                .iter()
                .enumerate()
                .map(|(at, kind)| format!("p{at} {}{}", TYPES[*kind], if at < required { "" } else { " =" }))
                .collect();
            parameters.join(",")
        };
        let calls = |types: &[usize], defaults: usize| -> std::collections::BTreeSet<Vec<usize>> {
            (types.len().saturating_sub(defaults)..=types.len()).map(|length| types[..length].to_vec()).collect()
        };
        let is_shared = !calls(&one, one_defaults).is_disjoint(&calls(&other, other_defaults));
        let checked = body(&[&text(&one, one_defaults), &text(&other, other_defaults)]).check();
        proptest::prop_assert_eq!(checked.is_err(), is_shared, "{:?}", checked);
    }
}

#[test]
fn what_makes_no_function_is_named() {
    let check = |body: &FunctionBody, expected: &str| {
        let message = body.check().unwrap_err().to_string();
        assert_eq!(message, expected);
    };
    check(&body(&[]), "a function has at least one definition");
    check(
        &body(&["x integer =, y long"]),
        "parameter `y` of (x: integer, y: long) has no default value, but stands after one that has",
    );
    let mut wrong = body(&["x integer"]);
    wrong.function_type = FunctionType::Table;
    check(
        &wrong,
        "(x: integer): a table function has return columns, and no return type",
    );
    let mut wrong = body(&["x integer"]);
    wrong.definitions[0].result = FunctionResult::Columns(Vec::new());
    check(
        &wrong,
        "(x: integer): a scalar function has a return type, and no return columns",
    );
    let mut wrong = body(&["x integer"]);
    wrong.definitions[0].implementations.clear();
    check(&wrong, "(x: integer) has no implementation");
    let mut wrong = body(&["x integer"]);
    let twice = wrong.definitions[0].implementations[0].clone();
    wrong.definitions[0].implementations.push(twice);
    check(&wrong, "(x: integer) has an implementation for TRINO already");
    let many: Vec<String> = (0..=MAX_PARAMETERS)
        .map(|number| format!("p{number} integer"))
        .collect();
    check(
        &body(&[&many.join(",")]),
        "the definition with `p0` as its first parameter has more than 100 parameters",
    );
    let many: Vec<String> = (0..=MAX_DEFINITIONS)
        .map(|number| format!("p char({})", number + 1))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    check(&body(&many), "a function has at most 100 definitions");
    assert_eq!(body(&many[..MAX_DEFINITIONS]).check(), Ok(()));
}

#[test]
fn definitions_and_implementations_come_and_go() {
    use FunctionChange::{
        AddImplementation, RemoveDefinition, RemoveImplementation, UpdateComment, UpdateImplementation,
    };
    use FunctionRuntime::{Spark, Trino};
    let mut function = body(&["x integer", "x long"]);
    let mut apply = |change: FunctionChange| function.apply(change).map_err(|error| error.to_string());
    let x = || parameters("x integer");
    let refused = |message: &str| Err(message.to_owned());
    assert_eq!(apply(UpdateComment(None)), Ok(()));
    assert_eq!(
        apply(RemoveDefinition(parameters("y integer"))),
        refused("there is no definition (y: integer)")
    );
    let add = |runtime| AddImplementation {
        parameters: x(),
        implementation: implementation(runtime, "2"),
    };
    assert_eq!(
        apply(add(Trino)),
        refused("(x: integer) has an implementation for TRINO already")
    );
    let remove = |runtime| RemoveImplementation {
        parameters: x(),
        runtime,
    };
    assert_eq!(
        apply(remove(Spark)),
        refused("(x: integer) has no implementation for SPARK")
    );
    assert_eq!(
        apply(remove(Trino)),
        refused("the only implementation of (x: integer) cannot be removed; remove the definition instead")
    );
    assert_eq!(apply(add(Spark)), Ok(()));
    let update = |runtime, to| UpdateImplementation {
        parameters: x(),
        runtime,
        implementation: implementation(to, "3"),
    };
    assert_eq!(
        apply(update(Spark, Trino)),
        refused("an implementation for SPARK cannot be replaced by one for TRINO")
    );
    assert_eq!(apply(update(Spark, Spark)), Ok(()));
    assert_eq!(apply(remove(Trino)), Ok(()));
    assert_eq!(
        apply(update(Trino, Trino)),
        refused("(x: integer) has no implementation for TRINO")
    );
    assert_eq!(apply(RemoveDefinition(parameters("x long"))), Ok(()));
    assert_eq!(
        apply(RemoveDefinition(x())),
        refused("the only definition of a function cannot be removed; drop the function instead")
    );
    assert_eq!(function.definitions.len(), 1);
    assert_eq!(
        function.definitions[0].implementations,
        [implementation(Spark, "3")]
    );
}

#[test]
fn the_deepest_function_is_read_again() {
    let deep = |levels: usize| {
        (1..levels).fold(DataType::Integer, |inner, _| {
            DataType::Struct(vec![crate::data_type::StructField {
                name: "f".to_owned(),
                data_type: inner,
                nullable: true,
                comment: None,
            }])
        })
    };
    // All levels of a default value in functions, or all in the type of a literal.
    let nested = (1..MAX_NESTING).fold(one(), |inner, _| Expression::Function {
        name: "f".to_owned(),
        arguments: vec![inner],
    });
    let literal = Expression::Literal(LiteralValue {
        data_type: deep(MAX_NESTING),
        value: Some("x".to_owned()),
    });
    for default_value in [nested.clone(), literal] {
        let mut function = body(&["x integer"]);
        function.definitions[0].parameters[0].default_value = Some(default_value);
        function.definitions[0].parameters[0].data_type = deep(MAX_NESTING);
        function.definitions[0].result = FunctionResult::Type(deep(MAX_NESTING));
        assert_eq!(function.check(), Ok(()));
        let text = serde_json::to_string(&function).unwrap();
        assert_eq!(serde_json::from_str::<FunctionBody>(&text).unwrap(), function);
    }
    let mut function = body(&["x integer"]);
    function.definitions[0].result = FunctionResult::Type(deep(MAX_NESTING + 1));
    assert_eq!(
        function.check(),
        Err(FunctionError::TooDeep("(x: integer)".to_owned()))
    );
    let mut function = body(&["x integer"]);
    function.definitions[0].parameters[0].default_value = Some(Expression::Function {
        name: "f".to_owned(),
        arguments: vec![nested],
    });
    assert_eq!(
        function.check(),
        Err(FunctionError::TooDeep("(x: integer)".to_owned()))
    );
}

/// What is stored stays readable: this text must never have to change.
#[test]
fn the_stored_form() {
    let mut function = body(&["x varchar(7)"]);
    let definition = &mut function.definitions[0];
    definition.parameters[0].default_value = Some(Expression::NULL);
    definition.implementations.push(FunctionImplementation {
        runtime: FunctionRuntime::Spark,
        code: FunctionCode::Python {
            handler: "m.f".to_owned(),
            code_block: None,
        },
        resources: FunctionResources {
            jars: vec!["file:///j".to_owned()],
            ..FunctionResources::default()
        },
        properties: Properties::from([("k".to_owned(), "v".to_owned())]),
    });
    let expected = serde_json::json!({
        "function_type": "scalar", "deterministic": true, "definitions": [{
            "parameters": [{"name": "x", "data_type": {"var_char": 7}, "comment": null,
                "default_value": {"literal": {"data_type": "null", "value": null}}}],
            "result": {"type": "integer"},
            "implementations": [
                {"runtime": "trino", "code": {"sql": {"sql": "1"}},
                 "resources": {"jars": [], "files": [], "archives": []}, "properties": {}},
                {"runtime": "spark", "code": {"python": {"handler": "m.f", "code_block": null}},
                 "resources": {"jars": ["file:///j"], "files": [], "archives": []}, "properties": {"k": "v"}}]}]});
    assert_eq!(serde_json::to_value(&function).unwrap(), expected);
    assert_eq!(
        serde_json::from_value::<FunctionBody>(expected).unwrap(),
        function
    );
}
