// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy check`: the checks that a server makes when a policy is saved.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use lakeward_governance::policy::PolicyType;
use lakeward_governance::policy_content::{ContentError, ExpressionContent};
use lakeward_policy_language::{PolicyError, Rule, RuleHead};
use serde_json::{Value, json};

use super::malformed::Malformed;
use super::tree;

/// Check an expression or the content of a policy, without a server.
///
/// The file holds an expression (`filter := …` or `mask := …`), the content of a policy
/// (`{"expression": "…"}`), a whole request to create one, or, named .yaml, a policy as `export`
/// writes it. Nothing is written and nothing is asked of a server; whether columns and groups exist
/// is known only when a table is loaded. Exits with 1 when the policy would be refused.
///
///   lakeward policy check rule.txt
///   lakeward policy check policies/own_region.yaml
///   echo 'mask := action("show-last-4")' | lakeward policy check -
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The file; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What the policy restricts; without it the first word of the expression decides
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    policy_type: Option<RestrictionType>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// The two types of policy that restrict what readers see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RestrictionType {
    /// `system_row_filter`
    #[value(name = "system_row_filter", alias = "filter")]
    RowFilter,
    /// `system_column_mask`
    #[value(name = "system_column_mask", alias = "mask")]
    ColumnMask,
}

impl From<RestrictionType> for PolicyType {
    fn from(restriction: RestrictionType) -> Self {
        match restriction {
            RestrictionType::RowFilter => Self::RowFilter,
            RestrictionType::ColumnMask => Self::ColumnMask,
        }
    }
}

