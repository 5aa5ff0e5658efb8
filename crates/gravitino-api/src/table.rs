// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables.

use lakeward_metadata::Properties;
use lakeward_metadata::distribution::Distribution;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::table::{NewTable, Table, TableDefinition};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::json_object::each;
use crate::request::{RequestError, name};
use crate::{column, distribution, index, partitioning, sort_order};

/// `POST …/tables`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct TableCreateRequest {
    /// Its name; required.
    pub name: Option<String>,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<Value>>,
    /// Its settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// In which order rows are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort_orders: Option<Vec<Value>>,
    /// How rows are spread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution: Option<Value>,
    /// How the table is divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partitioning: Option<Vec<Value>>,
    /// Its indexes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexes: Option<Vec<Value>>,
}

impl TryFrom<TableCreateRequest> for NewTable {
    type Error = RequestError;

    fn try_from(request: TableCreateRequest) -> Result<Self, RequestError> {
        fn list<T>(
            items: Option<Vec<Value>>,
            member: &str,
            read: impl Fn(&Value, &str) -> Result<T, RequestError>,
        ) -> Result<Vec<T>, RequestError> {
            each(&items.unwrap_or_default(), member, read)
        }
        let definition = TableDefinition {
            comment: request.comment,
            columns: list(request.columns, "columns", column::from_json)?,
            properties: request.properties.unwrap_or_default(),
            distribution: match &request.distribution {
                None => Distribution::NONE,
                Some(value) => distribution::from_json(value, "distribution")?,
            },
            sort_orders: list(request.sort_orders, "sortOrders", sort_order::from_json)?,
            partitioning: list(request.partitioning, "partitioning", partitioning::from_json)?,
            indexes: list(request.indexes, "indexes", index::from_json)?,
        };
        let name = name("name", ObjectKind::Table, request.name)?;
        definition
            .check()
            .map_err(|error| RequestError::invalid("columns", error))?;
        Ok(Self { name, definition })
    }
}

/// A table. The four structural members are always written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TableDto {
    /// Its name.
    pub name: String,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its columns.
    pub columns: Vec<Value>,
    /// Its settings.
    pub properties: Properties,
    /// Who made and changed it.
    pub audit: AuditDto,
    /// How rows are spread.
    pub distribution: Value,
    /// In which order rows are kept.
    pub sort_orders: Vec<Value>,
    /// How the table is divided.
    pub partitioning: Vec<Value>,
    /// Its indexes.
    pub indexes: Vec<Value>,
}

impl From<&Table> for TableDto {
    fn from(table: &Table) -> Self {
        let definition = &table.definition;
        Self {
            name: table.name.clone(),
            comment: definition.comment.clone(),
            columns: definition.columns.iter().map(column::to_json).collect(),
            properties: definition.properties.clone(),
            audit: AuditDto::from(&table.audit),
            distribution: distribution::to_json(&definition.distribution),
            sort_orders: definition.sort_orders.iter().map(sort_order::to_json).collect(),
            partitioning: definition
                .partitioning
                .iter()
                .map(partitioning::to_json)
                .collect(),
            indexes: definition.indexes.iter().map(index::to_json).collect(),
        }
    }
}

/// One table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableResponse {
    /// Always 0.
    pub code: i32,
    /// The table.
    pub table: TableDto,
}

impl From<&Table> for TableResponse {
    fn from(table: &Table) -> Self {
        Self {
            code: 0,
            table: table.into(),
        }
    }
}
