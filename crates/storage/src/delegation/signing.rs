// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Signatures for single requests to S3: for one object inside the scope, with a method, a query and headers that do to it
//! what the scope permits and nothing else. What is not known to be harmless is refused.

mod permitted;

use http::header::HOST;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Request, Uri};
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::storage_delegation::{DelegationScope, UnsignedRequest};
use percent_encoding::percent_decode_str;
use reqsign_aws_v4::{Credential, RequestSigner};
use reqsign_core::{Context, SignRequest};
use url::Url;

use super::metadata_names::is_metadata_file;
use super::unexpected;
use crate::location::Location;
use crate::s3_settings::S3Settings;

const PAYLOAD_HASH: HeaderName = HeaderName::from_static("x-amz-content-sha256");
const TRAILER: HeaderName = HeaderName::from_static("x-amz-trailer");

/// The most headers of a request, far below what their map holds.
const MAX_HEADERS: usize = 100;

/// A host, with the port where it is not the scheme's own.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Endpoint {
    scheme: String,
    host: String,
    port: Option<u16>,
}

/// Signs requests for a catalog's store.
#[derive(Debug)]
pub(super) struct Signer {
    /// The hosts that the store is reached by, without any bucket.
    endpoints: Vec<Endpoint>,
    /// The catalog's region; the client's where it is not set.
    region: Option<String>,
}

/// A request that may be signed.
#[derive(Debug)]
pub(super) struct CheckedRequest {
    object: Location,
    parts: Parts,
    region: String,
    /// Whether the client itself says what the payload's hash is.
    sends_hash: bool,
}

impl CheckedRequest {
    /// What it reaches.
    pub(super) fn object(&self) -> &Location {
        &self.object
    }
}

impl Signer {
    /// A signer for the store of a catalog.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] for an endpoint that no request could be compared with, and without keys.
    pub(super) fn new(settings: &S3Settings) -> Result<Self, CatalogError> {
        super::own_keys(settings)?;
        let endpoints = match &settings.endpoint {
            Some(endpoint) => vec![own_endpoint(endpoint)?],
            None => amazon_endpoints(settings.region.as_deref()),
        };
        Ok(Self {
            endpoints,
            region: settings.region.clone(),
        })
    }

