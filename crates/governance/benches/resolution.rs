// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Resolving what restricts a table of 30 columns for one user: a row filter with branches and two masks. `cold` parses
//! every policy anew; `cached` has each revision parsed, as a server does after the first load. The last group says what
//! the width of a table and the number of masks cost.

#![expect(clippy::expect_used, reason = "a benchmark may fail loudly")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use lakeward_governance::effective_tag::TaggedObject;
use lakeward_governance::policy::{PolicyType, StoredPolicy};
use lakeward_governance::policy_content::ContentError;
use lakeward_governance::resolve::{
    GovernanceFacts, PolicyOnTag, ResolutionInput, RuleSource, Uncached, resolve,
};
use lakeward_governance::selector::Selector;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_policy_language::{Rule, SubjectContext};
use lakeward_read_restrictions::field::{Field, FieldType};

const FILTER: &str = "filter := true if is_group_member(\"auditors\") \
    else := col(\"column_0\") == \"EU\" and not (col(\"column_1\") in [\"draft\", \"void\"]) if is_group_member(\"eu-staff\") \
    else := col(\"column_2\") == session_user() or col(\"column_0\") == null";
const MASKS: [(&str, &str); 2] = [
    (
        "phones",
        "mask := action(\"show-last-4\") if is_group_member(\"auditors\") else := action(\"replace-with-null\")",
    ),
    ("names", "mask := action(\"mask-alphanum\")"),
];

/// Keeps what it parsed.
struct Parsed(HashMap<String, Arc<Rule>>);

impl RuleSource for Parsed {
    fn rule(&self, policy: &StoredPolicy) -> Result<Arc<Rule>, ContentError> {
        self.0
            .get(&policy.name)
            .map_or_else(|| Uncached.rule(policy), |rule| Ok(Arc::clone(rule)))
    }
}

fn object(kind: ObjectKind, name: &str) -> MetadataObject {
    MetadataObject::parse(kind, name).expect("a name")
}

fn policy(id: i64, name: &str, policy_type: PolicyType, expression: &str) -> (String, Arc<StoredPolicy>) {
    let policy = StoredPolicy {
        id,
        name: name.to_owned(),
        policy_type,
        enabled: true,
        revision: 1,
        content: serde_json::json!({ "expression": expression }).to_string().into(),
    };
    (name.to_owned(), Arc::new(policy))
}

/// A table with a tag on its schema for the filter, and on its last columns for the masks, in turns.
fn facts(columns: usize, masks: usize) -> (GovernanceFacts, Vec<Field>) {
    let tagged = |kind, name: &str, tags: &[(&str, Option<&str>)]| TaggedObject {
        object: object(kind, name),
        tags: tags
            .iter()
            .map(|(tag, value)| ((*tag).to_owned(), value.map(str::to_owned)))
            .collect(),
    };
    let id = |column: usize| i32::try_from(column + 1).expect("few columns");
    let of_columns: BTreeMap<i32, TaggedObject> = (columns - masks..columns)
        .zip(MASKS.iter().cycle())
        .map(|(column, (tag, _))| {
            let name = format!("lake.sales.orders.column_{column}");
            (id(column), tagged(ObjectKind::Column, &name, &[(tag, None)]))
        })
        .collect();
    let mut policies: HashMap<String, Arc<StoredPolicy>> = MASKS
        .iter()
        .zip(2..)
        .map(|((name, rule), id)| policy(id, name, PolicyType::ColumnMask, rule))
        .collect();
    policies.extend([policy(1, "access", PolicyType::RowFilter, FILTER)]);
    let associations = policies
        .keys()
        .map(|name| PolicyOnTag {
            tag: name.clone(),
            policy: name.clone(),
            selector: Ok(match name.as_str() {
                "access" => Selector::TagValue("restricted".to_owned()),
                _ => Selector::AllValues,
            }),
        })
        .collect();
    let facts = GovernanceFacts {
        levels: vec![
            tagged(ObjectKind::Table, "lake.sales.orders", &[]),
            tagged(
                ObjectKind::Schema,
                "lake.sales",
                &[("access", Some("restricted"))],
            ),
            tagged(ObjectKind::Catalog, "lake", &[("access", Some("public"))]),
        ],
        columns: of_columns,
        associations,
        policies,
    };
    let fields = (0..columns)
        .map(|column| Field {
            id: id(column),
            name: format!("column_{column}"),
            field_type: FieldType::String,
            required: false,
        })
        .collect();
    (facts, fields)
}

fn parsed(facts: &GovernanceFacts) -> Parsed {
    let rules = facts.policies.values().map(|policy| {
        let rule = Uncached.rule(policy).expect("a rule");
        (policy.name.clone(), rule)
    });
    Parsed(rules.collect())
}

fn run(criterion: &mut Criterion) {
    let groups = ["auditors", "eu-staff"].map(str::to_owned);
    let subject = SubjectContext {
        user: Some("ann".to_owned()),
        groups: Some(Arc::new(BTreeSet::from(groups.clone()))),
        member_of: Some(BTreeSet::from([groups[1].clone()])),
    };
    let resolved = |facts: &GovernanceFacts, fields: &[Field], rules: &dyn Fn(&StoredPolicy) -> Arc<Rule>| {
        let input = ResolutionInput {
            subject: &subject,
            fields,
            facts: Some(facts),
        };
        resolve(input, &Given(rules)).expect("restrictions")
    };
    let (typical, fields) = facts(30, 2);
    let rules = parsed(&typical);
    let cold = |policy: &StoredPolicy| Uncached.rule(policy).expect("a rule");
    let cached = |policy: &StoredPolicy| rules.rule(policy).expect("a rule");
    assert_eq!(
        resolved(&typical, &fields, &cold)
            .restrictions
            .projections()
            .len(),
        2
    );
    let mut group = criterion.benchmark_group("resolution of a filter and two masks");
    group.bench_function("cold", |bencher| {
        bencher.iter(|| black_box(resolved(black_box(&typical), &fields, &cold)));
    });
    group.bench_function("cached", |bencher| {
        bencher.iter(|| black_box(resolved(black_box(&typical), &fields, &cached)));
    });
    group.finish();
    let mut group = criterion.benchmark_group("resolution, rules cached");
    for (columns, masks) in [(10, 1), (100, 1), (1_000, 1), (100, 100), (1_000, 100)] {
        let (facts, fields) = facts(columns, masks);
        let name = BenchmarkId::from_parameter(format!("{columns} columns, {masks} masks"));
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(resolved(black_box(&facts), &fields, &cached)));
        });
    }
    group.finish();
}

/// Rules from a function.
struct Given<'a>(&'a dyn Fn(&StoredPolicy) -> Arc<Rule>);

impl RuleSource for Given<'_> {
    fn rule(&self, policy: &StoredPolicy) -> Result<Arc<Rule>, ContentError> {
        Ok((self.0)(policy))
    }
}

criterion_group!(benches, run);
criterion_main!(benches);
