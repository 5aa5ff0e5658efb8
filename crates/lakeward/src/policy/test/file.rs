// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The form of a test file.

use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use crate::policy::tree::OnTag;

/// The tests of one table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TestFile {
    /// The table's full name.
    pub(super) table: Spanned<String>,
    /// What the file is about; for people.
    #[serde(default)]
    #[expect(dead_code, reason = "it is a comment that tools keep")]
    about: Option<String>,
    /// Names and types, in order.
    pub(super) columns: IndexMap<String, Spanned<Value>>,
    /// The groups of the metalake, beside those that the cases name.
    #[serde(default)]
    pub(super) groups: Vec<String>,
    pub(super) policies: Vec<Spanned<PolicyUse>>,
    /// Objects by full name, each with its tags.
    #[serde(default)]
    pub(super) tags: IndexMap<String, Spanned<Value>>,
    /// Files of tags, of whose assignments those on this table and above it count.
    #[serde(default)]
    pub(super) tag_files: Vec<Spanned<String>>,
    pub(super) rows: Vec<Spanned<Map<String, Value>>>,
    pub(super) cases: Vec<Spanned<Case>>,
}

/// A policy: the path of its file, or what it is.
#[derive(Debug, Clone)]
pub(super) enum PolicyUse {
    File(String),
    Stated(Box<StatedPolicy>),
}

/// A policy in a test file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StatedPolicy {
    /// Its name.
    #[serde(default)]
    pub(super) policy: Option<String>,
    /// A file that says what it is.
    #[serde(default)]
    pub(super) file: Option<String>,
    /// Its type; without it the first word of the expression decides.
    #[serde(default, rename = "type")]
    pub(super) policy_type: Option<String>,
    #[serde(default)]
    pub(super) expression: Option<String>,
    /// The tags that it is on.
    #[serde(default, rename = "tags")]
    pub(super) on: Vec<OnTag>,
    /// `table`, or columns that it applies to without a tag.
    #[serde(default, rename = "for")]
    pub(super) applies_to: Names,
    /// Whether it takes effect.
    #[serde(default = "yes")]
    pub(super) enabled: bool,
}

fn yes() -> bool {
    true
}

/// One user and what is expected.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) name: String,
    /// Who asks; null for nobody.
    #[serde(deserialize_with = "Option::deserialize")]
    pub(super) user: Option<String>,
    #[serde(default)]
    pub(super) groups: Groups,
    /// Tags of objects for this case alone, instead of those of the file.
    #[serde(default)]
    pub(super) tags: IndexMap<String, Spanned<Value>>,
    /// Salt of `sha-256-query-local`, hexadecimal.
    #[serde(default)]
    pub(super) salt: Option<Spanned<String>>,
    /// The columns to compare; all without it.
    #[serde(default)]
    pub(super) columns: Option<Spanned<Vec<String>>>,
    /// The rows that are seen.
    #[serde(default)]
    pub(super) rows: Option<ExpectedRows>,
    /// The code of the error that refuses the load.
    #[serde(default)]
    pub(super) error: Option<Spanned<String>>,
}

/// The rows that a user sees.
#[derive(Debug, Clone)]
pub(super) enum ExpectedRows {
    /// Every row, every value.
    All,
    These(Vec<Spanned<Map<String, Value>>>),
}

/// The groups of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Groups {
    /// Nobody could look them up.
    Unknown,
    Known(Vec<String>),
}

impl Default for Groups {
    fn default() -> Self {
        Self::Known(Vec::new())
    }
}

/// One name or several.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Names(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for PolicyUse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrMembers;

        impl<'de> Visitor<'de> for TextOrMembers {
            type Value = PolicyUse;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the path of a policy's file, or a policy")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<PolicyUse, E> {
                Ok(PolicyUse::File(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<PolicyUse, A::Error> {
                StatedPolicy::deserialize(MapAccessDeserializer::new(members))
                    .map(Box::new)
                    .map(PolicyUse::Stated)
            }
        }

        deserializer.deserialize_any(TextOrMembers)
    }
}

impl<'de> Deserialize<'de> for ExpectedRows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AllOrRows;

        impl<'de> Visitor<'de> for AllOrRows {
            type Value = ExpectedRows;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of rows, or `all`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ExpectedRows, E> {
                match text {
                    "all" => Ok(ExpectedRows::All),
                    other => Err(E::invalid_value(de::Unexpected::Str(other), &self)),
                }
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<ExpectedRows, A::Error> {
                let mut rows = Vec::new();
                while let Some(row) = list.next_element()? {
                    rows.push(row);
                }
                Ok(ExpectedRows::These(rows))
            }
        }

        deserializer.deserialize_any(AllOrRows)
    }
}

impl<'de> Deserialize<'de> for Groups {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct UnknownOrNames;

        impl<'de> Visitor<'de> for UnknownOrNames {
            type Value = Groups;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of groups, or `unknown`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Groups, E> {
                match text {
                    "unknown" => Ok(Groups::Unknown),
                    other => Err(E::invalid_value(de::Unexpected::Str(other), &self)),
                }
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Groups, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    names.push(name);
                }
                Ok(Groups::Known(names))
            }
        }

        deserializer.deserialize_any(UnknownOrNames)
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMore;

        impl<'de> Visitor<'de> for OneOrMore {
            type Value = Names;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a name or a list of names")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Names, E> {
                Ok(Names(vec![text.to_owned()]))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Names, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }

        deserializer.deserialize_any(OneOrMore)
    }
}
