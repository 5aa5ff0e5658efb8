// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Secrets: properties whose values are kept by a provider of secrets. Rows have URNs in their place, answers have
//! neither, and a value is in clear only between its provider and the provider of a catalog that needs it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lakeward_catalog::property::PropertyDeclarations;
use lakeward_metadata::Properties;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::secret::{NewSecret, NewSecrets, Plaintext, SecretUrn};
use lakeward_store::{StoreError, Write};

use crate::error::OperationError;
use crate::store_error::is_broken_commit;

mod provider;

/// Properties that are hidden, but reach others in clear: signatures name the key, the token service is told the id, and
/// the store that a catalog names is sent its token. What is referred to, whoever makes the catalog may not know.
const REACHES_OTHERS: &[&str] = &["s3-access-key-id", "s3-external-id", "adls.sas-token"];

pub(crate) use provider::SecretError;
use provider::SecretProvider;
pub use provider::{SecretProviderKind, SecretProviderSettings};

/// The providers of secrets.
#[derive(Debug, Clone)]
pub(crate) struct Secrets {
    providers: Arc<BTreeMap<String, SecretProvider>>,
}

/// What a new object has of secrets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Planned {
    /// What stands in the properties of its row.
    pub(crate) urns: Properties,
    /// The values in clear, by property.
    pub(crate) values: BTreeMap<String, Plaintext>,
    /// What a provider is yet to keep.
    bound: Vec<SecretUrn>,
}

/// Secrets that were kept for an object that is not there yet. Unless [`Self::commit`] is reached they are forgotten
/// again, also when the request is given up.
#[derive(Debug)]
pub(crate) struct Kept {
    secrets: Secrets,
    urns: Vec<SecretUrn>,
}

impl Secrets {
    pub(crate) fn new(providers: &[SecretProviderSettings]) -> Self {
        let providers = providers
            .iter()
            .map(|settings| (settings.name.clone(), SecretProvider::new(settings.kind.clone())))
            .collect();
        Self {
            providers: Arc::new(providers),
        }
    }

    /// What the secrets of a request mean for a new object of a kind.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] that names the property: for a provider that is not there or does not do it, for a
    /// reference to nothing, and for a property that is shown or made by the server.
    pub(crate) fn plan(
        &self,
        kind: &str,
        declared: &PropertyDeclarations,
        new: &NewSecrets,
    ) -> Result<Planned, OperationError> {
        // A number of its own, since the object has none yet. Random ones do not meet.
        let owner = uuid::Uuid::new_v4().as_u64_pair().0 >> 1;
        let mut planned = Planned::default();
        for (property, secret) in new {
            let invalid = |what: &dyn std::fmt::Display| {
                OperationError::invalid(format!("the secret of property `{property}`: {what}"))
            };
            if declared
                .find(property)
                .is_some_and(|declared| !declared.hidden || declared.reserved)
            {
                return Err(invalid(
                    &"the property is one that answers show, or that the server makes itself",
                ));
            }
            if matches!(secret, NewSecret::Reference { .. }) && REACHES_OTHERS.contains(&property.as_str()) {
                return Err(invalid(
                    &"others are sent it in clear, so it refers to no secret; set it as a property",
                ));
            }
            let name = match secret {
                NewSecret::Binding { provider, .. } | NewSecret::Reference { provider, .. } => provider,
            };
            let provider = self
                .providers
                .get(name)
                .ok_or_else(|| invalid(&format!("there is no provider of secrets `{name}`")))?;
            let refused = |error: SecretError| match error {
                SecretError::Broken(cause) => broken(property, name, &cause),
                other @ (SecretError::Refused(_) | SecretError::Missing | SecretError::Unusable) => {
                    invalid(&format!("the provider of secrets `{name}`: {other}"))
                }
            };
            let (urn, value) = match secret {
                NewSecret::Binding { plaintext, .. } => {
                    let urn =
                        SecretUrn::bound(name, kind, owner, property).map_err(|error| invalid(&error))?;
                    planned.bound.push(urn.clone());
                    (urn, plaintext.clone())
                }
                NewSecret::Reference { attributes, .. } => {
                    let identifier = provider.identifier(attributes).map_err(refused)?;
                    let urn =
                        SecretUrn::referring(name, identifier, property).map_err(|error| invalid(&error))?;
                    let value = provider.read(&urn).map_err(refused)?;
                    (urn, value)
                }
            };
            planned.urns.insert(property.clone(), urn.to_string());
            planned.values.insert(property.clone(), value);
        }
        Ok(planned)
    }

