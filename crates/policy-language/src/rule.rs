// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A checked rule: what is kept per policy revision.

use std::collections::BTreeSet;

use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::predicate::Predicate;

use crate::ast::RuleHead;
use crate::binding::{self, Bound};
use crate::context::{Reads, SubjectContext};
use crate::error::{Located, PolicyError, StageError};
use crate::lexer;
use crate::parser;
use crate::source::Source;
use crate::typing::{self, SourceLiteral, SourceValue, Test, TypedRule};

/// A program that parsed, is well-typed and within all limits. Immutable; parse once, bind often.
#[derive(Debug)]
pub struct Rule {
    source: Box<str>,
    typed: TypedRule,
    reads: Reads,
}

/// Checks a program at save time; `head` is the rule head that the policy type asks for.
///
/// # Errors
/// [`PolicyError`] of category `syntax`, `limit`, `static` or `action`.
pub fn check(head: RuleHead, source: &str) -> Result<Rule, PolicyError> {
    let text = Source::new(source).map_err(placed(source))?;
    let tokens = lexer::tokens(text).map_err(placed(source))?;
    let parsed = parser::parse(tokens).map_err(placed(source))?;
    let typed = typing::check(&parsed, head).map_err(placed(source))?;
    Ok(Rule {
        source: source.into(),
        reads: reads(&typed),
        typed,
    })
}

fn placed<E: StageError>(source: &str) -> impl Fn(Located<E>) -> PolicyError {
    move |located| PolicyError::new(source, &located)
}

impl Rule {
    /// The authored text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Which kind of rule this is.
    pub fn head(&self) -> RuleHead {
        match self.typed {
            TypedRule::Filter(_) => RuleHead::Filter,
            TypedRule::Mask(_) => RuleHead::Mask,
        }
    }

    /// The context functions that the rule reads, so that results can be kept per value of them.
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    /// The names of the columns that the rule reads, in any branch. A mask rule reads none.
    pub fn columns(&self) -> BTreeSet<&str> {
        let mut columns = BTreeSet::new();
        self.each_test(|test| collect_columns(test, &mut columns));
        columns
    }

    /// The names of users for whom the rule may give another result than for users whom it does not mention: the texts
    /// that `session_user()` or a column is compared with (a comparison of a column with `session_user()` may then
    /// coincide with one). Two users outside this set get results that differ in their own names only.
    pub fn mentioned_users(&self) -> BTreeSet<&str> {
        let mut users = BTreeSet::new();
        self.each_test(|test| collect_texts(test, &mut users));
        users
    }

    /// Whether the rule keeps every row for everybody, by what is written: all its results are `true`, folded but not
    /// bound. A mask always hides something.
    pub fn restricts_nobody(&self) -> bool {
        match &self.typed {
            TypedRule::Filter(chain) => chain
                .branches
                .iter()
                .map(|(_, result)| result)
                .chain([&chain.fallback])
                .all(|result| constant(result) == Some(true)),
            TypedRule::Mask(_) => false,
        }
    }

    fn each_test<'rule>(&'rule self, mut visit: impl FnMut(&'rule Test)) {
        match &self.typed {
            TypedRule::Filter(chain) => {
                for (condition, result) in &chain.branches {
                    visit(condition);
                    visit(result);
                }
                visit(&chain.fallback);
            }
            TypedRule::Mask(chain) => chain.branches.iter().for_each(|(condition, _)| visit(condition)),
        }
    }

    /// How many branches the rule has, the fallback included; as many as [`Bound::branches`] has entries.
    pub fn branch_count(&self) -> usize {
        match &self.typed {
            TypedRule::Filter(chain) => chain.branches.len() + 1,
            TypedRule::Mask(chain) => chain.branches.len() + 1,
        }
    }

    /// The canonical predicate for one subject and one table schema (its top-level fields).
    ///
    /// # Errors
    /// [`PolicyError`] of category `context`, `schema`, `literal` or `limit`; `static` for a mask rule.
    pub fn bind_filter(
        &self,
        subject: &SubjectContext,
        fields: &[Field],
    ) -> Result<Bound<Predicate>, PolicyError> {
        binding::bind_filter(&self.typed, subject, fields).map_err(placed(&self.source))
    }

    /// The action for one subject, whether or not it applies to any field.
    ///
    /// # Errors
    /// [`PolicyError`] of category `context`; `static` for a filter rule.
    pub fn bind_action(&self, subject: &SubjectContext) -> Result<Bound<MaskAction>, PolicyError> {
        binding::bind_action(&self.typed, subject, &[]).map_err(placed(&self.source))
    }

