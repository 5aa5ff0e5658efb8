// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Lists of users, of groups, and of both.

use std::marker::PhantomData;

use http::Method;
use lakeward_authorization::{Authorized, Requirement};
use lakeward_metadata::directory::{DirectoryGroup, DirectoryUser};
use lakeward_operations::OperationError;
use lakeward_operations::directory::Wanted;
use lakeward_operations::named::TheServer;
use lakeward_scim_api::ScimError;
use lakeward_scim_api::filter::Filter;
use lakeward_scim_api::list::{Query, list_response};
use lakeward_store::{DirectoryKey, DirectoryPage};
use serde_json::Value;

use super::body::ScimBody;
use super::resource::Resource;
use super::{base, reply, require_enabled, wrong};
use crate::app::App;
use crate::http::body::NoBody;
use crate::http::endpoint::{Endpoint, Governance, Request};
use crate::http::reply::Reply;
use crate::http::routes::Routes;

/// The endpoints of this file.
pub(super) fn routes() -> Routes {
    Routes::default()
        .mount::<List<DirectoryUser>>()
        .mount::<List<DirectoryGroup>>()
        .mount::<Find<DirectoryUser>>()
        .mount::<Find<DirectoryGroup>>()
        .mount::<FindBoth>()
}

/// A page of resources, and how many there are.
#[derive(Debug, Default)]
struct Listed {
    total: usize,
    resources: Vec<Value>,
}

async fn listed<T: Resource>(
    app: &App,
    request: &Request,
    server: &Authorized<TheServer>,
    query: &Query,
    filter: Option<&Filter>,
    page: DirectoryPage,
) -> Result<Listed, OperationError> {
    let base = base(app, &request.parts);
    let key = filter.and_then(|filter| {
        let by_id = filter.required("id").map(DirectoryKey::Id);
        let by_external_id = || filter.required("externalId").map(DirectoryKey::ExternalId);
        let by_name = || filter.required(T::NAMED_BY).map(DirectoryKey::Name);
        by_id.or_else(by_external_id).or_else(by_name)
    });
    let wanted = Wanted {
        key,
        is_filtered: filter.is_some(),
        filters_related: filter.is_some_and(|filter| filter.looks_at(T::RELATED)),
        shows_related: query.projection.shows(T::TYPE, T::RELATED),
        page,
    };
    let fits = |entry: &_| filter.is_none_or(|filter| filter.matches(&T::show(entry, &base)));
    let found = app
        .operations
        .find_directory_entries::<T>(server, wanted, fits)
        .await?;
    let shown = |entry| Value::Object(query.projection.of(T::TYPE, T::show(entry, &base)));
    Ok(Listed {
        total: found.total,
        resources: found.entries.iter().map(shown).collect(),
    })
}

fn filter<T: Resource>(query: &Query) -> Option<Result<Filter, ScimError>> {
    query.filter.as_deref().map(|text| Filter::parse(T::TYPE, text))
}

async fn answer<T: Resource>(
    app: &App,
    request: &Request,
    server: &Authorized<TheServer>,
    query: &Query,
) -> Result<Reply, OperationError> {
    let filter = filter::<T>(query).transpose().map_err(wrong)?;
    let page = DirectoryPage {
        offset: query.offset(),
        limit: query.count,
    };
    let listed = listed::<T>(app, request, server, query, filter.as_ref(), page).await?;
    reply(&list_response(listed.total, query.start_index, listed.resources))
}

/// `GET /Users`, `GET /Groups`
#[derive(Debug)]
pub(super) struct List<T>(PhantomData<T>);

impl<T: Resource> Endpoint for List<T> {
    const OPERATION: Option<&'static str> = Some(T::NAMES.list);
    const METHOD: Method = Method::GET;
    const PATH: &'static str = T::NAMES.all;
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
        let parameters = request.parts.queries().iter();
        let parameters = parameters.map(|(name, value)| (name.as_str(), value.as_str()));
        let query = Query::from_parameters(parameters).map_err(wrong)?;
        answer::<T>(app, request, &server, &query).await
    }
}

/// `POST /Users/.search`, `POST /Groups/.search`
#[derive(Debug)]
pub(super) struct Find<T>(PhantomData<T>);

impl<T: Resource> Endpoint for Find<T> {
    const OPERATION: Option<&'static str> = Some(T::NAMES.find);
    const METHOD: Method = Method::POST;
    const PATH: &'static str = T::NAMES.search;
    const REQUIRES: Requirement = Requirement::Provisioner;
    const GOVERNANCE: Governance = Governance::NoTable;
    const READS: bool = true;
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
        let query = Query::from_body(&body).map_err(wrong)?;
        answer::<T>(app, request, &server, &query).await
    }
}

/// `POST /.search`: users, then groups. What only one of them has, the other does not fulfil.
#[derive(Debug)]
pub(super) struct FindBoth;

impl Endpoint for FindBoth {
    const OPERATION: Option<&'static str> = Some("FindInDirectory");
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/.search";
    const REQUIRES: Requirement = Requirement::Provisioner;
    const GOVERNANCE: Governance = Governance::NoTable;
    const READS: bool = true;
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
        let query = Query::from_body(&body).map_err(wrong)?;
        let filters = (filter::<DirectoryUser>(&query), filter::<DirectoryGroup>(&query));
        if let (Some(Err(error)), Some(Err(_))) = &filters {
            return Err(wrong(error.clone()));
        }
        let mut page = DirectoryPage {
            offset: query.offset(),
            limit: query.count,
        };
        let users = match filters.0.transpose() {
            Ok(filter) => {
                listed::<DirectoryUser>(app, request, &server, &query, filter.as_ref(), page).await?
            }
            Err(_) => Listed::default(),
        };
        page.offset = page.offset.saturating_sub(users.total);
        page.limit -= users.resources.len();
        let groups = match filters.1.transpose() {
            Ok(filter) => {
                listed::<DirectoryGroup>(app, request, &server, &query, filter.as_ref(), page).await?
            }
            Err(_) => Listed::default(),
        };
        let resources = users.resources.into_iter().chain(groups.resources).collect();
        reply(&list_response(
            users.total + groups.total,
            query.start_index,
            resources,
        ))
    }
}
