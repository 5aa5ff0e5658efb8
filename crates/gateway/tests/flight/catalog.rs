// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A small Iceberg REST catalog: real tables, users who prove themselves, and restrictions for each, which a test can
//! change at any time.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow::array::{ArrayRef, RecordBatch};
use axum::Router;
use axum::extract::{Path as PathOf, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use iceberg::arrow::schema_to_arrow_schema;
use iceberg::memory::{MEMORY_CATALOG_WAREHOUSE, MemoryCatalogBuilder};
use iceberg::spec::{DataFileFormat, Schema};
use iceberg::transaction::{ApplyTransactionAction as _, Transaction};
use iceberg::writer::base_writer::data_file_writer::DataFileWriterBuilder;
use iceberg::writer::file_writer::ParquetWriterBuilder;
use iceberg::writer::file_writer::location_generator::{DefaultFileNameGenerator, DefaultLocationGenerator};
use iceberg::writer::file_writer::rolling_writer::RollingFileWriterBuilder;
use iceberg::writer::{IcebergWriter as _, IcebergWriterBuilder as _};
use iceberg::{Catalog as _, CatalogBuilder as _, NamespaceIdent, TableCreation};
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;

/// What the catalog knows.
#[derive(Default)]
pub(crate) struct Known {
    /// The user of each `Authorization` header.
    users: HashMap<String, String>,
    /// Metadata of each table of the namespace `s` of the catalog `lake`.
    tables: HashMap<String, Json>,
    /// Restrictions by user and table.
    restrictions: HashMap<(String, String), Json>,
    /// Whether calls without credentials are taken.
    anonymous: bool,
    /// The status of every answer, where it is not the right one.
    failing: Option<StatusCode>,
    /// What was asked, as `USER PATH`.
    asked: Vec<String>,
}

/// A catalog that is served until the test ends.
#[derive(Clone)]
pub(crate) struct Catalog {
    pub(crate) address: SocketAddr,
    known: Arc<Mutex<Known>>,
}

impl Catalog {
    /// Serves `lake.s` with the tables of [`write`].
    pub(crate) async fn start(tables: HashMap<String, Json>) -> Self {
        let known = Arc::new(Mutex::new(Known {
            tables,
            ..Known::default()
        }));
        let router = Router::new()
            .route("/iceberg/v1/config", get(config))
            .route("/iceberg/v1/lake/namespaces/s/tables/{table}", get(load_table))
            .with_state(Arc::clone(&known));
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(socket, router).await });
        Self { address, known }
    }

    /// Knows a user by this header from now on.
    pub(crate) fn knows(&self, header: &str, user: &str) {
        self.known
            .lock()
            .unwrap()
            .users
            .insert(header.to_owned(), user.to_owned());
    }

    /// Knows this header no more.
    pub(crate) fn forgets(&self, header: &str) {
        self.known.lock().unwrap().users.remove(header);
    }

    /// Restricts a table for a user from now on.
    pub(crate) fn restricts(&self, user: &str, table: &str, restrictions: Json) {
        let key = (user.to_owned(), table.to_owned());
        self.known.lock().unwrap().restrictions.insert(key, restrictions);
    }

    /// Takes calls without credentials.
    pub(crate) fn takes_anybody(&self) {
        self.known.lock().unwrap().anonymous = true;
    }

    /// Answers everything with this status.
    pub(crate) fn fails_with(&self, status: u16) {
        self.known.lock().unwrap().failing = Some(StatusCode::from_u16(status).unwrap());
    }

    /// What was asked since the last time, as `USER PATH`.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.known.lock().unwrap().asked)
    }
}

type Shared = State<Arc<Mutex<Known>>>;

fn refusal(status: StatusCode, kind: &str, message: &str) -> Response {
    let error = json!({"error": {"message": message, "type": kind, "code": status.as_u16()}});
    (status, [("x-request-id", "request-1")], error.to_string()).into_response()
}

