// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Views: a query in one or several dialects, with the columns that it answers.

use crate::Properties;
use crate::audit::Audit;
use crate::name::Name;
use crate::table::Column;

/// The query of a view in one dialect of SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewRepresentation {
    /// The dialect, for instance `spark`; a view has each at most once, whatever the case.
    pub dialect: String,
    /// The text.
    pub sql: String,
}

/// What a view is, without name, settings and history; what replacing a view replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewBody {
    /// What people should know of it.
    pub comment: Option<String>,
    /// The columns that the query answers, in order.
    pub columns: Vec<Column>,
    /// The query, in at least one dialect.
    pub representations: Vec<ViewRepresentation>,
    /// The catalog of names without one; that of the view where absent.
    pub default_catalog: Option<String>,
    /// The schema of names without one; that of the view where absent. Nested levels are joined by the separator.
    pub default_schema: Option<String>,
}

/// A view that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewView {
    /// Its name in its schema.
    pub name: Name,
    /// What it is.
    pub body: ViewBody,
    /// Settings.
    pub properties: Properties,
}

/// A view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Its name in its schema.
    pub name: String,
    /// What it is.
    pub body: ViewBody,
    /// Settings.
    pub properties: Properties,
    /// Who made and changed it, and when.
    pub audit: Audit,
}

/// One change of a view; a request carries several, applied in order, all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewChange {
    /// Gives it another name in its schema. It cannot leave it.
    Rename(Name),
    /// Sets one property.
    SetProperty {
        /// The key.
        property: String,
        /// The value.
        value: String,
    },
    /// Removes one property; a missing one is no error.
    RemoveProperty(String),
    /// Makes it another view under the same name, with the same properties.
    Replace(ViewBody),
}

/// Why a body makes no view.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// There is no query.
    #[error("a view has at least one representation")]
    NoRepresentation,
    /// Two queries of one dialect.
    #[error("there are two representations of the dialect `{0}`")]
    DuplicateDialect(String),
    /// Two columns share a name.
    #[error("there are two columns named `{0}`")]
    DuplicateColumn(String),
}

impl ViewBody {
    /// Checks what holds for views of every provider.
    ///
    /// # Errors
    /// [`ViewError`] with the first thing found wrong.
    pub fn check(&self) -> Result<(), ViewError> {
        if self.representations.is_empty() {
            return Err(ViewError::NoRepresentation);
        }
        let dialects = self.representations.iter().map(|one| one.dialect.to_lowercase());
        if let Some(twice) = first_twice(dialects) {
            return Err(ViewError::DuplicateDialect(twice));
        }
        let columns = self.columns.iter().map(|column| column.name.clone());
        match first_twice(columns) {
            Some(twice) => Err(ViewError::DuplicateColumn(twice)),
            None => Ok(()),
        }
    }
}

fn first_twice(names: impl Iterator<Item = String>) -> Option<String> {
    let mut seen = std::collections::BTreeSet::new();
    names.into_iter().find(|name| !seen.insert(name.clone()))
}

#[cfg(test)]
mod tests {
    use super::{ViewBody, ViewError, ViewRepresentation};

    fn body(dialects: &[&str]) -> ViewBody {
        ViewBody {
            comment: None,
            columns: Vec::new(),
            representations: dialects
                .iter()
                .map(|dialect| ViewRepresentation {
                    dialect: (*dialect).to_owned(),
                    sql: "select 1".to_owned(),
                })
                .collect(),
            default_catalog: None,
            default_schema: None,
        }
    }

    #[test]
    fn a_view_has_each_dialect_once_whatever_the_case() {
        assert_eq!(body(&["spark", "trino"]).check(), Ok(()));
        assert_eq!(body(&[]).check(), Err(ViewError::NoRepresentation));
        assert_eq!(
            body(&["spark", "trino", "Spark"]).check(),
            Err(ViewError::DuplicateDialect("spark".to_owned()))
        );
    }
}