    /// Has the providers keep what a new object is to have.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for a provider that keeps nothing, [`OperationError::Unavailable`] for one that cannot;
    /// none of them is kept then.
    pub(crate) fn keep(&self, planned: &Planned) -> Result<Kept, OperationError> {
        let mut kept = Kept {
            secrets: self.clone(),
            urns: Vec::with_capacity(planned.bound.len()),
        };
        for urn in &planned.bound {
            let (name, property) = (urn.provider(), urn.property());
            let (Some(provider), Some(value)) = (self.providers.get(name), planned.values.get(property))
            else {
                continue;
            };
            kept.urns.push(urn.clone());
            provider.keep(urn, value).map_err(|error| match error {
                SecretError::Broken(cause) => broken(property, name, &cause),
                other @ (SecretError::Refused(_) | SecretError::Missing | SecretError::Unusable) => {
                    OperationError::invalid(format!(
                        "the secret of property `{property}`: the provider of secrets `{name}`: {other}"
                    ))
                }
            })?;
        }
        Ok(kept)
    }

    /// The values in clear that stand in hidden properties: those that a provider may need, and nothing else.
    ///
    /// # Errors
    /// [`OperationError::Unreachable`] where one is not to be had.
    pub(crate) fn needed(
        &self,
        declared: &PropertyDeclarations,
        properties: &Properties,
    ) -> Result<BTreeMap<String, Plaintext>, OperationError> {
        SecretUrn::all(properties)
            .filter(|urn| {
                declared
                    .find(urn.property())
                    .is_some_and(|declared| declared.hidden)
            })
            .map(|urn| {
                let read = match self.providers.get(urn.provider()) {
                    Some(provider) => provider.read(&urn).map_err(|error| error.to_string()),
                    None => Err("it is not configured".to_owned()),
                };
                let value = read.map_err(|cause| OperationError::Unreachable {
                    message: "a secret of this catalog is not to be had from its provider of secrets; the log of the server \
                              has the cause under this request id"
                        .to_owned(),
                    detail: format!(
                        "the secret of property `{}` in the provider of secrets `{}`: {cause}",
                        urn.property(),
                        urn.provider()
                    ),
                })?;
                Ok((urn.property().to_owned(), value))
            })
            .collect()
    }

    /// Forgets what was kept for objects that are no more. Best effort: what stays is a secret of nobody.
    pub(crate) fn forget(&self, ended: impl IntoIterator<Item = SecretUrn>) {
        for urn in ended.into_iter().filter(SecretUrn::is_bound) {
            let Some(provider) = self.providers.get(urn.provider()) else {
                continue;
            };
            if let Err(error) = provider.forget(&urn) {
                tracing::warn!(secret = %urn, %error, "a secret whose object is no more could not be removed");
            }
        }
    }

    /// Whether there is anything to forget when objects end.
    fn is_empty(&self) -> bool {
        self.providers.is_empty()
    }

    /// The secrets of an object and of all below it, to be forgotten once it is dropped.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) async fn ending(
        &self,
        write: &mut Write,
        object: ObjectId,
    ) -> Result<Vec<SecretUrn>, OperationError> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let properties = write.secret_properties_below(object).await?;
        Ok(properties.iter().flat_map(SecretUrn::all).collect())
    }
}

impl Kept {
    /// Commits the write that makes the object, and with it the secrets.
    ///
    /// # Errors
    /// As [`Write::commit`]. Where nobody knows whether the object is there, its secrets stay.
    pub(crate) async fn commit(mut self, write: Write) -> Result<(), StoreError> {
        let urns = std::mem::take(&mut self.urns);
        let result = write.commit().await;
        if let Err(error) = &result
            && !is_broken_commit(error)
        {
            self.urns = urns;
        }
        result
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.secrets.forget(std::mem::take(&mut self.urns));
    }
}

/// What a provider is connected with: the properties of a row, with the values that it needs in place of their URNs.
pub(crate) fn revealed(properties: &Properties, values: &BTreeMap<String, Plaintext>) -> Properties {
    let mut revealed = properties.clone();
    revealed.retain(|property, value| SecretUrn::of(property, value).is_none());
    revealed.extend(
        values
            .iter()
            .map(|(property, value)| (property.clone(), value.reveal().to_owned())),
    );
    revealed
}

/// The secrets that a change of properties ends.
pub(crate) fn replaced(before: &Properties, after: &Properties) -> Vec<SecretUrn> {
    let kept: BTreeSet<SecretUrn> = SecretUrn::all(after).collect();
    SecretUrn::all(before).filter(|urn| !kept.contains(urn)).collect()
}

fn broken(property: &str, provider: &str, cause: &std::io::Error) -> OperationError {
    OperationError::Unavailable {
        message: format!(
            "the secret of property `{property}`: the provider of secrets `{provider}` does not answer as it should"
        ),
        detail: cause.to_string(),
    }
}
