// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Our own loadTable call, and loadView where a name is no table's.
//!
//! The client of iceberg-rust drops members that it does not know, restrictions among them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use iceberg::spec::TableMetadata;
use lakeward_read_restrictions::code::RestrictionCode;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::Mutex;

use crate::connection::Connection;
use crate::error::{ReaderError, ServerAnswer};
use crate::fields::fields_of;
use crate::table_name::TableName;
use crate::unreadable_columns::{check_defaults, readable};
use crate::views::ViewDefinition;

/// A table as the server gave it for one user at one moment. Not to be kept across queries: restrictions are those
/// of the moment.
#[derive(Debug, Clone)]
pub struct LoadedTable {
    /// The metadata; restrictions speak of its current schema.
    pub metadata: TableMetadata,
    /// Where it is stored.
    pub metadata_location: Option<String>,
    /// What must be enforced.
    pub restrictions: ReadRestrictions,
    /// How to reach storage: the server's configuration with vended credentials over it.
    pub storage: BTreeMap<String, String>,
}

/// The type of errors that are about restrictions, not about authorization.
const RESTRICTION_ERROR: &str = "ReadRestrictionException";

/// What a name stands for.
#[derive(Debug, Clone)]
pub(crate) enum Loaded {
    Table(Box<LoadedTable>),
    View(Box<ViewDefinition>),
}