    /// The action for one subject and the top-level field with `field_id`.
    ///
    /// # Errors
    /// [`PolicyError`] of category `context`, `schema` or `action`; `static` for a filter rule.
    pub fn bind_mask(
        &self,
        subject: &SubjectContext,
        fields: &[Field],
        field_id: i32,
    ) -> Result<Bound<MaskAction>, PolicyError> {
        binding::bind_mask(&self.typed, subject, fields, field_id).map_err(placed(&self.source))
    }
}

fn reads(typed: &TypedRule) -> Reads {
    let mut reads = Reads::default();
    match typed {
        TypedRule::Filter(chain) => {
            for (condition, result) in &chain.branches {
                collect(condition, &mut reads);
                collect(result, &mut reads);
            }
            collect(&chain.fallback, &mut reads);
        }
        TypedRule::Mask(chain) => {
            for (condition, _) in &chain.branches {
                collect(condition, &mut reads);
            }
        }
    }
    reads
}

fn collect(test: &Test, reads: &mut Reads) {
    match test {
        Test::Member { group, .. } => {
            reads.groups.insert(group.clone());
        }
        Test::UserEquals { .. } | Test::UserIn(_) | Test::ColumnUser { .. } => reads.session_user = true,
        Test::Constant(_) | Test::ColumnNull { .. } | Test::ColumnCompare { .. } | Test::ColumnIn { .. } => {}
        Test::Not(child) => collect(child, reads),
        Test::And(children) | Test::Or(children) => children.iter().for_each(|child| collect(child, reads)),
    }
}

/// What a test is for every row and subject, where that follows from its literals alone.
fn constant(test: &Test) -> Option<bool> {
    let of_all = |children: &[Test], decisive: bool| {
        let known: Vec<Option<bool>> = children.iter().map(constant).collect();
        if known.contains(&Some(decisive)) {
            return Some(decisive);
        }
        known.iter().all(Option::is_some).then_some(!decisive)
    };
    match test {
        Test::Constant(value) => Some(*value),
        Test::Not(child) => constant(child).map(|value| !value),
        Test::And(children) => of_all(children, false),
        Test::Or(children) => of_all(children, true),
        Test::Member { .. }
        | Test::UserEquals { .. }
        | Test::UserIn(_)
        | Test::ColumnNull { .. }
        | Test::ColumnUser { .. }
        | Test::ColumnCompare { .. }
        | Test::ColumnIn { .. } => None,
    }
}

fn collect_columns<'rule>(test: &'rule Test, columns: &mut BTreeSet<&'rule str>) {
    match test {
        Test::ColumnNull { column, .. }
        | Test::ColumnUser { column, .. }
        | Test::ColumnCompare { column, .. }
        | Test::ColumnIn { column, .. } => {
            columns.insert(&column.name);
        }
        Test::Constant(_) | Test::Member { .. } | Test::UserEquals { .. } | Test::UserIn(_) => {}
        Test::Not(child) => collect_columns(child, columns),
        Test::And(children) | Test::Or(children) => {
            children.iter().for_each(|child| collect_columns(child, columns));
        }
    }
}

fn collect_texts<'rule>(test: &'rule Test, texts: &mut BTreeSet<&'rule str>) {
    let mut literal = |literal: &'rule SourceLiteral| {
        if let SourceValue::Text(text) = &literal.value {
            texts.insert(text);
        }
    };
    match test {
        Test::ColumnCompare { literal: value, .. } => literal(value),
        Test::ColumnIn { values, .. } => values.iter().for_each(literal),
        Test::UserEquals { text, .. } => {
            texts.insert(text);
        }
        Test::UserIn(users) => texts.extend(users.iter().map(String::as_str)),
        Test::Constant(_) | Test::Member { .. } | Test::ColumnNull { .. } | Test::ColumnUser { .. } => {}
        Test::Not(child) => collect_texts(child, texts),
        Test::And(children) | Test::Or(children) => {
            children.iter().for_each(|child| collect_texts(child, texts));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::ast::RuleHead;

    #[test]
    fn who_is_restricted_is_read_from_the_literals() {
        for (source, nobody) in [
            ("filter := true", true),
            ("filter := not false", true),
            ("filter := true if is_group_member(\"g\") else := true", true),
            ("filter := col(\"a\") == 1 or true", true),
            ("filter := not (col(\"a\") == 1 and false)", true),
            ("filter := false", false),
            ("filter := col(\"a\") == 1 and true", false),
            ("filter := true if is_group_member(\"g\") else := false", false),
            ("filter := is_group_member(\"g\")", false),
        ] {
            let rule = check(RuleHead::Filter, source).unwrap();
            assert_eq!(rule.restricts_nobody(), nobody, "{source}");
        }
        let mask = check(RuleHead::Mask, "mask := action(\"show-last-4\")").unwrap();
        assert!(!mask.restricts_nobody());
    }
}
