// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The client of the native API that all commands use.

use std::fmt;

use anyhow::Context;
use lakeward_tls::machine::authorities;
use reqwest::{Method, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use crate::credentials::Credentials;

/// The API of one server as one user.
#[derive(Debug, Clone)]
pub(crate) struct NativeClient {
    base: Url,
    credentials: Credentials,
    http: reqwest::Client,
}

/// One call of the API.
#[derive(Debug, Clone)]
pub(crate) struct Request<'a> {
    pub(crate) method: Method,
    /// Segments below `/api`; they are escaped when they are sent.
    pub(crate) path: &'a [&'a str],
    pub(crate) query: &'a [(&'a str, &'a str)],
    pub(crate) body: Option<Value>,
    /// Whether the body assigns tags with values, which is a media type of its own.
    pub(crate) tags_have_values: bool,
}

impl<'a> Request<'a> {
    /// A call without query and body.
    pub(crate) fn new(method: Method, path: &'a [&'a str]) -> Self {
        Self {
            method,
            path,
            query: &[],
            body: None,
            tags_have_values: false,
        }
    }

    /// The call with a body.
    pub(crate) fn with(self, body: Value) -> Self {
        Self {
            body: Some(body),
            ..self
        }
    }
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
        let message = self.message.lines().next().unwrap_or("the server refuses");
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

/// What is said of an answer that is not what the protocol says.
const NOT_UNDERSTOOD: &str = "the answer of the server is not understood";

impl NativeClient {
    /// A client for the server at `base`, `http://host:port`.
    pub(crate) fn new(base: Url, credentials: Credentials) -> anyhow::Result<Self> {
        Ok(Self {
            base,
            credentials,
            http: http_client().build()?,
        })
    }

    /// `GET` below `/api`; segments are escaped here.
    pub(crate) async fn get(&self, path: &[&str]) -> anyhow::Result<Value> {
        self.send(Request::new(Method::GET, path)).await
    }

    /// `GET` with a query.
    pub(crate) async fn get_with(&self, path: &[&str], query: &[(&str, &str)]) -> anyhow::Result<Value> {
        self.send(Request {
            query,
            ..Request::new(Method::GET, path)
        })
        .await
    }

    /// `POST`
    pub(crate) async fn post(&self, path: &[&str], body: Value) -> anyhow::Result<Value> {
        self.send(Request::new(Method::POST, path).with(body)).await
    }

    /// `DELETE`
    pub(crate) async fn delete(&self, path: &[&str]) -> anyhow::Result<Value> {
        self.send(Request::new(Method::DELETE, path)).await
    }

    /// Sends one request.
    ///
    /// # Errors
    /// [`Refused`] for an answer that is no success; everything that can go wrong on the way.
    pub(crate) async fn send(&self, sent: Request<'_>) -> anyhow::Result<Value> {
        // They are left out of addresses, however they are written, so that another object would be meant.
        if let Some(name) = sent.path.iter().find(|name| matches!(**name, "." | "..")) {
            anyhow::bail!("`{name}` is no name that can be asked for");
        }
        let mut url = self.base.clone();
        url.path_segments_mut()
            .map_err(|()| anyhow::anyhow!("`{}` is not the address of a server", self.base))?
            .pop_if_empty()
            .push("api")
            .extend(sent.path);
        if !sent.query.is_empty() {
            url.query_pairs_mut().extend_pairs(sent.query);
        }
        let request = self.http.request(sent.method, url);
        let mut request = match &self.credentials {
            Credentials::Basic { user, password } => {
                request.basic_auth(user, Some(password.as_deref().unwrap_or_default()))
            }
            Credentials::Bearer(token) | Credentials::LoggedIn(token) => request.bearer_auth(token),
        };
        if let Some(body) = sent.body {
            let content_type = if sent.tags_have_values { VALUED_TAGS } else { JSON };
            request = request
                .header(reqwest::header::CONTENT_TYPE, content_type)
                .header(reqwest::header::ACCEPT, content_type)
                .body(serde_json::to_vec(&body)?);
        }
        let response = request
            .send()
            .await
            .with_context(|| format!("the server at {} does not answer", self.base))?;
        let status = response.status();
        let request_id = response
            .headers()
            .get("x-request-id")
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let text = response.text().await?;
        if status.is_success() {
            return match text.trim() {
                "" => Ok(Value::Null),
                text => serde_json::from_str(text).context(NOT_UNDERSTOOD),
            };
        }
        let answer: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let member = |name: &str| {
            answer
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let refused = anyhow::Error::new(Refused {
            status: status.as_u16(),
            kind: member("type"),
            message: member("message"),
            request_id,
        });
        let is_unknown = status == StatusCode::UNAUTHORIZED;
        Err(match self.credentials.advice().filter(|_| is_unknown) {
            Some(advice) => refused.context(advice),
            None => refused,
        })
    }

    /// What the server at `base` tells everybody of its configuration.
    ///
    /// # Errors
    /// When it does not answer, or says something else.
    pub(crate) async fn configs(base: &Url) -> anyhow::Result<Value> {
        let url = base.join("/configs")?;
        let http = http_client().build()?;
        let answer = http.get(url).send().await;
        let answer = answer.with_context(|| format!("the server at {base} does not answer"))?;
        answer
            .error_for_status()
            .context(NOT_UNDERSTOOD)?
            .json()
            .await
            .context(NOT_UNDERSTOOD)
    }
}

/// What all commands speak HTTP with. It trusts whom this machine trusts beside the usual authorities, and follows nobody
/// elsewhere, where credentials would go along.
pub(crate) fn http_client() -> reqwest::ClientBuilder {
    let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    authorities()
        .iter()
        .filter_map(|authority| reqwest::Certificate::from_der(authority).ok())
        .fold(builder, reqwest::ClientBuilder::add_root_certificate)
}

/// What only the demonstration needs: it makes what it shows.
#[cfg(feature = "reader")]
impl NativeClient {
    /// `PUT`
    pub(crate) async fn put(&self, path: &[&str], body: Value) -> anyhow::Result<Value> {
        self.send(Request::new(Method::PUT, path).with(body)).await
    }

    /// `PATCH`
    pub(crate) async fn patch(&self, path: &[&str], body: Value) -> anyhow::Result<Value> {
        self.send(Request::new(Method::PATCH, path).with(body)).await
    }

    /// Assigns a tag with a value; assigning it again changes nothing.
    pub(crate) async fn assign_tag(&self, object: &[&str], tag: &str, value: &str) -> anyhow::Result<()> {
        let body = serde_json::json!({ "tagsToAdd": [{ "name": tag, "value": value }] });
        self.send(Request {
            tags_have_values: true,
            ..Request::new(Method::POST, object).with(body)
        })
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
}

/// An answer as the type that it is expected to have.
pub(crate) fn understood<T: DeserializeOwned>(answer: Value) -> anyhow::Result<T> {
    serde_json::from_value(answer).context(NOT_UNDERSTOOD)
}

#[cfg(test)]
mod tests {
    use super::NativeClient;
    use crate::credentials::Credentials;

    #[tokio::test]
    async fn names_that_addresses_leave_out_are_not_asked_for() {
        // Nobody listens there, and nothing is sent.
        let client = NativeClient::new(
            "http://127.0.0.1:9".parse().unwrap(),
            Credentials::Basic {
                user: "ann".to_owned(),
                password: None,
            },
        )
        .unwrap();
        for name in [".", ".."] {
            let refused = client.delete(&["metalakes", "m", "policies", name]).await;
            let told = refused.unwrap_err().to_string();
            assert!(told.contains("no name that can be asked for"), "{told}");
        }
    }
}
