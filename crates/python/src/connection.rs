// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A way to governed tables: a gateway, or the reader in this process.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use futures::{StreamExt, stream};
use lakeward_gateway::client::{GatewayClient, GatewayOptions};
use lakeward_reader::connection::{self, ConnectionOptions, Credentials, REQUEST_TIME, ReaderIdentity};
use lakeward_reader::error::ReaderError;
use lakeward_reader::session::size::STACK_BYTES;
use lakeward_reader::session::{Limits, Session, SessionOptions};
use pyo3::prelude::*;
use tokio::runtime::Runtime;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::errors::{ConfigurationError, QueryError, of_gateway, of_reader};
use crate::parameters;
use crate::rows::{Batches, Rows, TableUse};

/// One user's connection. It holds no tables: every query loads them anew.
#[pyclass(frozen, module = "lakeward")]
pub(crate) struct Connection {
    runtime: Arc<Runtime>,
    address: Url,
    source: Mutex<Option<Source>>,
}

#[derive(Clone)]
enum Source {
    Gateway(GatewayClient),
    /// With the time of a query.
    InProcess(Session, Duration),
}

struct Started {
    schema: SchemaRef,
    tables: Option<Vec<TableUse>>,
    batches: Batches,
}

#[pymethods]
impl Connection {
    #[new]
    #[pyo3(signature = (address, *, user=None, password=None, token=None, authority=None, identity=None, catalog=None, schema=None, timeout=600.0, memory=2048))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        address: &str,
        user: Option<String>,
        password: Option<String>,
        token: Option<String>,
        authority: Option<PathBuf>,
        identity: Option<PathBuf>,
        catalog: Option<String>,
        schema: Option<String>,
        timeout: f64,
        memory: usize,
    ) -> PyResult<Self> {
        let credentials = credentials(user, password, token)?;
        let address = Url::parse(address)
            .map_err(|cause| ConfigurationError::new_err(format!("`{address}` is no address: {cause}")))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .thread_name("lakeward")
            .thread_stack_size(STACK_BYTES)
            .build()
            .map_err(|cause| ConfigurationError::new_err(format!("no threads for the reader: {cause}")))?;
        let refuse = |given: bool, name: &str, why: &str| {
            if given {
                Err(ConfigurationError::new_err(format!(
                    "`{name}` has no meaning here: {why}"
                )))
            } else {
                Ok(())
            }
        };
        let source = if address.scheme().starts_with("grpc") {
            let why = "the gateway runs the reader";
            refuse(identity.is_some(), "identity", why)?;
            refuse(catalog.is_some(), "catalog", why)?;
            refuse(schema.is_some(), "schema", why)?;
            let authority = match authority {
                Some(file) => Some(std::fs::read(&file).map_err(|cause| {
                    ConfigurationError::new_err(format!("`{}` cannot be read: {cause}", file.display()))
                })?),
                None => None,
            };
            let options = GatewayOptions {
                gateway: address.clone(),
                credentials,
                authority,
            };
            let client = py
                .detach(|| runtime.block_on(GatewayClient::connect(options)))
                .map_err(|cause| of_gateway(&cause))?;
            Source::Gateway(client)
        } else {
            let why = "the authority of a server is part of the reader's identity";
            refuse(authority.is_some(), "authority", why)?;
            let time = Duration::try_from_secs_f64(timeout)
                .map_err(|cause| ConfigurationError::new_err(format!("`timeout`: {cause}")))?;
            let options = ConnectionOptions {
                iceberg: address.clone(),
                credentials,
                identity: identity
                    .as_deref()
                    .map(ReaderIdentity::from_directory)
                    .transpose()
                    .map_err(|cause| of_reader(&cause))?,
                timeout: REQUEST_TIME,
            };
            let connection = connection::Connection::new(options).map_err(|cause| of_reader(&cause))?;
            let options = SessionOptions {
                default_catalog: catalog,
                default_schema: schema,
                limits: Limits {
                    rows: None,
                    time,
                    memory_bytes: memory.saturating_mul(1024 * 1024),
                },
                share: None,
            };
            Source::InProcess(Session::new(connection, options), time)
        };
        Ok(Self {
            runtime: Arc::new(runtime),
            address,
            source: Mutex::new(Some(source)),
        })
    }

    /// Runs one query. Tables are loaded now; rows come when they are read.
    #[pyo3(signature = (query, parameters=None))]
    fn sql(&self, py: Python<'_>, query: &str, parameters: Option<Vec<Bound<'_, PyAny>>>) -> PyResult<Rows> {
        let parameters = parameters.map(|values| parameters::row(&values)).transpose()?;
        let source = self
            .source
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
            .ok_or_else(|| QueryError::new_err("the connection is closed"))?;
        // In a thread of ours: the caller's may have too small a stack for planning.
        let query = query.to_owned();
        let started = self
            .runtime
            .spawn(async move { start(&source, &query, parameters.as_ref()).await });
        let started = py
            .detach(|| self.runtime.block_on(started))
            .map_err(|_| QueryError::new_err("the query was broken off"))??;
        Ok(Rows::new(
            started.schema,
            started.tables,
            started.batches,
            Arc::clone(&self.runtime),
        ))
    }

    fn close(&self) {
        *self.source.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close();
    }

    /// Shows where it leads; never a credential.
    fn __repr__(&self) -> String {
        format!("<Connection to {}>", self.address)
    }
}