/// The answer. A member that is not here might restrict something, so it is refused, as is one that is repeated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LoadTableAnswer {
    #[serde(default)]
    metadata_location: Option<String>,
    metadata: Box<RawValue>,
    #[serde(default)]
    config: BTreeMap<String, String>,
    #[serde(default)]
    storage_credentials: Vec<StorageCredential>,
    #[serde(default)]
    read_restrictions: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct StorageCredential {
    prefix: String,
    config: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct ConfigAnswer {
    #[serde(default)]
    defaults: HashMap<String, String>,
    #[serde(default)]
    overrides: HashMap<String, String>,
    /// What the server serves; absent from older servers, which may serve anything.
    #[serde(default)]
    endpoints: Option<Vec<String>>,
}

/// The endpoint that loads a view, as a server lists it.
const LOAD_VIEW: &str = "GET /v1/{prefix}/namespaces/{namespace}/views/{view}";

/// How one catalog is asked.
#[derive(Debug, Clone)]
struct Warehouse {
    /// What stands for the catalog in paths.
    prefix: String,
    /// Whether the server may know views.
    views: bool,
}

/// Loads tables over one connection. The prefix of each warehouse is asked for once.
#[derive(Debug, Clone)]
pub struct TableLoader {
    connection: Connection,
    warehouses: Arc<Mutex<HashMap<String, Warehouse>>>,
}

impl TableLoader {
    /// A loader without knowledge yet.
    pub fn new(connection: Connection) -> Self {
        Self {
            connection,
            warehouses: Arc::default(),
        }
    }

    /// The connection that it asks over.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Loads a table with the restrictions of the connection's user.
    ///
    /// # Errors
    /// [`ReaderError`] for every refusal of the server and every answer that is not understood completely.
    pub async fn load(&self, name: &TableName) -> Result<LoadedTable, ReaderError> {
        match self.get(&self.warehouse(name).await?, name, "tables").await? {
            Ok(body) => parse(name, &body),
            Err(answer) => Err(refusal(name, answer)),
        }
    }

    /// Loads a table or, where the server has or shows no table of that name, a view. A refusal is always the table's,
    /// so that nothing can be told of a hidden view.
    pub(crate) async fn load_any(&self, name: &TableName) -> Result<Loaded, ReaderError> {
        let warehouse = self.warehouse(name).await?;
        let refused = match self.get(&warehouse, name, "tables").await? {
            Ok(body) => return Ok(Loaded::Table(Box::new(parse(name, &body)?))),
            Err(answer) => answer,
        };
        let may_be_view = matches!(refused.status, 403 | 404) && refused.kind != RESTRICTION_ERROR;
        if !may_be_view || !warehouse.views {
            return Err(refusal(name, refused));
        }
        match self.get(&warehouse, name, "views").await? {
            Ok(body) => Ok(Loaded::View(Box::new(ViewDefinition::parse(name, &body)?))),
            // The view may be there.
            Err(answer) if matches!(answer.status, 401 | 429 | 500 | 502..=599) => Err(refusal(name, answer)),
            Err(answer) if answer.kind == RESTRICTION_ERROR => Err(refusal(name, answer)),
            Err(_) => Err(refusal(name, refused)),
        }
    }

    async fn get(
        &self,
        warehouse: &Warehouse,
        name: &TableName,
        kind: &str,
    ) -> Result<Result<String, ServerAnswer>, ReaderError> {
        let namespace = name.namespace.join("\u{1f}");
        let mut path = vec!["v1"];
        path.extend(warehouse.prefix.split('/').filter(|segment| !segment.is_empty()));
        path.extend(["namespaces", namespace.as_str(), kind, name.table.as_str()]);
        self.connection.get(&path, &[]).await
    }

    /// How the catalog of a table is asked. Asked for once.
    async fn warehouse(&self, name: &TableName) -> Result<Warehouse, ReaderError> {
        let mut warehouses = self.warehouses.lock().await;
        if let Some(warehouse) = warehouses.get(&name.catalog) {
            return Ok(warehouse.clone());
        }
        let asked = self
            .connection
            .get(&["v1", "config"], &[("warehouse", &name.catalog)])
            .await?;
        let body = asked.map_err(|answer| refusal(name, answer))?;
        let mut answer: ConfigAnswer = serde_json::from_str(&body).map_err(|cause| ReaderError::Answer {
            table: name.to_string(),
            problem: format!("the catalog's configuration: {cause}"),
        })?;
        let prefix = answer
            .overrides
            .remove("prefix")
            .or_else(|| answer.defaults.remove("prefix"))
            .unwrap_or_default();
        let warehouse = Warehouse {
            prefix,
            views: answer
                .endpoints
                .is_none_or(|served| served.iter().any(|endpoint| endpoint == LOAD_VIEW)),
        };
        warehouses.insert(name.catalog.clone(), warehouse.clone());
        Ok(warehouse)
    }
}

/// Reads an answer; everything unknown is refused.
pub(crate) fn parse(name: &TableName, body: &str) -> Result<LoadedTable, ReaderError> {
    let unusable = |problem: String| ReaderError::Answer {
        table: name.to_string(),
        problem,
    };
    let answer: LoadTableAnswer = serde_json::from_str(body).map_err(|cause| unusable(cause.to_string()))?;
    let unsupported = |problem: String| ReaderError::Unsupported {
        table: name.to_string(),
        problem,
    };
    let json = readable(answer.metadata.get()).map_err(unsupported)?;
    let metadata: TableMetadata = serde_json::from_str(&json).map_err(|cause| {
        // Not what the parser says: it quotes what it stumbles over, the default of a masked column for instance.
        unsupported(format!(
            "its metadata has content that the reader does not know, near line {} and column {}; another version of the \
             reader may know it",
            cause.line(),
            cause.column()
        ))
    })?;
    check_defaults(&json, &metadata).map_err(unsupported)?;
    let restrictions = match &answer.read_restrictions {
        None => ReadRestrictions::none(),
        Some(text) => ReadRestrictions::parse_text(text.get(), &fields_of(metadata.current_schema()))
            .map_err(|cause| ReaderError::Restrictions {
                table: name.to_string(),
                cause: Box::new(cause),
            })?,
    };
    let mut storage = answer.config;
    // The longest prefix that covers the table's location wins.
    if let Some(credential) = answer
        .storage_credentials
        .into_iter()
        .filter(|credential| metadata.location().starts_with(&credential.prefix))
        .max_by_key(|credential| credential.prefix.len())
    {
        storage.extend(credential.config);
    }
    Ok(LoadedTable {
        metadata,
        metadata_location: answer.metadata_location,
        restrictions,
        storage,
    })
}

fn refusal(name: &TableName, answer: ServerAnswer) -> ReaderError {
    let table = name.to_string();
    let answer = Box::new(answer);
    let restriction = answer.kind == RESTRICTION_ERROR;
    match answer.status {
        401 => ReaderError::Unauthenticated(answer),
        406 => ReaderError::NotAcceptable { table, answer },
        403 | 503 if restriction => match RestrictionCode::find_in(&answer.message) {
            Some(RestrictionCode::UntrustedReader) | None => ReaderError::NotTrusted { table, answer },
            Some(code) => ReaderError::Unresolved {
                table,
                code: code.to_string(),
                answer,
            },
        },
        403 | 404 => ReaderError::Refused { table, answer },
        _ => ReaderError::Server { table, answer },
    }
}

#[cfg(test)]
mod tests {
    use super::{TableName, refusal};
    use crate::error::{ReaderError, ServerAnswer};

    #[test]
    fn says_what_a_refusal_means() {
        let name = TableName {
            catalog: "c".to_owned(),
            namespace: vec!["s".to_owned()],
            table: "t".to_owned(),
        };
        let refuse = |status, kind: &str, message: &str| {
            refusal(
                &name,
                ServerAnswer {
                    status,
                    kind: kind.to_owned(),
                    message: message.to_owned(),
                    request_id: Some("r-1".to_owned()),
                },
            )
        };
        let untrusted = refuse(403, "ReadRestrictionException", "this reader is not trusted");
        assert!(matches!(untrusted, ReaderError::NotTrusted { .. }));
        let untrusted = refuse(
            403,
            "ReadRestrictionException",
            "[restriction-untrusted-reader] no",
        );
        assert!(matches!(untrusted, ReaderError::NotTrusted { .. }));
        let conflict = refuse(403, "ReadRestrictionException", "no (restriction-conflict)");
        assert!(matches!(&conflict, ReaderError::Unresolved { code, .. } if code == "restriction-conflict"));
        assert!(conflict.to_string().contains("request r-1"));
        let hidden = refuse(403, "ForbiddenException", "no");
        assert!(matches!(hidden, ReaderError::Refused { .. }));
        assert!(matches!(refuse(406, "", ""), ReaderError::NotAcceptable { .. }));
        assert!(matches!(refuse(401, "", ""), ReaderError::Unauthenticated(_)));
    }
}
