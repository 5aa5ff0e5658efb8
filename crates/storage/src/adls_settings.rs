// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How Azure Data Lake Storage is reached, from the properties of a catalog, in Gravitino's names and Iceberg's.

use std::fmt;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::property::{PropertyDeclaration, PropertyKind};
use lakeward_metadata::Properties;

const ACCOUNT_NAME_NAME: &str = "azure-storage-account-name";
const ACCOUNT_KEY_NAME: &str = "azure-storage-account-key";
const SAS_TOKEN_NAME: &str = "adls.sas-token";
const ENDPOINT_NAME: &str = "adls.endpoint";

/// `azure-storage-account-name`
pub const ACCOUNT_NAME: PropertyDeclaration = PropertyDeclaration::optional(
    ACCOUNT_NAME_NAME,
    PropertyKind::Text,
    "the storage account in Azure whose containers are reached",
);

/// `azure-storage-account-key`
pub const ACCOUNT_KEY: PropertyDeclaration = PropertyDeclaration::optional(
    ACCOUNT_KEY_NAME,
    PropertyKind::Text,
    "the key of the storage account",
)
.hidden();

/// `adls.sas-token`
pub const SAS_TOKEN: PropertyDeclaration = PropertyDeclaration::optional(
    SAS_TOKEN_NAME,
    PropertyKind::Text,
    "a shared access signature for the storage account, instead of its key",
)
.hidden();

/// `adls.endpoint`
pub const ENDPOINT: PropertyDeclaration = PropertyDeclaration::optional(
    ENDPOINT_NAME,
    PropertyKind::Text,
    "the endpoint of blobs of a store that speaks like Azure; the account's where it is not set",
)
.immutable();

/// How Azure is reached.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AdlsSettings {
    pub(crate) endpoint: Option<String>,
    account: Option<String>,
    key: Option<String>,
    sas: Option<String>,
}

/// What proves to Azure who the server is.
#[derive(PartialEq, Eq)]
pub(crate) enum AdlsCredential<'a> {
    /// The account's key.
    AccountKey(&'a str),
    /// The parameters of a shared access signature.
    Sas(Vec<(String, String)>),
}

// A secret must not reach a log by way of a derived implementation.
impl fmt::Debug for AdlsSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdlsSettings")
            .field("endpoint", &self.endpoint)
            .field("account", &self.account)
            .finish_non_exhaustive()
    }
}

impl AdlsSettings {
    /// Reads the settings.
    pub fn from_properties(properties: &Properties) -> Self {
        let text = |name: &str| properties.get(name).cloned();
        Self {
            endpoint: text(ENDPOINT_NAME),
            account: text(ACCOUNT_NAME_NAME),
            key: text(ACCOUNT_KEY_NAME),
            sas: text(SAS_TOKEN_NAME),
        }
    }

    /// The one credential that is set, for the account of a location. No other account is sent it: whoever names a
    /// location could have it sent to their own.
    pub(crate) fn credential(&self, account: &str) -> Result<AdlsCredential<'_>, CatalogError> {
        if self.account.as_deref() != Some(account) {
            return Err(CatalogError::Invalid(format!(
                "an `abfss` location is of the storage account that `{ACCOUNT_NAME_NAME}` says, and of no other"
            )));
        }
        match (&self.key, &self.sas) {
            (Some(key), None) => Ok(AdlsCredential::AccountKey(key)),
            (None, Some(sas)) => Ok(AdlsCredential::Sas(
                url::form_urlencoded::parse(sas.trim_start_matches('?').as_bytes())
                    .into_owned()
                    .collect(),
            )),
            (Some(_), Some(_)) | (None, None) => Err(CatalogError::Invalid(format!(
                "an `abfss` location needs exactly one of `{ACCOUNT_KEY_NAME}` and `{SAS_TOKEN_NAME}`"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> AdlsSettings {
        let properties = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        AdlsSettings::from_properties(&properties.collect())
    }

    #[test]
    fn one_credential_of_one_account_counts() {
        let name = (ACCOUNT_NAME_NAME, "lake");
        let key = (ACCOUNT_KEY_NAME, "a2V5");
        let sas = (SAS_TOKEN_NAME, "?sv=1&sig=a%2Bb%3D");
        assert!(settings(&[name]).credential("lake").is_err());
        assert!(settings(&[key]).credential("lake").is_err());
        assert!(settings(&[name, key, sas]).credential("lake").is_err());
        assert!(settings(&[name, key]).credential("other").is_err());
        assert!(settings(&[name, key]).credential("lake").unwrap() == AdlsCredential::AccountKey("a2V5"));
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let pairs = vec![pair("sv", "1"), pair("sig", "a+b=")];
        assert!(settings(&[name, sas]).credential("lake").unwrap() == AdlsCredential::Sas(pairs));
    }

    #[test]
    fn secrets_are_hidden() {
        let shown = format!(
            "{:?}",
            settings(&[(ACCOUNT_KEY_NAME, "hush"), (SAS_TOKEN_NAME, "hush")])
        );
        assert!(!shown.contains("hush"), "{shown}");
        const { assert!(ACCOUNT_KEY.hidden && SAS_TOKEN.hidden) };
    }
}