fn ok(body: &Json) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// The user of a request.
#[expect(clippy::result_large_err, reason = "a response is what it answers instead")]
fn user(known: &mut Known, headers: &HeaderMap, path: &str) -> Result<String, Response> {
    if let Some(status) = known.failing {
        return Err(refusal(status, "Failure", "not now"));
    }
    let header = headers
        .get(header::AUTHORIZATION)
        .map(|value| value.to_str().unwrap());
    let user = match header {
        None if known.anonymous => Some("anonymous".to_owned()),
        None => None,
        Some(header) => known.users.get(header).cloned(),
    };
    let user =
        user.ok_or_else(|| refusal(StatusCode::UNAUTHORIZED, "NotAuthorizedException", "who are you?"))?;
    known.asked.push(format!("{user} {path}"));
    if user == "locked" {
        return Err(refusal(
            StatusCode::FORBIDDEN,
            "ForbiddenException",
            "you may not come in",
        ));
    }
    Ok(user)
}

async fn config(
    State(known): Shared,
    headers: HeaderMap,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    if let Err(refused) = user(&mut known.lock().unwrap(), &headers, "config") {
        return refused;
    }
    match query.get("warehouse").map(String::as_str) {
        Some("lake") => ok(&json!({"defaults": {}, "overrides": {"prefix": "lake"}})),
        Some(_) => refusal(
            StatusCode::NOT_FOUND,
            "NoSuchWarehouseException",
            "there is no such catalog",
        ),
        None => ok(&json!({"defaults": {"lakeward.catalogs": "lake"}, "overrides": {}})),
    }
}

async fn load_table(State(known): Shared, headers: HeaderMap, PathOf(table): PathOf<String>) -> Response {
    let mut known = known.lock().unwrap();
    let user = match user(&mut known, &headers, &table) {
        Ok(user) => user,
        Err(refused) => return refused,
    };
    let Some(metadata) = known.tables.get(&table) else {
        return refusal(
            StatusCode::NOT_FOUND,
            "NoSuchTableException",
            "there is no such table",
        );
    };
    let mut answer = json!({"metadata": metadata, "config": {}});
    if let Some(restrictions) = known.restrictions.get(&(user, table)) {
        answer["read-restrictions"] = restrictions.clone();
    }
    ok(&answer)
}

/// Writes a table with one file below the folder, and gives its metadata.
pub(crate) async fn write(folder: &Path, name: &str, schema: Json, columns: Vec<ArrayRef>) -> Json {
    let warehouse = format!("file://{}", folder.join(name).display());
    let catalog = MemoryCatalogBuilder::default()
        .with_storage_factory(Arc::new(iceberg::io::LocalFsStorageFactory))
        .load(
            "test",
            HashMap::from([(MEMORY_CATALOG_WAREHOUSE.to_owned(), warehouse)]),
        )
        .await
        .unwrap();
    let namespace = NamespaceIdent::new("s".to_owned());
    catalog
        .create_namespace(&namespace, HashMap::new())
        .await
        .unwrap();
    let schema: Schema = serde_json::from_value(schema).unwrap();
    let creation = TableCreation::builder()
        .name(name.to_owned())
        .schema(schema)
        .build();
    let table = catalog.create_table(&namespace, creation).await.unwrap();
    let schema = Arc::clone(table.metadata().current_schema());
    let arrow = Arc::new(schema_to_arrow_schema(&schema).unwrap());
    let batch = RecordBatch::try_new(arrow, columns).unwrap();
    let files = RollingFileWriterBuilder::new_with_default_file_size(
        ParquetWriterBuilder::new(parquet::file::properties::WriterProperties::default(), schema),
        table.file_io().clone(),
        DefaultLocationGenerator::new(table.metadata()).unwrap(),
        DefaultFileNameGenerator::new("f".to_owned(), None, DataFileFormat::Parquet),
    );
    let mut writer = DataFileWriterBuilder::new(files).build(None).await.unwrap();
    writer.write(batch).await.unwrap();
    let written = writer.close().await.unwrap();
    let transaction = Transaction::new(&table);
    let transaction = transaction
        .fast_append()
        .add_data_files(written)
        .apply(transaction)
        .unwrap();
    let table = transaction.commit(&catalog).await.unwrap();
    serde_json::to_value(table.metadata()).unwrap()
}
