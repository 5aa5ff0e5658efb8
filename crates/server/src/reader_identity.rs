// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The channel that makes a reader trusted: TLS with a client certificate of the server's own authority. The authority
//! lives in the store, so all nodes accept the same certificates; each node makes its server certificate at start.

use std::net::IpAddr;
use std::sync::Arc;

use chrono::{Datelike, Days, Utc};
use lakeward_operations::{OperationError, Operations};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use sha2::{Digest, Sha256};

const AUTHORITY_DAYS: u64 = 3650;
const READER_DAYS: u64 = 365;
/// Clocks of readers may be behind by less than this.
const BACKDATED_DAYS: u64 = 2;

/// What an enrolled reader gets, once.
#[derive(Clone)]
pub struct ReaderCertificate {
    /// The client certificate, PEM.
    pub certificate_pem: String,
    /// Its private key, PEM. Not kept by the server.
    pub key_pem: String,
    /// The authority by which the reader knows the server, PEM.
    pub authority_pem: String,
    /// SHA-256 of the certificate in lower-case hex, by which the entry knows the reader.
    pub fingerprint: String,
}

/// The authority that signs readers' certificates and this node's server certificate.
#[derive(Clone)]
pub struct Authority {
    certificate_pem: String,
    key_pem: String,
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}

impl Authority {
    /// The authority in the store; made and kept there if there is none.
    ///
    /// # Errors
    /// What the store or the cryptography reports.
    pub async fn load_or_make(operations: &Operations) -> Result<Self, OperationError> {
        let kept = operations.authority(make_authority).await?;
        Ok(Self {
            certificate_pem: kept.certificate_pem,
            key_pem: kept.key_pem,
        })
    }

    /// The authority's certificate, PEM.
    pub fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    /// Makes a client certificate for a reader.
    ///
    /// # Errors
    /// What the cryptography reports.
    pub fn issue_reader(&self, name: &str) -> Result<ReaderCertificate, OperationError> {
        let mut params = parameters(name, READER_DAYS)?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let (certificate, key) = self.sign(&params)?;
        Ok(ReaderCertificate {
            fingerprint: fingerprint(certificate.der()),
            certificate_pem: certificate.pem(),
            key_pem: key.serialize_pem(),
            authority_pem: self.certificate_pem.clone(),
        })
    }

    /// The TLS configuration of the reader listener: nobody gets in without a certificate of the authority.
    ///
    /// # Errors
    /// What the cryptography reports; a name that no certificate can carry.
    pub fn server_config(&self, names: &[String]) -> Result<rustls::ServerConfig, OperationError> {
        let mut params = parameters("lakeward", READER_DAYS)?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        for name in names {
            params.subject_alt_names.push(alternative_name(name)?);
        }
        let (certificate, key) = self.sign(&params)?;
        let mut roots = RootCertStore::empty();
        roots
            .add(
                CertificateDer::from_pem_slice(self.certificate_pem.as_bytes())
                    .map_err(OperationError::internal)?,
            )
            .map_err(OperationError::internal)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()
            .map_err(OperationError::internal)?;
        let key = PrivateKeyDer::try_from(key.serialize_der()).map_err(OperationError::internal)?;
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(OperationError::internal)?
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![certificate.der().clone()], key)
            .map_err(OperationError::internal)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }

    fn sign(&self, params: &CertificateParams) -> Result<(rcgen::Certificate, KeyPair), OperationError> {
        let authority_key = KeyPair::from_pem(&self.key_pem).map_err(OperationError::internal)?;
        let issuer = Issuer::from_ca_cert_pem(&self.certificate_pem, authority_key)
            .map_err(OperationError::internal)?;
        let key = KeyPair::generate().map_err(OperationError::internal)?;
        let certificate = params
            .signed_by(&key, &issuer)
            .map_err(OperationError::internal)?;
        Ok((certificate, key))
    }
}

/// SHA-256 of a certificate in lower-case hex.
pub fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    hex::encode(Sha256::digest(certificate.as_ref()))
}

fn make_authority() -> Result<(String, String), OperationError> {
    let mut params = parameters("Lakeward readers", AUTHORITY_DAYS)?;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let key = KeyPair::generate().map_err(OperationError::internal)?;
    let certificate = params.self_signed(&key).map_err(OperationError::internal)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

fn parameters(common_name: &str, days: u64) -> Result<CertificateParams, OperationError> {
    let mut params = CertificateParams::new(Vec::new()).map_err(OperationError::internal)?;
    params.distinguished_name.push(DnType::CommonName, common_name);
    let today = Utc::now().date_naive();
    let date = |date: Option<chrono::NaiveDate>| {
        let date = date.unwrap_or(today);
        let small = |part: u32| u8::try_from(part).unwrap_or(1);
        date_time_ymd(date.year(), small(date.month()), small(date.day()))
    };
    params.not_before = date(today.checked_sub_days(Days::new(BACKDATED_DAYS)));
    params.not_after = date(today.checked_add_days(Days::new(days)));
    Ok(params)
}

fn alternative_name(name: &str) -> Result<rcgen::SanType, OperationError> {
    if let Ok(address) = name.parse::<IpAddr>() {
        return Ok(rcgen::SanType::IpAddress(address));
    }
    name.try_into()
        .map(rcgen::SanType::DnsName)
        .map_err(|_| OperationError::invalid(format!("`{name}` is neither a DNS name nor an IP address")))
}
