// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Users and groups: the same endpoints for both.

use std::future::Future;
use std::marker::PhantomData;

use http::{Method, StatusCode};
use lakeward_authorization::{Authorized, Requirement};
use lakeward_metadata::directory::{DirectoryGroup, DirectoryUser};
use lakeward_operations::caller::Call;
use lakeward_operations::directory::{DirectoryEntry, DirectoryKind};
use lakeward_operations::named::TheServer;
use lakeward_operations::{OperationError, Operations};
use lakeward_scim_api::patch::Patch;
use lakeward_scim_api::resource::{Meta, entity_tag, written};
use lakeward_scim_api::schema::ResourceType;
use lakeward_scim_api::{Attributes, ScimError, group, user};

use super::body::ScimBody;
use super::{base, projection, require_enabled, resource_reply, wrong};
use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::parts::Parts;
use crate::http::reply::{NoContent, Reply};
use crate::http::routes::Routes;

/// The endpoints of one type of resources.
pub(super) fn routes<T: Resource>() -> Routes {
    Routes::default()
        .mount::<Create<T>>()
        .mount::<Load<T>>()
        .mount::<Replace<T>>()
        .mount::<Change<T>>()
        .mount::<Remove<T>>()
}

/// Where the resources of a type are, and what the endpoints are called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names {
    pub(super) all: &'static str,
    pub(super) search: &'static str,
    one: &'static str,
    create: &'static str,
    load: &'static str,
    replace: &'static str,
    change: &'static str,
    remove: &'static str,
    pub(super) list: &'static str,
    pub(super) find: &'static str,
}

/// A change of what was pushed, decided on what is there.
type Changing<T> = Box<dyn FnOnce(&DirectoryEntry<T>) -> Result<T, OperationError> + Send>;

/// What differs between users and groups.
pub(super) trait Resource: DirectoryKind {
    const TYPE: ResourceType;
    const NAMES: Names;
    /// The attribute by whose value one is looked up.
    const NAMED_BY: &'static str;
    /// The attribute that is read apart.
    const RELATED: &'static str;

    /// Out of the attributes of a body; `before` is what it takes the place of.
    fn from_attributes(attributes: Attributes, before: Option<&Self>) -> Result<Self, ScimError>;
    /// What can be written of it.
    fn to_attributes(entry: &DirectoryEntry<Self>, base: &str) -> Attributes;
    /// All of it.
    fn show(entry: &DirectoryEntry<Self>, base: &str) -> Attributes;

    fn create(
        operations: &Operations,
        call: &Call,
        server: Authorized<TheServer>,
        content: &Self,
    ) -> impl Future<Output = Result<DirectoryEntry<Self>, OperationError>> + Send;

    fn change(
        operations: &Operations,
        call: &Call,
        server: Authorized<TheServer>,
        id: &str,
        change: Changing<Self>,
    ) -> impl Future<Output = Result<DirectoryEntry<Self>, OperationError>> + Send;

    fn remove(
        operations: &Operations,
        call: &Call,
        server: Authorized<TheServer>,
        id: &str,
        check: impl FnOnce(i64) -> Result<(), OperationError> + Send,
    ) -> impl Future<Output = Result<(), OperationError>> + Send;
}

const fn meta<'a, T>(entry: &'a DirectoryEntry<T>, base: &'a str) -> Meta<'a> {
    Meta {
        id: entry.row.id.as_str(),
        created: entry.row.created_at,
        modified: entry.row.modified_at,
        version: entry.row.version,
        base,
    }
}

impl Resource for DirectoryUser {
    const TYPE: ResourceType = ResourceType::User;
    const NAMES: Names = Names {
        all: "/Users",
        search: "/Users/.search",
        one: "/Users/{id}",
        create: "CreateDirectoryUser",
        load: "LoadDirectoryUser",
        replace: "ReplaceDirectoryUser",
        change: "ChangeDirectoryUser",
        remove: "RemoveDirectoryUser",
        list: "ListDirectoryUsers",
        find: "FindDirectoryUsers",
    };
    const NAMED_BY: &'static str = "userName";
    const RELATED: &'static str = "groups";

    fn from_attributes(attributes: Attributes, before: Option<&Self>) -> Result<Self, ScimError> {
        user::from_attributes(attributes, before.is_none_or(|before| before.is_active))
    }

    fn to_attributes(entry: &DirectoryEntry<Self>, _: &str) -> Attributes {
        user::to_attributes(&entry.row.content)
    }

