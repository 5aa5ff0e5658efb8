// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Names of tables in queries.

use std::fmt;

use datafusion::sql::TableReference;

use crate::error::ReaderError;

/// A table: catalog, namespace levels, name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableName {
    /// The catalog.
    pub catalog: String,
    /// The namespace, outermost level first; never empty.
    pub namespace: Vec<String>,
    /// The table.
    pub table: String,
}

impl TableName {
    /// The name that a query means. Missing parts come from the session's defaults; a quoted schema with dots, such
    /// as `"a.b"`, is a nested namespace.
    ///
    /// # Errors
    /// [`ReaderError::Statement`] when a part is missing, or for a metadata table such as `"t$files"`: it would show
    /// bounds, counts and partition values that filters and masks hide.
    pub fn resolve(
        reference: &TableReference,
        default_catalog: Option<&str>,
        default_schema: Option<&str>,
    ) -> Result<Self, ReaderError> {
        let missing = |what: &str| {
            ReaderError::Statement(format!(
                "`{reference}` does not say its {what}; write `catalog.schema.table`"
            ))
        };
        let table = reference.table();
        if let Some((base, metadata)) = table.split_once(['$', '@']) {
            return Err(ReaderError::Statement(format!(
                "`{base}` has no metadata table or branch `{metadata}` here: metadata tables show values that row filters and masks hide"
            )));
        }
        let schema = reference
            .schema()
            .or(default_schema)
            .ok_or_else(|| missing("schema"))?;
        let catalog = reference
            .catalog()
            .or(default_catalog)
            .ok_or_else(|| missing("catalog"))?;
        let namespace: Vec<String> = schema.split('.').map(str::to_owned).collect();
        if namespace.iter().any(String::is_empty) {
            return Err(missing("schema"));
        }
        Ok(Self {
            catalog: catalog.to_owned(),
            namespace,
            table: table.to_owned(),
        })
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.catalog, self.namespace.join("."), self.table)
    }
}
