// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The properties of a catalog that say what it delegates, in Gravitino's names.

use std::time::Duration;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::property::{PropertyDeclaration, PropertyKind};
use lakeward_metadata::Properties;

const fn text(name: &'static str, meaning: &'static str) -> PropertyDeclaration {
    PropertyDeclaration::optional(name, PropertyKind::Text, meaning)
}

/// `credential-providers`
pub const CREDENTIAL_PROVIDERS: PropertyDeclaration = text(
    "credential-providers",
    "which credentials are given out to clients: `s3-token`, or none where it is not set",
);

/// `data-access`
pub const DATA_ACCESS: PropertyDeclaration = text(
    "data-access",
    "how clients get to the files: `vended-credentials`, `remote-signing` or both, separated by commas; what \
     `credential-providers` names where it is not set",
);

/// `s3-role-arn`
pub const ROLE_ARN: PropertyDeclaration = text(
    "s3-role-arn",
    "the role whose rights, cut down to one table or fileset, the credentials of clients have",
);

/// `s3-external-id`
pub const EXTERNAL_ID: PropertyDeclaration = text(
    "s3-external-id",
    "the external id that the role's trust policy asks for",
)
.hidden();

/// `s3-token-service-endpoint`
pub const TOKEN_SERVICE_ENDPOINT: PropertyDeclaration = text(
    "s3-token-service-endpoint",
    "the endpoint of the token service (STS); Amazon's of the region where the store is Amazon's",
);

/// `s3-token-expire-in-secs`
pub const TOKEN_EXPIRE_IN_SECS: PropertyDeclaration = PropertyDeclaration::optional(
    "s3-token-expire-in-secs",
    PropertyKind::Integer,
    "how long a credential is good for, 900 to 43200 seconds; 3600 where it is not set",
);

/// `credential-cache-expire-ratio`
pub const CACHE_EXPIRE_RATIO: PropertyDeclaration = text(
    "credential-cache-expire-ratio",
    "the share of a credential's time at whose beginning another is fetched, counted from its end; 0.15 where it is not set",
);

/// `credential-cache-max-size`
pub const CACHE_MAX_SIZE: PropertyDeclaration = PropertyDeclaration::optional(
    "credential-cache-max-size",
    PropertyKind::Integer,
    "how many credentials are kept, 10000 at most; as many where it is not set",
);

const fn kept_secret(name: &'static str) -> PropertyDeclaration {
    text(
        name,
        "a secret of a storage that this server does not reach: kept, never shown, and without effect",
    )
    .hidden()
}

/// `azure-client-secret`
pub const AZURE_CLIENT_SECRET: PropertyDeclaration = kept_secret("azure-client-secret");
/// `oss-access-key-id`
pub const OSS_ACCESS_KEY_ID: PropertyDeclaration = kept_secret("oss-access-key-id");
/// `oss-secret-access-key`
pub const OSS_SECRET_ACCESS_KEY: PropertyDeclaration = kept_secret("oss-secret-access-key");

/// Providers of credentials that the original has and this server does not, by why.
const OTHERS: &[(&[&str], &str)] = &[
    (
        &[
            "s3-secret-key",
            "oss-secret-key",
            "cos-secret-key",
            "azure-account-key",
        ],
        "it would give out the catalog's own keys, which reach more than what is asked for; use `s3-token`",
    ),
    (
        &[
            "aws-irsa",
            "gcs-token",
            "adls-token",
            "oss-token",
            "jdbc-user-password",
        ],
        "this server does not have it; it has `s3-token`",
    ),
];

/// What the properties say, checked.
#[derive(Debug, PartialEq)]
pub(super) struct Declared {
    pub(super) has_s3_token: bool,
    pub(super) vends: bool,
    pub(super) signs: bool,
    pub(super) role_arn: Option<String>,
    pub(super) external_id: Option<String>,
    pub(super) token_service: Option<String>,
    pub(super) lifetime: Duration,
    pub(super) expire_ratio: f64,
    pub(super) cache_size: u64,
}

impl Declared {
    pub(super) fn read(properties: &Properties) -> Result<Self, CatalogError> {
        let value = |declaration: &PropertyDeclaration| properties.get(declaration.name);
        let id = properties.contains_key(crate::s3_settings::ACCESS_KEY_ID.name);
        let secret = properties.contains_key(crate::s3_settings::SECRET_ACCESS_KEY.name);
        if id != secret {
            return Err(CatalogError::Invalid(
                "`s3-access-key-id` and `s3-secret-access-key` go together: set both or none".to_owned(),
            ));
        }
        let mut has_s3_token = false;
        for provider in list(value(&CREDENTIAL_PROVIDERS)) {
            has_s3_token |= is_s3_token(provider)?;
        }
        let mut vends = has_s3_token;
        let mut signs = false;
        if let Some(access) = value(&DATA_ACCESS) {
            vends = false;
            for way in list(Some(access)) {
                match way {
                    "vended-credentials" if has_s3_token => vends = true,
                    "vended-credentials" => {
                        return Err(CatalogError::Invalid(
                            "`data-access` = `vended-credentials` needs `credential-providers` = `s3-token`"
                                .to_owned(),
                        ));
                    }
                    "remote-signing" => signs = true,
                    other => {
                        return Err(CatalogError::Invalid(format!(
                            "`data-access` has `{other}`; it may have `vended-credentials` and `remote-signing`"
                        )));
                    }
                }
            }
        }
        let lifetime = number(&TOKEN_EXPIRE_IN_SECS, properties, 3600, 900..=43_200)?;
        let expire_ratio = match value(&CACHE_EXPIRE_RATIO) {
            None => 0.15,
            Some(text) => text
                .parse::<f64>()
                .ok()
                .filter(|ratio| (0.0..1.0).contains(ratio))
                .ok_or_else(|| {
                    CatalogError::Invalid(
                        "the value of property `credential-cache-expire-ratio` must be a number from 0 up to, but not, 1"
                            .to_owned(),
                    )
                })?,
        };
        Ok(Self {
            has_s3_token,
            vends,
            signs,
            role_arn: value(&ROLE_ARN).cloned(),
            external_id: value(&EXTERNAL_ID).cloned(),
            token_service: value(&TOKEN_SERVICE_ENDPOINT).cloned(),
            lifetime: Duration::from_secs(lifetime),
            expire_ratio,
            cache_size: number(&CACHE_MAX_SIZE, properties, 10_000, 0..=10_000)?,
        })
    }
}

fn list(text: Option<&String>) -> impl Iterator<Item = &str> {
    text.map(String::as_str)
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

fn is_s3_token(provider: &str) -> Result<bool, CatalogError> {
    if provider == "s3-token" {
        return Ok(true);
    }
    let other = OTHERS.iter().find(|(names, _)| names.contains(&provider));
    Err(match other {
        Some((_, why)) => CatalogError::Unsupported(format!(
            "`credential-providers` has `{provider}`, which is refused: {why}"
        )),
        None => CatalogError::Invalid(format!(
            "`credential-providers` has `{provider}`; there is no provider of credentials of that name"
        )),
    })
}

fn number(
    declaration: &PropertyDeclaration,
    properties: &Properties,
    default: u64,
    range: std::ops::RangeInclusive<u64>,
) -> Result<u64, CatalogError> {
    let Some(text) = properties.get(declaration.name) else {
        return Ok(default);
    };
    text.parse::<u64>()
        .ok()
        .filter(|number| range.contains(number))
        .ok_or_else(|| {
            CatalogError::Invalid(format!(
                "the value of property `{}` must be a whole number from {} to {}",
                declaration.name,
                range.start(),
                range.end()
            ))
        })
}
