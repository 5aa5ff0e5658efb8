// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Why somebody may do something, and what somebody may do. Ours.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Method;
use lakeward_authorization::{Authorized, Privilege, Requirement};
use lakeward_gravitino_api::access::{
    AccessExplainRequest, AccessExplainResponse, AccessItemDto, AccessListResponse,
};
use lakeward_gravitino_api::metadata_object::MetadataObjectDto;
use lakeward_metadata::object::MetadataObject;
use lakeward_operations::OperationError;
use lakeward_operations::access::{AccessItem, AccessPage, AccessPath, AccessQuestion};
use lakeward_operations::named::NamedSubject;
use lakeward_operations::paths::{ObjectPath, PrincipalPath};

use crate::app::App;
use crate::http::body::{NoBody, OptionalJson};
use crate::http::endpoint::{Endpoint, FromCall, FromPath, Governance, Request};
use crate::http::parts::Parts;
use crate::http::routes::Routes;
use crate::listing::all_routes;
use crate::operation_name::requirement;

/// The endpoints of this file.
pub fn routes() -> Routes {
    Routes::default().mount::<ExplainAccess>().mount::<ListAccess>()
}

/// The rights of others are for those who may grant and revoke them, on the metalake and on the object, and who have access
/// to the object: who owns it is told to nobody else.
const OF_OTHERS: Requirement = Requirement::All(&[
    Requirement::Holds(&[Privilege::ManageGrants]),
    Requirement::AccessTo,
    Requirement::ManageGrants,
]);

/// How many instruments one explanation takes: each is looked up.
const MOST_INSTRUMENTS: usize = 100;

impl FromCall<OptionalJson<AccessExplainRequest>> for AccessPath {
    /// The object, what is used on it, and whom it is about.
    fn from_call(
        _: &App,
        parts: &Parts,
        body: Option<&OptionalJson<AccessExplainRequest>>,
    ) -> Result<Self, OperationError> {
        let object = ObjectPath::from_path(parts)?;
        let request = body.and_then(|OptionalJson(request)| request.as_ref());
        let instruments = request
            .and_then(|request| request.instruments.as_deref())
            .unwrap_or_default();
        if instruments.len() > MOST_INSTRUMENTS {
            return Err(OperationError::invalid(format!(
                "`instruments` names {} objects, and may name at most {MOST_INSTRUMENTS}",
                instruments.len()
            )));
        }
        Ok(Self {
            object,
            instruments: instruments.iter().map(instrument).collect::<Result<_, _>>()?,
            about: request.map(|request| NamedSubject {
                user: request.user.clone(),
                states_groups: request.groups.is_some(),
            }),
        })
    }
}

fn instrument(named: &MetadataObjectDto) -> Result<MetadataObject, OperationError> {
    Ok(MetadataObject::parse(
        named.object_type.parse()?,
        &named.full_name,
    )?)
}

/// `POST …/objects/{type}/{fullName}/access/explain`: whether somebody may do something to the object, and why.
#[derive(Debug)]
pub struct ExplainAccess;

impl Endpoint for ExplainAccess {
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/metalakes/{metalake}/objects/{type}/{fullName}/access/explain";
    const REQUIRES: Requirement = Requirement::IfRequest {
        says: lakeward_authorization::requirement::Circumstance::ConcernsAnother,
        then: &OF_OTHERS,
        otherwise: &Requirement::Member,
    };
    const READS: bool = true;
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = AccessPath;
    type Body = OptionalJson<AccessExplainRequest>;
    type Reply = AccessExplainResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<AccessPath>,
        OptionalJson(body): Self::Body,
    ) -> Result<AccessExplainResponse, OperationError> {
        let body = body.unwrap_or_default();
        let (operation, requires) = requirement(
            &all_routes(),
            body.operation.as_deref(),
            path.object.object.kind,
            !path.instruments.is_empty(),
        )?;
        let question = AccessQuestion {
            user: body.user,
            groups: body.groups,
            operation,
            requires,
        };
        let explanation = app
            .operations
            .explain_access(&request.call, path, &question)
            .await?;
        Ok(AccessExplainResponse { code: 0, explanation })
    }
}

