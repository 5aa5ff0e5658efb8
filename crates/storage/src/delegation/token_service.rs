// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The call `AssumeRole` of a token service (STS). What it answers is bounded, and of its refusals only the code is kept.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use chrono::DateTime;
use http::header::CONTENT_TYPE;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::storage_delegation::TemporaryCredential;
use reqsign_aws_v4::{Credential, RequestSigner};
use reqsign_core::hash::hex_sha256;
use reqsign_core::{Context, SignRequest};
use serde::Deserialize;
use url::{Url, form_urlencoded};

use super::declared::Declared;
use super::{own_keys, unexpected};
use crate::s3_settings::S3Settings;

/// How long the service may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The longest answer that is read. A session token has some thousand characters.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// The longest part of a credential: ten thousands of them are kept.
const MAX_PART_BYTES: usize = 4 * 1024;

/// A role of a token service.
pub(super) struct TokenService {
    http: reqwest::Client,
    endpoint: Url,
    region: String,
    role_arn: String,
    external_id: Option<String>,
    keys: Credential,
    lifetime: Duration,
}

// A secret must not reach a log by way of a derived implementation.
impl fmt::Debug for TokenService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenService")
            .field("region", &self.region)
            .field("role_arn", &self.role_arn)
            .finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    assume_role_result: AnswerResult,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct AnswerResult {
    credentials: AnswerCredentials,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct AnswerCredentials {
    access_key_id: String,
    secret_access_key: String,
    session_token: String,
    expiration: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Refusal {
    error: RefusalError,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RefusalError {
    code: String,
}

impl TokenService {
    /// The part of Amazon's clouds that the role is in, as ARNs name it (`aws`, `aws-cn`, `aws-us-gov`); the first for stores
    /// whose roles are named otherwise.
    pub(super) fn partition(&self) -> &str {
        let named = self.role_arn.strip_prefix("arn:").and_then(|rest| {
            let (partition, _) = rest.split_once(':')?;
            let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
            (partition.starts_with("aws") && partition.bytes().all(is_plain)).then_some(partition)
        });
        named.unwrap_or("aws")
    }

    /// The service that a catalog's properties name.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] for properties that are missing or wrong.
    pub(super) fn new(settings: &S3Settings, declared: &Declared) -> Result<Self, CatalogError> {
        let needs =
            |what: &str| CatalogError::Invalid(format!("`credential-providers` = `s3-token` needs `{what}`"));
        let role_arn = declared.role_arn.clone().ok_or_else(|| needs("s3-role-arn"))?;
        let region = settings.region.clone().ok_or_else(|| needs("s3-region"))?;
        let endpoint = match (&declared.token_service, &settings.endpoint) {
            (Some(endpoint), _) => endpoint.clone(),
            // The keys of another store mean nothing to Amazon, and are none of its business.
            (None, Some(_)) => return Err(needs("s3-token-service-endpoint")),
            (None, None) if region.starts_with("cn-") => format!("https://sts.{region}.amazonaws.com.cn"),
            (None, None) => format!("https://sts.{region}.amazonaws.com"),
        };
        let endpoint = Url::parse(&endpoint)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .filter(|url| url.username().is_empty() && url.password().is_none())
            .ok_or_else(|| {
                CatalogError::Invalid(
                    "the endpoint of the token service is no URL of a host (`https://sts.example.com`)"
                        .to_owned(),
                )
            })?;
        let http = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .connect_timeout(TIMEOUT)
            // What is signed for one host is for no other.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|_| unexpected("no client for the token service could be made"))?;
        Ok(Self {
            http,
            endpoint,
            region,
            role_arn,
            external_id: declared.external_id.clone(),
            keys: own_keys(settings)?,
            lifetime: declared.lifetime,
        })
    }

    /// A session of the role that keeps what a policy permits.
    ///
    /// # Errors
    /// [`CatalogError::Unavailable`] when the service refuses, or does not answer as it should.
    pub(super) async fn assume_role(
        &self,
        session_name: &str,
        policy: &str,
    ) -> Result<TemporaryCredential, CatalogError> {
        let request = self.request(session_name, policy).await?;
        let mut answer = self.http.execute(request).await.map_err(|error| {
            // The error's own text may hold the URL, and nothing of it helps more than what kind it is.
            unexpected(if error.is_timeout() {
                "the token service does not answer in time"
            } else {
                "the token service cannot be reached"
            })
        })?;
        let status = answer.status();
        let mut body = Vec::new();
        while let Some(chunk) = answer
            .chunk()
            .await
            .map_err(|_| unexpected("the answer of the token service broke off"))?
        {
            if body.len() + chunk.len() > MAX_ANSWER_BYTES {
                return Err(unexpected("the token service answers more than an answer can be"));
            }
            body.extend_from_slice(&chunk);
        }
        let text = String::from_utf8_lossy(&body);
        if !status.is_success() {
            return Err(CatalogError::Unavailable(format!(
                "the token service refuses the role: {} {}",
                status.as_u16(),
                refusal_code(&text)
            )));
        }
        credential(&text)
            .ok_or_else(|| unexpected("the token service answers something else than credentials"))
    }

    fn form(&self, session_name: &str, policy: &str) -> Bytes {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("Action", "AssumeRole")
            .append_pair("Version", "2011-06-15")
            .append_pair("RoleArn", &self.role_arn)
            .append_pair("RoleSessionName", session_name)
            .append_pair("DurationSeconds", &self.lifetime.as_secs().to_string())
            .append_pair("Policy", policy);
        if let Some(external_id) = &self.external_id {
            form.append_pair("ExternalId", external_id);
        }
        Bytes::from(form.finish())
    }

    async fn request(&self, session_name: &str, policy: &str) -> Result<reqwest::Request, CatalogError> {
        let body = self.form(session_name, policy);
        let failed = || unexpected("the request to the token service could not be signed");
        let (mut parts, body) = http::Request::post(self.endpoint.as_str())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header("x-amz-content-sha256", hex_sha256(&body))
            .body(body)
            .map_err(|_| failed())?
            .into_parts();
        RequestSigner::new("sts", &self.region)
            .with_standard_session_token()
            .sign_request(&Context::new(), &mut parts, Some(&self.keys), None)
            .await
            .map_err(|_| failed())?;
        reqwest::Request::try_from(http::Request::from_parts(parts, body)).map_err(|_| failed())
    }
}

fn credential(text: &str) -> Option<TemporaryCredential> {
    let answer: Answer = quick_xml::de::from_str(text).ok()?;
    let given = answer.assume_role_result.credentials;
    let is_whole = ![
        &given.access_key_id,
        &given.secret_access_key,
        &given.session_token,
    ]
    .into_iter()
    .any(|part| {
        part.is_empty()
            || part.len() > MAX_PART_BYTES
            || part.chars().any(|character| !character.is_ascii_graphic())
    });
    is_whole.then_some(())?;
    let expires_at = DateTime::parse_from_rfc3339(&given.expiration)
        .ok()?
        .timestamp_millis();
    Some(TemporaryCredential {
        access_key_id: given.access_key_id,
        secret_access_key: given.secret_access_key,
        session_token: given.session_token,
        expires_at,
    })
}

/// The code of a refusal, if there is one that can be written into a log.
fn refusal_code(text: &str) -> String {
    let code = quick_xml::de::from_str::<Refusal>(text).map(|refusal| refusal.error.code);
    code.ok()
        .filter(|code| {
            code.len() <= 64
                && code
                    .chars()
                    .all(|character| character.is_ascii_alphanumeric() || character == '.')
        })
        .unwrap_or_else(|| "(without a code)".to_owned())
}
