// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Effective tags: per tag the nearest assignment wins, with its whole value set (section 12, step 1).

use std::collections::{BTreeMap, BTreeSet};

use lakeward_metadata::object::MetadataObject;

/// One object and the tags that are assigned to it directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedObject {
    /// The object.
    pub object: MetadataObject,
    /// Its rows of (tag, value); several rows of one tag are one value set, a row without value is the empty set.
    pub tags: Vec<(String, Option<String>)>,
}

/// A tag as it applies to an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveTag<'facts> {
    /// The tag's name.
    pub tag: &'facts str,
    /// The values of the nearest assignment; levels never merge.
    pub values: BTreeSet<&'facts str>,
    /// Where that assignment is.
    pub assigned_on: &'facts MetadataObject,
}

/// Effective tags by name.
pub type EffectiveTags<'facts> = BTreeMap<&'facts str, EffectiveTag<'facts>>;

/// The effective tags of the first object; `nearest_first` goes on with its ancestors upwards.
pub fn effective_tags<'facts>(
    nearest_first: impl IntoIterator<Item = &'facts TaggedObject>,
) -> EffectiveTags<'facts> {
    let mut effective = EffectiveTags::new();
    for level in nearest_first {
        for (tag, own) in own_tags(level) {
            effective.entry(tag).or_insert(own);
        }
    }
    effective
}

/// The effective tags of an object whose parent has the effective tags `inherited`.
pub fn with_own<'facts>(
    own: &'facts TaggedObject,
    inherited: &EffectiveTags<'facts>,
) -> EffectiveTags<'facts> {
    let mut effective = inherited.clone();
    effective.extend(own_tags(own));
    effective
}

/// The direct assignments of one object, value rows of one tag put together.
fn own_tags(level: &TaggedObject) -> EffectiveTags<'_> {
    let mut own = EffectiveTags::new();
    for (tag, value) in &level.tags {
        own.entry(tag)
            .or_insert_with(|| EffectiveTag {
                tag,
                values: BTreeSet::new(),
                assigned_on: &level.object,
            })
            .values
            .extend(value.as_deref());
    }
    own
}

#[cfg(test)]
mod tests {
    use lakeward_metadata::kind::ObjectKind;
    use lakeward_metadata::object::MetadataObject;

    use super::{TaggedObject, effective_tags, with_own};

    fn level(kind: ObjectKind, name: &str, tags: &[(&str, Option<&str>)]) -> TaggedObject {
        TaggedObject {
            object: MetadataObject::parse(kind, name).unwrap(),
            tags: tags
                .iter()
                .map(|(tag, value)| ((*tag).to_owned(), value.map(str::to_owned)))
                .collect(),
        }
    }

    #[test]
    fn the_nearest_assignment_wins_with_its_whole_value_set() {
        let table = level(
            ObjectKind::Table,
            "c.s.t",
            &[
                ("access", Some("gold")),
                ("access", Some("silver")),
                ("plain", None),
            ],
        );
        let schema = level(
            ObjectKind::Schema,
            "c.s",
            &[
                ("access", Some("restricted")),
                ("plain", Some("x")),
                ("pii", None),
            ],
        );
        let effective = effective_tags([&table, &schema]);
        let values = |tag: &str| effective[tag].values.iter().copied().collect::<Vec<_>>();
        assert_eq!(values("access"), ["gold", "silver"]);
        assert!(
            values("plain").is_empty(),
            "a valueless assignment hides the ancestor's values"
        );
        assert_eq!(effective["pii"].assigned_on.full_name(), "c.s");
        let column = level(ObjectKind::Column, "c.s.t.a", &[("access", None)]);
        let of_column = with_own(&column, &effective);
        assert!(of_column["access"].values.is_empty());
        assert_eq!(of_column.len(), 3);
    }
}