/// Reads, checks, tells.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let text = read(&arguments.file)?;
    match checked(&text, arguments.policy_type.map(PolicyType::from)) {
        Ok(rule) if arguments.json => println!("{}", accepted_json(&rule)),
        Ok(rule) => println!("{}", accepted(&rule)),
        Err(refusal) => {
            if arguments.json {
                println!("{}", refusal.to_json());
            } else {
                eprintln!("{}", refusal.text);
            }
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> anyhow::Result<String> {
    if file.as_os_str() == "-" {
        return std::io::read_to_string(std::io::stdin()).context("standard input cannot be read");
    }
    if tree::is_yaml(file) {
        return request_of(file).map_err(|problem| anyhow::anyhow!("{problem}"));
    }
    std::fs::read_to_string(file).with_context(|| format!("`{}` cannot be read", file.display()))
}

/// The request that would make the policy of a YAML file.
fn request_of(path: &Path) -> Result<String, Malformed> {
    let policy = tree::read_policy(path)?;
    let request = json!({
        "policyType": policy.policy_type(path)?.as_str(),
        "content": policy.stated_content(path)?,
    });
    Ok(request.to_string())
}

/// Why the policy would be refused.
#[derive(Debug, PartialEq)]
struct Refusal {
    category: &'static str,
    code: &'static str,
    message: String,
    /// Line and column of the expression, from 1.
    place: Option<(usize, usize)>,
    /// The whole message for people.
    text: String,
}

impl Refusal {
    fn expression(error: &PolicyError, source: &str) -> Self {
        Self {
            category: error.category.as_str(),
            code: error.code,
            message: error.message.clone(),
            place: Some((error.line, error.column)),
            text: error.render(source),
        }
    }

    fn content(error: &ContentError) -> Self {
        Self {
            category: error.category().as_str(),
            code: error.code(),
            message: error.to_string(),
            place: None,
            text: format!("error[{}/{}]: {error}", error.category(), error.code()),
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "ok": false,
            "category": self.category,
            "code": self.code,
            "message": self.message,
            "line": self.place.map(|(line, _)| line),
            "column": self.place.map(|(_, column)| column),
        })
    }
}

/// A text that is an object is a content or a request; everything else is an expression.
fn checked(text: &str, policy_type: Option<PolicyType>) -> Result<Rule, Refusal> {
    if !text.trim_start().starts_with('{') {
        // An editor ends a file with a newline; that is whitespace of the language, too.
        let head = policy_type
            .and_then(PolicyType::rule_head)
            .unwrap_or_else(|| head_of(text));
        return lakeward_policy_language::check(head, text)
            .map_err(|error| Refusal::expression(&error, text));
    }
    let request: Option<Value> = serde_json::from_str(text).ok();
    let member = |name: &str| request.as_ref().and_then(|request| request.get(name));
    let content = member("content").map_or_else(|| text.to_owned(), Value::to_string);
    let stated = member("policyType")
        .and_then(Value::as_str)
        .and_then(|name| name.parse().ok());
    let expression = serde_json::from_str::<Value>(&content)
        .ok()
        .and_then(|content| content.get("expression")?.as_str().map(str::to_owned))
        .unwrap_or_default();
    let policy_type = policy_type.or(stated).unwrap_or(match head_of(&expression) {
        RuleHead::Filter => PolicyType::RowFilter,
        RuleHead::Mask => PolicyType::ColumnMask,
    });
    match ExpressionContent::parse(policy_type, &content) {
        Ok(content) => {
            let source = content.rule.source();
            let head = content.rule.head();
            lakeward_policy_language::check(head, source).map_err(|error| Refusal::expression(&error, source))
        }
        Err(ContentError::Expression(error)) => Err(Refusal::expression(&error, &expression)),
        Err(error) => Err(Refusal::content(&error)),
    }
}

/// The type and the text of a rule that a server would accept, in any of the forms of a file.
///
/// # Errors
/// The message for people.
pub(crate) fn expression(text: &str) -> Result<(PolicyType, String), String> {
    match checked(text, None) {
        Ok(rule) => Ok((policy_type_of(&rule), rule.source().to_owned())),
        Err(refusal) => Err(refusal.text),
    }
}

/// What the author seems to mean, for a text that may be wrong.
fn head_of(expression: &str) -> RuleHead {
    if expression.trim_start().starts_with(RuleHead::Mask.as_str()) {
        RuleHead::Mask
    } else {
        RuleHead::Filter
    }
}

fn policy_type_of(rule: &Rule) -> PolicyType {
    match rule.head() {
        RuleHead::Filter => PolicyType::RowFilter,
        RuleHead::Mask => PolicyType::ColumnMask,
    }
}

fn accepted(rule: &Rule) -> String {
    let reads = rule.reads();
    let mut lines = vec![format!("ok: a rule for {}", policy_type_of(rule))];
    let branches = rule.branch_count();
    if branches > 1 {
        lines.push(format!("  branches: {branches}, the last without condition"));
    }
    let list = |names: Vec<&str>| format!("`{}`", names.join("`, `"));
    let columns: Vec<&str> = rule.columns().into_iter().collect();
    if !columns.is_empty() {
        lines.push(format!("  columns: {}", list(columns)));
    }
    if reads.session_user {
        lines.push("  depends on the user".to_owned());
    }
    if !reads.groups.is_empty() {
        let groups = reads.groups.iter().map(String::as_str).collect();
        lines.push(format!("  depends on the groups: {}", list(groups)));
    }
    lines.join("\n")
}

fn accepted_json(rule: &Rule) -> Value {
    json!({
        "ok": true,
        "policyType": policy_type_of(rule).as_str(),
        "branches": rule.branch_count(),
        "columns": rule.columns(),
        "sessionUser": rule.reads().session_user,
        "groups": rule.reads().groups,
    })
}

#[cfg(test)]
mod tests {
    use lakeward_governance::policy::PolicyType;

    use super::{accepted, checked};

    #[track_caller]
    fn check(text: &str, policy_type: Option<PolicyType>, expected: Result<&str, &str>) {
        match (checked(text, policy_type), expected) {
            (Ok(rule), Ok(part)) => assert!(accepted(&rule).contains(part), "{}", accepted(&rule)),
            (Err(refusal), Err(code)) => assert_eq!(refusal.code, code, "{}", refusal.text),
            (found, expected) => panic!("{text}: {found:?} is not {expected:?}"),
        }
    }

    #[test]
    fn a_policy_in_yaml_is_checked_as_the_request_that_makes_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.yaml");
        let write = |expression: &str| {
            let text =
                format!("policy: p\ntype: system_row_filter\nenabled: true\nexpression: '{expression}'\n");
            std::fs::write(&path, text).unwrap();
            super::read(&path).unwrap()
        };
        check(
            &write("filter := col(\"region\") == \"EU\""),
            None,
            Ok("columns: `region`"),
        );
        check(&write("filter := nonsense"), None, Err("unknown-word"));
        check(
            &write("mask := action(\"show-last-4\")"),
            None,
            Err("wrong-rule-head"),
        );
        std::fs::write(&path, "policy: p\n").unwrap();
        assert!(super::read(&path).unwrap_err().to_string().contains("p.yaml:1: "));
    }

    #[test]
    fn expressions_contents_and_requests() {
        let filter = "filter := col(\"region\") == \"US\" if is_group_member(\"eu\") else := false\n";
        check(filter, None, Ok("columns: `region`"));
        check(filter, Some(PolicyType::ColumnMask), Err("wrong-rule-head"));
        check("mask := action(\"show-last-4\")", None, Ok("system_column_mask"));
        check(
            "{\"expression\": \"filter := true\"}",
            None,
            Ok("system_row_filter"),
        );
        check("{\"expression\": \"filter := tru\"}", None, Err("unknown-word"));
        check("{\"function\": {}}", None, Err("content-member-reserved"));
        check("{\"expression\": 1}", None, Err("content-member-type"));
        check("{", None, Err("content-not-json"));
        let request = "{\"name\": \"p\", \"policyType\": \"system_column_mask\", \"content\": {\"expression\": \"filter := true\"}}";
        check(request, None, Err("wrong-rule-head"));
        check("region == \"US\"", None, Err("unknown-word"));
    }
}