    fn show(entry: &DirectoryEntry<Self>, base: &str) -> Attributes {
        user::show(&entry.row.content, meta(entry, base), &entry.related)
    }

    async fn create(
        operations: &Operations,
        call: &Call,
        server: Authorized<TheServer>,
        content: &Self,
    ) -> Result<DirectoryEntry<Self>, OperationError> {
        operations.create_directory_user(call, server, content).await
    }

    async fn change(
        operations: &Operations,
        call: &Call,
        server: Authorized<TheServer>,
        id: &str,
        change: Changing<Self>,
    ) -> Result<DirectoryEntry<Self>, OperationError> {
        operations.change_directory_user(call, server, id, change).await
    }

    async fn remove(
        operations: &Operations,
        call: &Call,
        server: Authorized<TheServer>,
        id: &str,
        check: impl FnOnce(i64) -> Result<(), OperationError> + Send,
    ) -> Result<(), OperationError> {
        operations.remove_directory_user(call, server, id, check).await
    }
}

impl Resource for DirectoryGroup {
    const TYPE: ResourceType = ResourceType::Group;
    const NAMES: Names = Names {
        all: "/Groups",
        search: "/Groups/.search",
        one: "/Groups/{id}",
        create: "CreateDirectoryGroup",
        load: "LoadDirectoryGroup",
        replace: "ReplaceDirectoryGroup",
        change: "ChangeDirectoryGroup",
        remove: "RemoveDirectoryGroup",
        list: "ListDirectoryGroups",
        find: "FindDirectoryGroups",
    };
    const NAMED_BY: &'static str = "displayName";
    const RELATED: &'static str = "members";

    fn from_attributes(attributes: Attributes, _: Option<&Self>) -> Result<Self, ScimError> {
        group::from_attributes(attributes)
    }

    fn to_attributes(entry: &DirectoryEntry<Self>, base: &str) -> Attributes {
        group::to_attributes(&entry.row.content, &entry.related, base)
    }

    fn show(entry: &DirectoryEntry<Self>, base: &str) -> Attributes {
        group::show(&entry.row.content, meta(entry, base), &entry.related)
    }

    async fn create(
        operations: &Operations,
        call: &Call,
        server: Authorized<TheServer>,
        content: &Self,
    ) -> Result<DirectoryEntry<Self>, OperationError> {
        operations.create_directory_group(call, server, content).await
    }

    async fn change(
        operations: &Operations,
        call: &Call,
        server: Authorized<TheServer>,
        id: &str,
        change: Changing<Self>,
    ) -> Result<DirectoryEntry<Self>, OperationError> {
        operations.change_directory_group(call, server, id, change).await
    }

    async fn remove(
        operations: &Operations,
        call: &Call,
        server: Authorized<TheServer>,
        id: &str,
        check: impl FnOnce(i64) -> Result<(), OperationError> + Send,
    ) -> Result<(), OperationError> {
        operations.remove_directory_group(call, server, id, check).await
    }
}

/// What `If-Match` asks of a version.
fn if_match(
    parts: &Parts,
) -> Result<impl FnOnce(i64) -> Result<(), OperationError> + Send + 'static, OperationError> {
    let wanted = parts.header("if-match")?.map(str::to_owned);
    Ok(move |version: i64| {
        let Some(wanted) = wanted else { return Ok(()) };
        let tag = entity_tag(version);
        let strong = tag.trim_start_matches("W/");
        let fits = wanted
            .split(',')
            .map(str::trim)
            .any(|wanted| wanted == "*" || wanted.trim_start_matches("W/") == strong);
        if fits {
            return Ok(());
        }
        Err(OperationError::PreconditionFailed(format!(
            "the resource has another version by now, {tag}: read it again"
        )))
    })
}

fn shown<T: Resource>(
    app: &App,
    request: &Request,
    status: StatusCode,
    entry: &DirectoryEntry<T>,
) -> Result<Reply, OperationError> {
    let whole = T::show(entry, &base(app, &request.parts));
    let chosen = projection(request).of(T::TYPE, whole.clone());
    resource_reply(status, &whole, chosen)
}

/// `POST /Users`, `POST /Groups`
#[derive(Debug)]
pub(super) struct Create<T>(PhantomData<T>);

