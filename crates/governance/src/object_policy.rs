// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The policies of an object, each with how it came: directly, from an ancestor, or through a tag.
//!
//! This is a listing for people. Resolution of restrictions reads tags alone ([`crate::resolve`]).

use lakeward_metadata::object::MetadataObject;

use crate::effective_tag::EffectiveTags;
use crate::policy::PolicyType;
use crate::resolve::PolicyOnTag;
use crate::selector::Selector;

/// One object and the policies that are associated with it directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicedObject {
    /// The object.
    pub object: MetadataObject,
    /// Names of policies, in the order of association.
    pub policies: Vec<String>,
}

/// How a policy came to an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Associated with the object itself.
    Direct,
    /// Associated with an ancestor.
    Inherited {
        /// The nearest such ancestor.
        from: MetadataObject,
    },
    /// Selected by an effective tag.
    Tag {
        /// The tag.
        tag: String,
        /// Where its nearest assignment is.
        assigned_on: MetadataObject,
        /// The condition that the assignment fulfils.
        selector: Selector,
    },
}

/// A policy of an object with all the ways it came, the nearest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPolicy {
    /// The policy's name.
    pub policy: String,
    /// At least one.
    pub origins: Vec<Origin>,
}

impl ObjectPolicy {
    /// Whether nothing associates the policy with the object itself: every association, and every assignment of a
    /// selecting tag, is on an ancestor.
    pub fn is_inherited(&self, object: &MetadataObject) -> bool {
        self.origins.iter().all(|origin| match origin {
            Origin::Direct => false,
            Origin::Inherited { .. } => true,
            Origin::Tag { assigned_on, .. } => assigned_on != object,
        })
    }
}

/// Whether a policy of this type may be associated with an object directly.
///
/// # Errors
/// [`RestrictionOnObject`] for restriction policies.
pub fn check_direct_association(policy: &str, policy_type: PolicyType) -> Result<(), RestrictionOnObject> {
    if policy_type.is_restriction() {
        return Err(RestrictionOnObject {
            policy: policy.to_owned(),
            policy_type,
        });
    }
    Ok(())
}

/// A restriction policy was to be associated with an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "policy `{policy}` is a {policy_type} policy, which tags select; associate it with a tag (PUT …/tags/{{tag}}/policies/{policy}) and assign the tag to the object"
)]
pub struct RestrictionOnObject {
    /// The policy.
    pub policy: String,
    /// Its type.
    pub policy_type: PolicyType,
}

/// The policies of the first object of `nearest_first`, which goes on with its ancestors: direct ones, inherited
/// ones, then those that its effective tags select. An association with a selector that is not understood is left
/// out here; a resolution that meets it fails.
pub fn object_policies(
    nearest_first: &[PolicedObject],
    effective: &EffectiveTags<'_>,
    associations: &[PolicyOnTag],
) -> Vec<ObjectPolicy> {
    let mut listing: Vec<ObjectPolicy> = Vec::new();
    let mut add = |policy: &str, origin: Origin| {
        if let Some(known) = listing.iter_mut().find(|known| known.policy == policy) {
            let repeats_ancestor = matches!(origin, Origin::Inherited { .. })
                && known
                    .origins
                    .iter()
                    .any(|origin| !matches!(origin, Origin::Tag { .. }));
            if !repeats_ancestor {
                known.origins.push(origin);
            }
            return;
        }
        listing.push(ObjectPolicy {
            policy: policy.to_owned(),
            origins: vec![origin],
        });
    };
    for (distance, level) in nearest_first.iter().enumerate() {
        for policy in &level.policies {
            add(
                policy,
                if distance == 0 {
                    Origin::Direct
                } else {
                    Origin::Inherited {
                        from: level.object.clone(),
                    }
                },
            );
        }
    }
    for association in associations {
        let (Some(tag), Ok(selector)) = (effective.get(association.tag.as_str()), &association.selector)
        else {
            continue;
        };
        if selector.matches(&tag.values) {
            add(
                &association.policy,
                Origin::Tag {
                    tag: tag.tag.to_owned(),
                    assigned_on: tag.assigned_on.clone(),
                    selector: selector.clone(),
                },
            );
        }
    }
    listing
}

#[cfg(test)]
mod tests {
    use lakeward_metadata::kind::ObjectKind;
    use lakeward_metadata::object::MetadataObject;

    use super::{Origin, PolicedObject, check_direct_association, object_policies};
    use crate::effective_tag::{TaggedObject, effective_tags};
    use crate::policy::PolicyType;
    use crate::resolve::PolicyOnTag;
    use crate::selector::Selector;

    #[test]
    fn each_policy_says_how_it_came() {
        let table = MetadataObject::parse(ObjectKind::Table, "c.s.t").unwrap();
        let catalog = MetadataObject::parse(ObjectKind::Catalog, "c").unwrap();
        let policed = |object: &MetadataObject, policies: &[&str]| PolicedObject {
            object: object.clone(),
            policies: policies.iter().map(|policy| (*policy).to_owned()).collect(),
        };
        let tagged = TaggedObject {
            object: table.clone(),
            tags: vec![("pii".to_owned(), Some("high".to_owned()))],
        };
        let on_tag = |policy: &str, value: &str| PolicyOnTag {
            tag: "pii".to_owned(),
            policy: policy.to_owned(),
            selector: Ok(Selector::TagValue(value.to_owned())),
        };
        let listing = object_policies(
            &[
                policed(&table, &["own", "both"]),
                policed(&catalog, &["both", "above"]),
            ],
            &effective_tags([&tagged]),
            &[
                on_tag("above", "high"),
                on_tag("tagged", "high"),
                on_tag("unmatched", "low"),
            ],
        );
        let names: Vec<_> = listing.iter().map(|policy| policy.policy.as_str()).collect();
        assert_eq!(names, ["own", "both", "above", "tagged"]);
        assert_eq!(listing[1].origins, [Origin::Direct]);
        assert_eq!(listing[2].origins.len(), 2);
        assert!(
            !listing[2].is_inherited(&table),
            "the selecting tag is on the table itself"
        );
        assert!(!listing[0].is_inherited(&table));
    }

    #[test]
    fn restrictions_come_through_tags_alone() {
        assert!(check_direct_association("p", PolicyType::Custom).is_ok());
        let message = check_direct_association("p", PolicyType::ColumnMask)
            .unwrap_err()
            .to_string();
        assert!(message.contains("tag"), "{message}");
    }
}