/// What comes of it until then; a deadline beyond what the clock counts is none.
async fn within<T>(deadline: Option<Instant>, step: impl Future<Output = T>) -> Option<T> {
    match deadline {
        Some(deadline) => timeout_at(deadline, step).await.ok(),
        None => Some(step.await),
    }
}

async fn start(source: &Source, query: &str, parameters: Option<&RecordBatch>) -> PyResult<Started> {
    match source {
        Source::Gateway(client) => {
            let rows = client
                .query(query, parameters)
                .await
                .map_err(|cause| of_gateway(&cause))?;
            Ok(Started {
                schema: rows.schema,
                tables: None,
                batches: rows
                    .batches
                    .map(|batch| batch.map_err(|cause| cause.to_string()))
                    .boxed(),
            })
        }
        Source::InProcess(session, time) => {
            let deadline = Instant::now().checked_add(*time);
            let running = within(deadline, session.start_with(query, parameters))
                .await
                .unwrap_or(Err(ReaderError::TimedOut(*time)))
                .map_err(|cause| of_reader(&cause))?;
            let schema = running.schema.clone();
            let tables = running.tables.iter().map(TableUse::from).collect();
            let late = ReaderError::TimedOut(*time).to_string();
            let batches = stream::unfold(Some(running.into_batches()), move |rows| {
                let late = late.clone();
                async move {
                    let mut rows = rows?;
                    match within(deadline, rows.next()).await {
                        Some(Some(Ok(batch))) => Some((Ok(batch), Some(rows))),
                        Some(Some(Err(cause))) => Some((Err(cause.to_string()), None)),
                        Some(None) => None,
                        None => Some((Err(late), None)),
                    }
                }
            });
            Ok(Started {
                schema,
                tables: Some(tables),
                batches: batches.boxed(),
            })
        }
    }
}

fn credentials(
    user: Option<String>,
    password: Option<String>,
    token: Option<String>,
) -> PyResult<Credentials> {
    match (user, password, token) {
        (None, None, None) => Ok(Credentials::None),
        (None, None, Some(token)) => Ok(Credentials::Bearer(token)),
        (Some(user), password, None) => Ok(Credentials::Basic {
            user,
            password: password.unwrap_or_default(),
        }),
        (None, Some(_), _) => Err(ConfigurationError::new_err(
            "whose `password` is it? name the `user`",
        )),
        (Some(_), _, Some(_)) => Err(ConfigurationError::new_err(
            "a `token` says who asks; it goes without `user` and `password`",
        )),
    }
}