impl<T: Resource> Endpoint for Create<T> {
    const OPERATION: Option<&'static str> = Some(T::NAMES.create);
    const METHOD: Method = Method::POST;
    const PATH: &'static str = T::NAMES.all;
    const REQUIRES: Requirement = Requirement::Provisioner;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = ScimBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        server: Authorized<TheServer>,
        ScimBody(body): ScimBody,
    ) -> Result<Reply, OperationError> {
        require_enabled(app)?;
        let content = written(T::TYPE, &body).and_then(|attributes| T::from_attributes(attributes, None));
        let content = content.map_err(wrong)?;
        let entry = T::create(&app.operations, &request.call, server, &content).await?;
        shown(app, request, StatusCode::CREATED, &entry)
    }
}

/// `GET /Users/{id}`, `GET /Groups/{id}`
#[derive(Debug)]
pub(super) struct Load<T>(PhantomData<T>);

impl<T: Resource> Endpoint for Load<T> {
    const OPERATION: Option<&'static str> = Some(T::NAMES.load);
    const METHOD: Method = Method::GET;
    const PATH: &'static str = T::NAMES.one;
    const REQUIRES: Requirement = Requirement::Provisioner;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        server: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<Reply, OperationError> {
        require_enabled(app)?;
        let id = request.parts.path("id")?;
        let entry = app.operations.load_directory_entry::<T>(server, id).await?;
        shown(app, request, StatusCode::OK, &entry)
    }
}

/// `PUT /Users/{id}`, `PUT /Groups/{id}`
#[derive(Debug)]
pub(super) struct Replace<T>(PhantomData<T>);

impl<T: Resource> Endpoint for Replace<T> {
    const OPERATION: Option<&'static str> = Some(T::NAMES.replace);
    const METHOD: Method = Method::PUT;
    const PATH: &'static str = T::NAMES.one;
    const REQUIRES: Requirement = Requirement::Provisioner;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = ScimBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        server: Authorized<TheServer>,
        ScimBody(body): ScimBody,
    ) -> Result<Reply, OperationError> {
        require_enabled(app)?;
        let attributes = written(T::TYPE, &body).map_err(wrong)?;
        let check = if_match(&request.parts)?;
        let change: Changing<T> = Box::new(move |before| {
            check(before.row.version)?;
            T::from_attributes(attributes, Some(&before.row.content)).map_err(wrong)
        });
        let id = request.parts.path("id")?;
        let entry = T::change(&app.operations, &request.call, server, id, change).await?;
        shown(app, request, StatusCode::OK, &entry)
    }
}

/// `PATCH /Users/{id}`, `PATCH /Groups/{id}`
#[derive(Debug)]
pub(super) struct Change<T>(PhantomData<T>);

impl<T: Resource> Endpoint for Change<T> {
    const OPERATION: Option<&'static str> = Some(T::NAMES.change);
    const METHOD: Method = Method::PATCH;
    const PATH: &'static str = T::NAMES.one;
    const REQUIRES: Requirement = Requirement::Provisioner;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = ScimBody;
    type Reply = Reply;

    async fn run(
        app: &App,
        request: &Request,
        server: Authorized<TheServer>,
        ScimBody(body): ScimBody,
    ) -> Result<Reply, OperationError> {
        require_enabled(app)?;
        let patch = Patch::from_body(&body).map_err(wrong)?;
        let check = if_match(&request.parts)?;
        let base = base(app, &request.parts);
        let change: Changing<T> = Box::new(move |before| {
            check(before.row.version)?;
            let attributes = patch.apply(T::TYPE, T::to_attributes(before, &base));
            let changed =
                attributes.and_then(|changed| T::from_attributes(changed, Some(&before.row.content)));
            changed.map_err(wrong)
        });
        let id = request.parts.path("id")?;
        let entry = T::change(&app.operations, &request.call, server, id, change).await?;
        shown(app, request, StatusCode::OK, &entry)
    }
}

/// `DELETE /Users/{id}`, `DELETE /Groups/{id}`
#[derive(Debug)]
pub(super) struct Remove<T>(PhantomData<T>);

impl<T: Resource> Endpoint for Remove<T> {
    const OPERATION: Option<&'static str> = Some(T::NAMES.remove);
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = T::NAMES.one;
    const REQUIRES: Requirement = Requirement::Provisioner;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = TheServer;
    type Body = NoBody;
    type Reply = NoContent;

    async fn run(
        app: &App,
        request: &Request,
        server: Authorized<TheServer>,
        _: NoBody,
    ) -> Result<NoContent, OperationError> {
        require_enabled(app)?;
        let check = if_match(&request.parts)?;
        let id = request.parts.path("id")?;
        T::remove(&app.operations, &request.call, server, id, check).await?;
        Ok(NoContent)
    }
}