/// How many objects a page has unless the request says how many.
const PAGE: u32 = 100;
/// How many it has at most.
const MOST: u32 = 1_000;

/// `GET …/users/{user}/access?pageSize=&pageToken=`: what a user may do, object by object. For the user, and for those who
/// may grant and revoke.
#[derive(Debug)]
pub struct ListAccess;

impl Endpoint for ListAccess {
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/metalakes/{metalake}/users/{user}/access";
    const REQUIRES: Requirement =
        Requirement::Any(&[Requirement::Holds(&[Privilege::ManageGrants]), Requirement::Named]);
    const GOVERNANCE: Governance = Governance::NoTable;
    type Target = PrincipalPath;
    type Body = NoBody;
    type Reply = AccessListResponse;

    async fn run(
        app: &App,
        request: &Request,
        path: Authorized<PrincipalPath>,
        _: NoBody,
    ) -> Result<AccessListResponse, OperationError> {
        let user = path.principal.name.clone();
        let page = AccessPage {
            after: after(&user, request.parts.query("pageToken"))?,
            limit: limit(request.parts.query("pageSize"))?,
        };
        let list = app.operations.list_access(&request.call, path, page).await?;
        Ok(AccessListResponse {
            code: 0,
            subject: list.subject,
            access: list.items.into_iter().map(item_dto).collect(),
            next_page_token: list.next.map(|after| token(&user, after)),
            revision: list.revision,
        })
    }
}

fn item_dto(item: AccessItem) -> AccessItemDto {
    let names = |privileges: Vec<Privilege>| {
        privileges
            .into_iter()
            .map(|privilege| privilege.as_str().to_owned())
            .collect()
    };
    AccessItemDto {
        object: (&item.object).into(),
        owner: item.owner,
        owned_above: item.is_owned_above,
        says: item.says,
        effective: names(item.held),
        denied: names(item.denied),
        missing: names(item.missing),
    }
}

fn limit(text: Option<&str>) -> Result<u32, OperationError> {
    let Some(text) = text else { return Ok(PAGE) };
    text.parse()
        .ok()
        .filter(|limit| (1..=MOST).contains(limit))
        .ok_or_else(|| {
            OperationError::invalid(format!(
                "`pageSize` is `{text}`, and must be a number from 1 to {MOST}"
            ))
        })
}

/// Says where the next page begins, and of whose list; it gives nobody more than the list itself does.
fn token(user: &str, after: i64) -> String {
    URL_SAFE_NO_PAD.encode(format!("access\0{after}\0{user}"))
}

fn after(user: &str, token: Option<&str>) -> Result<i64, OperationError> {
    let Some(token) = token.filter(|token| !token.is_empty()) else {
        return Ok(0);
    };
    let read = || -> Option<i64> {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
        let (after, of) = text.strip_prefix("access\0")?.split_once('\0')?;
        let after = after.parse().ok().filter(|after| *after >= 0)?;
        (of == user).then_some(after)
    };
    read().ok_or_else(|| {
        OperationError::invalid("`pageToken` is not a token of this list; start again with an empty one")
    })
}

#[cfg(test)]
mod tests {
    use super::{after, limit, token};

    #[test]
    fn a_token_is_good_for_its_list_only() {
        let ann = token("ann", 42);
        assert_eq!(after("ann", Some(&ann)).unwrap(), 42);
        assert_eq!(after("ann", None).unwrap(), 0);
        for (user, refused) in [
            ("bob", ann.as_str()),
            ("ann", "%%%"),
            ("ann", "x"),
            ("ann", &token("ann", -1)),
        ] {
            assert!(after(user, Some(refused)).is_err(), "{user} {refused}");
        }
    }

    #[test]
    fn a_page_has_a_size() {
        assert_eq!(limit(None).unwrap(), 100);
        assert_eq!(limit(Some("7")).unwrap(), 7);
        for text in ["0", "-1", "1001", "x", ""] {
            assert!(limit(Some(text)).is_err(), "{text}");
        }
    }
}