    /// Checks a request against a scope.
    ///
    /// # Errors
    /// As of [`lakeward_catalog::storage_delegation::StorageDelegation::sign`].
    pub(super) fn check(
        &self,
        scope: &DelegationScope,
        request: &UnsignedRequest,
    ) -> Result<CheckedRequest, CatalogError> {
        let invalid = |reason: &str| CatalogError::Invalid(format!("the request cannot be signed: {reason}"));
        // The parser of URIs cuts a fragment off, so that something else would be checked than was said.
        let uri: Uri = Some(&request.uri)
            .filter(|uri| !uri.contains('#'))
            .and_then(|uri| uri.parse().ok())
            .ok_or_else(|| invalid("`uri` is no absolute URI"))?;
        let within = scope
            .locations
            .iter()
            .map(|location| Location::parse(location))
            .collect::<Result<Vec<_>, _>>()?;
        let object = self.object(&uri, within.iter().map(Location::bucket))?;
        // A key that is the place itself would be a file beside the folder.
        if !within
            .iter()
            .any(|outer| object.is_within(outer) && object != *outer)
        {
            return Err(refused("it names something outside the table's location"));
        }
        let writes = permitted::check_action(&request.method, uri.query().unwrap_or_default(), scope.access)?;
        if writes && scope.is_table && is_metadata_file(&object.key()) {
            return Err(refused(
                "it writes or deletes a metadata file, which the catalog alone does",
            ));
        }
        if request.headers.len() > MAX_HEADERS {
            return Err(invalid("it has more than 100 headers"));
        }
        let region = self.region.as_deref().unwrap_or(&request.region);
        let is_region = |region: &str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            (1..=64).contains(&region.len()) && region.bytes().all(plain)
        };
        if !is_region(region) {
            return Err(invalid("`region` is none"));
        }
        let mut signed = Request::builder()
            .method(request.method.as_str())
            .uri(uri)
            .body(())
            .map_err(|_| invalid("`method` or `uri` is none"))?
            .into_parts()
            .0;
        for (name, value) in &request.headers {
            let name =
                HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid("a header has no name"))?;
            let value = HeaderValue::from_str(value).map_err(|_| invalid("a header has no value"))?;
            if name == HOST {
                if Some(value.as_bytes()) != signed.uri.authority().map(|host| host.as_str().as_bytes()) {
                    return Err(invalid("`Host` is another host than that of `uri`"));
                }
            } else if permitted::is_signed(name.as_str())? {
                signed.headers.append(name, value);
            }
        }
        let sends_hash = signed.headers.contains_key(PAYLOAD_HASH);
        if signed.headers.contains_key(TRAILER) && !sends_hash {
            // A client that leaves signing to others sends its checksum behind the payload all the same.
            let hash = HeaderValue::from_static("STREAMING-UNSIGNED-PAYLOAD-TRAILER");
            signed.headers.insert(PAYLOAD_HASH, hash);
        }
        Ok(CheckedRequest {
            object,
            parts: signed,
            region: region.to_owned(),
            sends_hash,
        })
    }

    /// Signs a request that was checked. Gives what it has to be sent with in addition.
    ///
    /// # Errors
    /// [`CatalogError::Unavailable`] when it cannot be signed.
    pub(super) async fn sign(
        &self,
        checked: CheckedRequest,
        credential: &Credential,
    ) -> Result<Vec<(String, String)>, CatalogError> {
        let mut parts = checked.parts;
        let held = parts.headers.clone();
        RequestSigner::new("s3", &checked.region)
            .with_standard_session_token()
            .sign_request(&Context::new(), &mut parts, Some(credential), None)
            .await
            .map_err(|_| unexpected("a request could not be signed"))?;
        let mut added = Vec::new();
        for (name, value) in &parts.headers {
            let is_new = !held.contains_key(name) || (*name == PAYLOAD_HASH && !checked.sends_hash);
            if is_new && name != HOST {
                let value = value.to_str().map_err(|_| unexpected("a signature is no text"))?;
                added.push((name.as_str().to_owned(), value.to_owned()));
            }
        }
        Ok(added)
    }

    /// The object that a URI names, if its host is the store's.
    fn object<'a>(
        &self,
        uri: &Uri,
        buckets: impl Iterator<Item = &'a str>,
    ) -> Result<Location, CatalogError> {
        let asked =
            asked_endpoint(uri).ok_or_else(|| refused("`uri` has no host that requests are signed for"))?;
        let path = uri.path().strip_prefix('/').unwrap_or_default();
        let lower = path.to_ascii_lowercase();
        if ["%2f", "%5c", "%00"].iter().any(|hidden| lower.contains(hidden)) {
            return Err(refused("its path has an encoded separator"));
        }
        let decoded = percent_decode_str(path)
            .decode_utf8()
            .map_err(|_| refused("its path is no UTF-8"))?;
        if self.endpoints.contains(&asked) {
            return Location::parse(&format!("s3://{decoded}"));
        }
        for bucket in buckets {
            let is_host = |endpoint: &Endpoint| {
                asked.scheme == endpoint.scheme
                    && asked.port == endpoint.port
                    && asked.host == format!("{}.{}", bucket.to_ascii_lowercase(), endpoint.host)
            };
            if self.endpoints.iter().any(is_host) {
                return Location::parse(&format!("s3://{bucket}/{decoded}"));
            }
        }
        Err(refused(
            "its host is neither that of the catalog's store nor of the table's bucket",
        ))
    }
}

fn refused(reason: &str) -> CatalogError {
    CatalogError::LocationRefused(format!("the request is not signed: {reason}"))
}

/// The endpoint that the catalog's properties name.
fn own_endpoint(text: &str) -> Result<Endpoint, CatalogError> {
    let invalid = || {
        CatalogError::Invalid(
            "`data-access` = `remote-signing` needs an `s3-endpoint` that is a scheme and a host (`https://s3.example.com`)"
                .to_owned(),
        )
    };
    let url = Url::parse(text).map_err(|_| invalid())?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    match url.host_str() {
        Some(host) if is_plain => Ok(Endpoint {
            scheme: url.scheme().to_owned(),
            host: host.to_ascii_lowercase(),
            port: url.port(),
        }),
        Some(_) | None => Err(invalid()),
    }
}

/// Amazon's own, without buckets.
fn amazon_endpoints(region: Option<&str>) -> Vec<Endpoint> {
    let mut hosts = vec!["s3.amazonaws.com".to_owned()];
    if let Some(region) = region {
        let domain = if region.starts_with("cn-") {
            "amazonaws.com.cn"
        } else {
            "amazonaws.com"
        };
        hosts.push(format!("s3.{region}.{domain}"));
        hosts.push(format!("s3.dualstack.{region}.{domain}"));
    }
    let endpoint = |host| Endpoint {
        scheme: "https".to_owned(),
        host,
        port: None,
    };
    hosts.into_iter().map(endpoint).collect()
}

/// The endpoint of a request; `None` for one with credentials or without a host.
fn asked_endpoint(uri: &Uri) -> Option<Endpoint> {
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let authority = uri
        .authority()
        .filter(|authority| !authority.as_str().contains('@'))?;
    let own_port = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    Some(Endpoint {
        host: authority.host().to_ascii_lowercase(),
        port: authority.port_u16().filter(|port| *port != own_port),
        scheme,
    })
}

#[cfg(test)]
mod tests;
