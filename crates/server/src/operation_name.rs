// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Operations by name, for explanations: the names are those of the OpenAPI document (`operationId`), of refusals and of
//! the audit log, so that whoever was refused has the name at hand.

use std::collections::BTreeSet;

use lakeward_authorization::Requirement;
use lakeward_metadata::kind::ObjectKind;
use lakeward_operations::OperationError;

use crate::http::routes::{Mounted, Routes, Tree};

/// The name of an operation in the OpenAPI document: `LoadTable`; operations of different trees may share one, so those of
/// the Iceberg protocol are `icebergLoadTable`.
pub fn operation_name(mounted: &Mounted) -> String {
    let prefix = match mounted.tree {
        Tree::Native | Tree::Scim => "",
        Tree::Beside => "beside",
        Tree::Oauth => "oauth",
        Tree::Iceberg => "iceberg",
    };
    format!("{prefix}{}", mounted.operation)
}

/// On what an operation acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ActsOn {
    /// The server itself.
    Server,
    /// An object of this kind.
    Kind(ObjectKind),
    /// Whatever object the request names.
    Any,
}

/// What an operation of this name (in any case) requires of who does it to an object of `kind`; `None` stands for loading
/// the object.
///
/// # Errors
/// [`OperationError::Invalid`] for a name that is none, and for an operation that acts on something else.
pub(crate) fn requirement(
    routes: &Routes,
    name: Option<&str>,
    kind: ObjectKind,
    has_instruments: bool,
) -> Result<(String, Requirement), OperationError> {
    let Some(name) = name else {
        return Ok(("load".to_owned(), *Requirement::load(kind)));
    };
    let named = routes
        .mounted()
        .iter()
        .find(|mounted| operation_name(mounted).eq_ignore_ascii_case(name));
    let Some(mounted) = named else {
        return Err(OperationError::invalid(format!(
            "`{name}` is not an operation; on a {} there are {}",
            words(kind),
            acting_on(routes, kind).into_iter().collect::<Vec<_>>().join(", ")
        )));
    };
    match acts_on(mounted) {
        ActsOn::Server => Err(OperationError::invalid(format!(
            "`{name}` concerns the server and no object, so that no grant decides about it"
        ))),
        ActsOn::Kind(other) if other != kind => Err(OperationError::invalid(format!(
            "`{name}` acts on a {}, and the request names a {}",
            words(other),
            words(kind)
        ))),
        ActsOn::Kind(_) | ActsOn::Any => {
            if mounted.requires.uses_instruments() && !has_instruments {
                return Err(OperationError::invalid(format!(
                    "`{name}` uses tags, policies or a job template; name them in `instruments`"
                )));
            }
            Ok((operation_name(mounted), mounted.requires))
        }
    }
}

/// The names of the operations that act on an object of `kind`.
fn acting_on(routes: &Routes, kind: ObjectKind) -> BTreeSet<String> {
    routes
        .mounted()
        .iter()
        .filter(|mounted| match acts_on(mounted) {
            ActsOn::Kind(other) => other == kind,
            ActsOn::Any => true,
            ActsOn::Server => false,
        })
        .map(operation_name)
        .collect()
}

/// What the path names last.
fn acts_on(mounted: &Mounted) -> ActsOn {
    if mounted.requires.uses_instruments() || mounted.path.contains("{type}") {
        return ActsOn::Any;
    }
    let mut found = ActsOn::Server;
    let mut before = "";
    for segment in mounted.path.split('/') {
        let parameter = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let kind = match parameter {
            Some("fullName") => before.parse().ok(),
            Some("prefix") => Some(ObjectKind::Catalog),
            Some("namespace") => Some(ObjectKind::Schema),
            Some("jobTemplate" | "template") => Some(ObjectKind::JobTemplate),
            Some(parameter) => parameter.parse().ok(),
            None => None,
        };
        if let Some(kind) = kind {
            found = ActsOn::Kind(kind);
        }
        before = segment;
    }
    found
}

fn words(kind: ObjectKind) -> String {
    kind.lower_case().replace('_', " ")
}

#[cfg(test)]
mod tests {
    use lakeward_authorization::Requirement;
    use lakeward_metadata::kind::ObjectKind::{Catalog, Metalake, Schema, Table};

    use super::requirement;
    use crate::listing::all_routes;

    #[test]
    fn a_name_means_the_requirement_of_its_route() {
        let routes = all_routes();
        for (name, kind) in [
            ("loadTable", Table),
            ("LOADTABLE", Table),
            ("icebergLoadTable", Table),
            ("DropSchema", Schema),
            ("createTable", Schema),
            ("createCatalog", Metalake),
            ("listSchemas", Catalog),
            ("SetOwner", Table),
            ("SetOwner", Catalog),
        ] {
            let (found, requires) = requirement(&routes, Some(name), kind, false).unwrap();
            assert!(found.eq_ignore_ascii_case(name), "{found}");
            let mounted = routes
                .mounted()
                .iter()
                .find(|mounted| super::operation_name(mounted) == found)
                .unwrap();
            assert_eq!(requires, mounted.requires);
        }
        let load = requirement(&routes, None, Table, false).unwrap();
        assert_eq!(load, ("load".to_owned(), *Requirement::load(Table)));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_the_reason() {
        let routes = all_routes();
        for (name, kind, reason) in [
            ("fly", Table, "there are"),
            ("loadTable", Catalog, "acts on a table"),
            ("listMetalakes", Metalake, "concerns the server"),
        ] {
            let refused = requirement(&routes, Some(name), kind, false).unwrap_err();
            assert!(refused.to_string().contains(reason), "{refused}");
        }
    }

    #[test]
    fn every_operation_that_grants_decide_about_has_a_name_of_its_own() {
        let routes = all_routes();
        let mut seen = std::collections::BTreeSet::new();
        for mounted in routes.mounted() {
            let name = super::operation_name(mounted);
            assert!(seen.insert(name.to_ascii_lowercase()), "{name} is there twice");
        }
    }
}
