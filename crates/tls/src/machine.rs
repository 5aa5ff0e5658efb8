// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whom this machine trusts.

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;

/// The authorities that the operating system trusts, or those of the file or folder that the environment variables
/// `SSL_CERT_FILE` and `SSL_CERT_DIR` name. What cannot be read is left out.
pub fn authorities() -> Vec<CertificateDer<'static>> {
    let mut found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        tracing::debug!(%error, "some authorities of this machine cannot be read");
    }
    let mut all = RootCertStore::empty();
    found
        .certs
        .retain(|certificate| all.add(certificate.clone()).is_ok());
    found.certs
}
