// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A small client of the native API.

use std::fmt;

use reqwest::{Method, StatusCode};
use serde_json::Value;
use url::Url;

/// The API of one server as one user.
#[derive(Debug, Clone)]
pub(crate) struct NativeClient {
    base: Url,
    user: String,
    password: String,
    http: reqwest::Client,
}

/// A refusal of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// HTTP status.
    pub(crate) status: u16,
    /// The protocol's type of the error.
    pub(crate) kind: String,
    /// What the server said.
    pub(crate) message: String,
    /// By which the operator finds the request.
    pub(crate) request_id: Option<String>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message.lines().next().unwrap_or("no message");
        write!(f, "{message} (status {}", self.status)?;
        if !self.kind.is_empty() {
            write!(f, ", {}", self.kind)?;
        }
        if let Some(request_id) = &self.request_id {
            write!(f, ", request {request_id}")?;
        }
        f.write_str(")")
    }
}

impl std::error::Error for Refused {}

/// Content type of all other calls.
const JSON: &str = "application/json";

/// Content type of the call that assigns tags with values.
const VALUED_TAGS: &str = "application/vnd.gravitino.v2+json";

impl NativeClient {
    /// A client for the server at `base`, `http://host:port`.
    pub(crate) fn new(base: &str, user: &str, password: &str) -> anyhow::Result<Self> {
        Ok(Self {
            base: base.parse()?,
            user: user.to_owned(),
            password: password.to_owned(),
            http: reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .build()?,
        })
    }

    /// `GET` below `/api`; segments are escaped here.
    pub(crate) async fn get(&self, path: &[&str]) -> anyhow::Result<Value> {
        self.send(Method::GET, path, None, None).await
    }

    /// `POST`
    pub(crate) async fn post(&self, path: &[&str], body: Value) -> anyhow::Result<Value> {
        self.send(Method::POST, path, Some(body), None).await
    }

    /// `PUT`
    pub(crate) async fn put(&self, path: &[&str], body: Value) -> anyhow::Result<Value> {
        self.send(Method::PUT, path, Some(body), None).await
    }

    /// `PATCH`
    pub(crate) async fn patch(&self, path: &[&str], body: Value) -> anyhow::Result<Value> {
        self.send(Method::PATCH, path, Some(body), None).await
    }

    /// `DELETE`
    pub(crate) async fn delete(&self, path: &[&str]) -> anyhow::Result<Value> {
        self.send(Method::DELETE, path, None, None).await
    }

    /// Assigns a tag with a value; assigning it again changes nothing.
    pub(crate) async fn assign_tag(&self, object: &[&str], tag: &str, value: &str) -> anyhow::Result<()> {
        let body = serde_json::json!({ "tagsToAdd": [{ "name": tag, "value": value }] });
        self.send(Method::POST, object, Some(body), Some(VALUED_TAGS))
            .await?;
        Ok(())
    }

    /// `POST` unless the object exists already. Whether it was made.
    pub(crate) async fn ensure(&self, path: &[&str], body: Value) -> anyhow::Result<bool> {
        match self.post(path, body).await {
            Ok(_) => Ok(true),
            Err(error) => match error.downcast_ref::<Refused>() {
                Some(refused) if refused.status == StatusCode::CONFLICT.as_u16() => Ok(false),
                _ => Err(error),
            },
        }
    }

    async fn send(
        &self,
        method: Method,
        path: &[&str],
        body: Option<Value>,
        content_type: Option<&str>,
    ) -> anyhow::Result<Value> {
        let mut url = self.base.clone();
        url.path_segments_mut()
            .map_err(|()| anyhow::anyhow!("`{}` is not an HTTP address", self.base))?
            .pop_if_empty()
            .push("api")
            .extend(path);
        let mut request = self
            .http
            .request(method, url)
            .basic_auth(&self.user, Some(&self.password));
        if let Some(body) = body {
            let content_type = content_type.unwrap_or(JSON);
            request = request
                .header(reqwest::header::CONTENT_TYPE, content_type)
                .header(reqwest::header::ACCEPT, content_type)
                .body(serde_json::to_vec(&body)?);
        }
        let response = request.send().await?;
        let status = response.status();
        let request_id = response
            .headers()
            .get("x-request-id")
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let text = response.text().await?;
        if status.is_success() {
            return Ok(serde_json::from_str(&text).unwrap_or(Value::Null));
        }
        let answer: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let member = |name: &str| {
            answer
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        Err(Refused {
            status: status.as_u16(),
            kind: member("type"),
            message: member("message"),
            request_id,
        }
        .into())
    }
}
