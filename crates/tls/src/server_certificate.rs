// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The TLS configuration of a listener whose certificate is in two PEM files. New connections get what the files hold when they
//! begin; open ones go on.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};

use crate::reloaded::{ReloadError, Reloaded};

/// Where a listener's certificate is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFiles {
    /// The certificate and those between it and its authority, PEM.
    pub certificate: PathBuf,
    /// Its private key, PEM.
    pub key: PathBuf,
}

/// The configuration, made again when a file changes. `protocols` are what ALPN offers, best first.
///
/// # Errors
/// [`ReloadError`] with the file that is missing or cannot be used, or that does not fit the other.
pub fn server_config(
    files: &CertificateFiles,
    protocols: &'static [&'static [u8]],
) -> Result<Reloaded<ServerConfig>, ReloadError> {
    let paths = vec![files.certificate.clone(), files.key.clone()];
    let files = files.clone();
    Reloaded::new("the certificate of the listener", paths, move || {
        made(&files, protocols)
    })
}

fn made(files: &CertificateFiles, protocols: &[&[u8]]) -> Result<ServerConfig, ReloadError> {
    let identity = certified_key(files)?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|cause| ReloadError(cause.to_string()))?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(identity)));
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(config)
}

fn certified_key(files: &CertificateFiles) -> Result<CertifiedKey, ReloadError> {
    let unusable = |file: &Path, cause: &dyn fmt::Display| {
        ReloadError(format!(
            "the PEM file `{}` cannot be used: {cause}",
            file.display()
        ))
    };
    let chain = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|cause| unusable(&files.certificate, &cause))?;
    if chain.is_empty() {
        return Err(unusable(&files.certificate, &"it holds no certificate"));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|cause| unusable(&files.key, &cause))?;
    CertifiedKey::from_der(chain, key, &default_provider()).map_err(|cause| {
        ReloadError(format!(
            "the certificate `{}` and the key `{}` cannot be used together: {cause}",
            files.certificate.display(),
            files.key.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{CertificateFiles, certified_key};

    fn write(folder: &Path) -> CertificateFiles {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let files = CertificateFiles {
            certificate: folder.join("c.pem"),
            key: folder.join("k.pem"),
        };
        std::fs::write(&files.certificate, made.cert.pem()).unwrap();
        std::fs::write(&files.key, made.signing_key.serialize_pem()).unwrap();
        files
    }

    #[test]
    fn a_pair_is_used_and_everything_else_is_named() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [first, second] = [write(folders[0].path()), write(folders[1].path())];
        assert_eq!(certified_key(&first).unwrap().cert.len(), 1);
        let problem = |certificate: &Path, key: &Path| {
            let files = CertificateFiles {
                certificate: certificate.to_owned(),
                key: key.to_owned(),
            };
            certified_key(&files).unwrap_err().to_string()
        };
        assert!(problem(&first.certificate, &second.key).contains("cannot be used together"));
        assert!(problem(&first.key, &first.key).contains("no certificate"));
        assert!(problem(&first.certificate, Path::new("/nowhere/k.pem")).contains("/nowhere/k.pem"));
        let empty = folders[0].path().join("empty.pem");
        std::fs::write(&empty, "").unwrap();
        assert!(problem(&empty, &first.key).contains("empty.pem"));
        assert!(problem(&first.certificate, &empty).contains("empty.pem"));
    }
}
