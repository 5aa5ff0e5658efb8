// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What an endpoint is: a method, a path, and the requirement that must be decided before it runs.
//!
//! ```text
//! /// `PUT …/tables/{table}`
//! pub struct AlterTable;
//!
//! impl Endpoint for AlterTable {
//!     const METHOD: Method = Method::PUT;
//!     const PATH: &'static str = "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables/{table}";
//!     const REQUIRES: Requirement = Requirement::On { kind: ObjectKind::Table, holding: &[Privilege::ModifyTable] };
//!     const GOVERNANCE: Governance = Governance::SchemaOnly;
//!     type Target = TablePath;                       // built from the path; see FromCall for others
//!     type Body = Json<TableUpdatesRequest>;         // or NoBody, OptionalJson<T>
//!     type Reply = TableResponse;                    // anything Serialize; or NoContent, Reply
//!
//!     async fn run(app: &App, request: &Request, table: Authorized<TablePath>, Json(body): Self::Body)
//!         -> Result<TableResponse, OperationError> {
//!         Ok(app.operations.alter_table(&request.call, table, body.try_into()?).await?.into())
//!     }
//! }
//!
//! pub fn routes() -> Routes {
//!     Routes::default().mount::<AlterTable>().list::<ListTables>()
//! }
//! ```

use std::future::Future;

use http::Method;
use lakeward_authorization::{Authorized, Requirement, Visibility};
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_operations::OperationError;
use lakeward_operations::caller::Call;
use lakeward_operations::named::{Names, TheServer};
use lakeward_operations::paths::{
    CatalogPath, LeafKind, LeafPath, MetalakePath, ObjectPath, PrincipalPath, SchemaPath,
};
use lakeward_operations::widening::Force;
use lakeward_store::RequestOutcome;

use super::body::FromBody;
pub use super::governance::Governance;
pub use super::idempotency::Repeats;
use super::media::Versions;
use super::parts::Parts;
use super::reply::IntoReply;
use crate::app::App;

/// One request on its way into an endpoint: who asks with the facts found, and what the request said beside its body.
#[derive(Debug)]
pub struct Request {
    /// The caller and the facts of the gate; goes into every operation.
    pub call: Call,
    /// Path parameters, query, headers.
    pub parts: Parts,
    /// The version of the native protocol that was negotiated; 1 elsewhere.
    pub version: u32,
}

impl Request {
    /// Whether the query says `force=true`: a change that takes restrictions away is meant.
    pub fn force(&self) -> Force {
        if self.parts.flag("force", false) {
            Force::Meant
        } else {
            Force::Ask
        }
    }
}

/// One operation of a protocol. `answer` authenticates, reads the body, builds the target, decides `REQUIRES` and only
/// then calls `run`: there is no handler that runs without a proof, because the proof is its argument.
pub trait Endpoint: Send + Sync + 'static {
    /// The name of the operation where that of the type is not it: an endpoint that is generic has several.
    const OPERATION: Option<&'static str> = None;
    /// The method. GET also serves HEAD.
    const METHOD: Method;
    /// The path below the base of its tree (`/api` for the native protocol, `/iceberg` for Iceberg). In the Iceberg
    /// tree a leading `/v1/{prefix}` also matches without the prefix.
    const PATH: &'static str;
    /// What the caller must fulfil. Without default on purpose: leaving it out does not compile.
    const REQUIRES: Requirement;
    /// How it treats a table that is restricted for the caller. Without default, as the requirement.
    const GOVERNANCE: Governance;
    /// Which versions of the native protocol it speaks.
    const VERSIONS: Versions = Versions::One;
    /// Whether it only reads although it is no GET, so that the reader listener serves it too.
    const READS: bool = false;
    /// Whether a client needs it that appends to tables, so that the reader listener serves it although it changes
    /// something: whom a restriction concerns may append, and only through a reader.
    const APPENDS: bool = false;
    /// Whether it heeds `Idempotency-Key`. What does must end its requests ([`lakeward_operations::idempotency`]) and
    /// answer them again.
    const REPEATS: Repeats = Repeats::Unheeded;
    /// What the requirement speaks of.
    type Target: FromCall<Self::Body>;
    /// What it takes as body.
    type Body: FromBody;
    /// What it answers.
    type Reply: IntoReply;

    /// Does it.
    fn run(
        app: &App,
        request: &Request,
        target: Authorized<Self::Target>,
        body: Self::Body,
    ) -> impl Future<Output = Result<Self::Reply, OperationError>> + Send;

    /// Answers a request of which an earlier attempt succeeded, without any effect: by the rules of a load, since what it
    /// shows may have changed.
    fn again(
        _: &App,
        _: &Request,
        _: &RequestOutcome,
    ) -> impl Future<Output = Result<Self::Reply, OperationError>> + Send {
        let unheeded = OperationError::internal("an endpoint that heeds no idempotency key was asked again");
        std::future::ready(Err(unheeded))
    }
}

