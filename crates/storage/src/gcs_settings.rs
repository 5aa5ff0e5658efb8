// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How Google Cloud Storage is reached, from the properties of a catalog, in Gravitino's names and Iceberg's.

use std::fmt;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::property::{PropertyDeclaration, PropertyKind};
use lakeward_metadata::Properties;

const SERVICE_ACCOUNT_FILE_NAME: &str = "gcs-service-account-file";
const CREDENTIALS_JSON_NAME: &str = "gcs.credentials-json";
const TOKEN_NAME: &str = "gcs.oauth2.token";
const NO_AUTH_NAME: &str = "gcs.no-auth";
const SERVICE_HOST_NAME: &str = "gcs.service.host";

/// `gcs-service-account-file`
pub const SERVICE_ACCOUNT_FILE: PropertyDeclaration = PropertyDeclaration::optional(
    SERVICE_ACCOUNT_FILE_NAME,
    PropertyKind::Text,
    "the file on the server with the key of the service account",
);

/// `gcs.credentials-json`
pub const CREDENTIALS_JSON: PropertyDeclaration = PropertyDeclaration::optional(
    CREDENTIALS_JSON_NAME,
    PropertyKind::Text,
    "the key of the service account itself, as JSON",
)
.hidden();

/// `gcs.oauth2.token`
pub const TOKEN: PropertyDeclaration = PropertyDeclaration::optional(
    TOKEN_NAME,
    PropertyKind::Text,
    "an access token for Google Cloud Storage, which is not renewed",
)
.hidden();

/// `gcs.no-auth`
pub const NO_AUTH: PropertyDeclaration = PropertyDeclaration::optional(
    NO_AUTH_NAME,
    PropertyKind::Boolean,
    "whether requests to Google Cloud Storage carry no credential",
);

/// `gcs.service.host`
pub const SERVICE_HOST: PropertyDeclaration = PropertyDeclaration::optional(
    SERVICE_HOST_NAME,
    PropertyKind::Text,
    "the endpoint of a store that speaks like Google Cloud Storage and asks for no credentials; that of Google where it is not set",
).immutable();

/// How Google Cloud Storage is reached.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct GcsSettings {
    pub(crate) endpoint: Option<String>,
    file: Option<String>,
    json: Option<String>,
    token: Option<String>,
    no_auth: bool,
}

/// What proves to Google who the server is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GcsCredential<'a> {
    /// The path of a service account's key.
    File(&'a str),
    /// The key itself.
    Json(&'a str),
    /// An access token.
    Token(&'a str),
    /// Nothing.
    None,
}

// A secret must not reach a log by way of a derived implementation.
impl fmt::Debug for GcsSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GcsSettings")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl GcsSettings {
    /// Reads the settings.
    pub fn from_properties(properties: &Properties) -> Self {
        let text = |name: &str| properties.get(name).cloned();
        Self {
            endpoint: text(SERVICE_HOST_NAME),
            file: text(SERVICE_ACCOUNT_FILE_NAME),
            json: text(CREDENTIALS_JSON_NAME),
            token: text(TOKEN_NAME),
            no_auth: properties
                .get(NO_AUTH_NAME)
                .is_some_and(|value| value.eq_ignore_ascii_case("true")),
        }
    }

    /// The one credential that is set.
    pub(crate) fn credential(&self) -> Result<GcsCredential<'_>, CatalogError> {
        let mut set = [
            self.file.as_deref().map(GcsCredential::File),
            self.json.as_deref().map(GcsCredential::Json),
            self.token.as_deref().map(GcsCredential::Token),
            self.no_auth.then_some(GcsCredential::None),
        ]
        .into_iter()
        .flatten();
        match (set.next(), set.next()) {
            // Whoever makes the catalog names the store, which would be told what proves the server to Google.
            (Some(credential), None) if self.endpoint.is_some() && credential != GcsCredential::None => {
                Err(CatalogError::Invalid(format!(
                    "`{SERVICE_HOST_NAME}` is for stores without credentials: it needs `{NO_AUTH_NAME}`, and the others are \
                     sent to Google alone"
                )))
            }
            (Some(credential), None) => Ok(credential),
            (None | Some(_), _) => Err(CatalogError::Invalid(format!(
                "a `gs` location needs exactly one of `{SERVICE_ACCOUNT_FILE_NAME}`, `{CREDENTIALS_JSON_NAME}`, \
                 `{TOKEN_NAME}` and `{NO_AUTH_NAME}`"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> GcsSettings {
        let properties = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        GcsSettings::from_properties(&properties.collect())
    }

    #[test]
    fn exactly_one_credential_counts() {
        assert!(settings(&[]).credential().is_err());
        assert!(settings(&[(NO_AUTH_NAME, "false")]).credential().is_err());
        assert!(
            settings(&[(NO_AUTH_NAME, "true"), (TOKEN_NAME, "t")])
                .credential()
                .is_err()
        );
        let check = |name: &str, expected: GcsCredential<'_>| {
            assert!(
                settings(&[(name, "true")]).credential().unwrap() == expected,
                "{name}"
            );
        };
        check(NO_AUTH_NAME, GcsCredential::None);
        check(TOKEN_NAME, GcsCredential::Token("true"));
        check(CREDENTIALS_JSON_NAME, GcsCredential::Json("true"));
        check(SERVICE_ACCOUNT_FILE_NAME, GcsCredential::File("true"));
    }

    #[test]
    fn another_store_is_told_nothing() {
        for name in [SERVICE_ACCOUNT_FILE_NAME, CREDENTIALS_JSON_NAME, TOKEN_NAME] {
            let told = settings(&[(SERVICE_HOST_NAME, "http://elsewhere"), (name, "true")]);
            assert!(told.credential().is_err(), "{name}");
        }
        let nobody = settings(&[(SERVICE_HOST_NAME, "http://elsewhere"), (NO_AUTH_NAME, "true")]);
        assert!(nobody.credential().unwrap() == GcsCredential::None);
    }

    #[test]
    fn secrets_are_hidden() {
        let shown = format!(
            "{:?}",
            settings(&[(TOKEN_NAME, "hush"), (CREDENTIALS_JSON_NAME, "hush")])
        );
        assert!(!shown.contains("hush"), "{shown}");
        const { assert!(TOKEN.hidden && CREDENTIALS_JSON.hidden) };
    }
}