/// A list: its parent is authorized by `REQUIRES`, and what of it is shown follows from `SHOWS`.
pub trait ListEndpoint: Send + Sync + 'static {
    /// The path; the method is GET.
    const PATH: &'static str;
    /// What the caller must fulfil to list at all.
    const REQUIRES: Requirement;
    /// What each item must fulfil to be shown.
    const SHOWS: Requirement;
    /// As of [`Endpoint::GOVERNANCE`].
    const GOVERNANCE: Governance;
    /// The parent whose children are listed.
    type Target: FromCall<super::body::NoBody>;
    /// What it answers.
    type Reply: IntoReply;

    /// Lists what `shown` lets through.
    fn run(
        app: &App,
        request: &Request,
        parent: Authorized<Self::Target>,
        shown: Visibility,
    ) -> impl Future<Output = Result<Self::Reply, OperationError>> + Send;
}

/// How a target comes out of a request.
pub trait FromCall<B>: Names + Clone + Send + Sync + Sized + 'static {
    /// Builds it. `body` is `None` when there is none or it was malformed: the target then holds what the path
    /// names, so that a caller without rights learns nothing about its body; the request is refused afterwards.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for names that break their rules.
    fn from_call(app: &App, parts: &Parts, body: Option<&B>) -> Result<Self, OperationError>;
}

/// A target that the path alone names: implement this, and it serves every body.
pub trait FromPath: Names + Clone + Send + Sync + Sized + 'static {
    /// Builds it.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for names that break their rules.
    fn from_path(parts: &Parts) -> Result<Self, OperationError>;
}

impl<T: FromPath, B> FromCall<B> for T {
    fn from_call(_: &App, parts: &Parts, _: Option<&B>) -> Result<Self, OperationError> {
        T::from_path(parts)
    }
}

impl FromPath for TheServer {
    fn from_path(_: &Parts) -> Result<Self, OperationError> {
        Ok(Self)
    }
}

impl FromPath for MetalakePath {
    fn from_path(parts: &Parts) -> Result<Self, OperationError> {
        Ok(Self {
            metalake: parts.path("metalake")?.to_owned(),
        })
    }
}

impl FromPath for CatalogPath {
    fn from_path(parts: &Parts) -> Result<Self, OperationError> {
        Ok(Self {
            metalake: parts.path("metalake")?.to_owned(),
            catalog: parts.path("catalog")?.to_owned(),
        })
    }
}

impl FromPath for SchemaPath {
    fn from_path(parts: &Parts) -> Result<Self, OperationError> {
        Ok(Self {
            metalake: parts.path("metalake")?.to_owned(),
            catalog: parts.path("catalog")?.to_owned(),
            schema: parts.path("schema")?.to_owned(),
        })
    }
}

impl<K: LeafKind> FromPath for LeafPath<K> {
    fn from_path(parts: &Parts) -> Result<Self, OperationError> {
        Ok(SchemaPath::from_path(parts)?.leaf(parts.path(K::PARAMETER)?))
    }
}

impl FromPath for ObjectPath {
    /// From `…/{type}/{fullName}`, or from the name of an object that sits directly in the metalake (`…/roles/{role}`).
    fn from_path(parts: &Parts) -> Result<Self, OperationError> {
        let metalake = parts.path("metalake")?;
        if parts.optional_path("type").is_none() {
            let named = DIRECTLY_IN_METALAKE
                .iter()
                .find_map(|(parameter, kind)| Some((*kind, parts.optional_path(parameter)?)));
            if let Some((kind, name)) = named {
                return Ok(Self::top(metalake, kind, name));
            }
        }
        let kind = parts.path("type")?.parse()?;
        Ok(Self {
            metalake: metalake.to_owned(),
            object: MetadataObject::parse(kind, parts.path("fullName")?)?,
        })
    }
}

/// The path parameters that name an object of a metalake by one name.
const DIRECTLY_IN_METALAKE: [(&str, ObjectKind); 5] = [
    ("role", ObjectKind::Role),
    ("tag", ObjectKind::Tag),
    ("policy", ObjectKind::Policy),
    ("jobTemplate", ObjectKind::JobTemplate),
    ("job", ObjectKind::Job),
];

impl FromPath for PrincipalPath {
    /// From `…/users/{user}` or `…/groups/{group}`.
    fn from_path(parts: &Parts) -> Result<Self, OperationError> {
        let metalake = parts.path("metalake")?;
        match parts.optional_path("user") {
            Some(user) => Ok(Self::user(metalake, user)),
            None => Ok(Self::group(metalake, parts.path("group")?)),
        }
    }
}
