// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Files that hold a key with its certificates, or the authorities that are trusted: PEM, or PKCS#12 (RFC 7292), which is
//! what Java's `keytool` and `openssl pkcs12` write.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use p12_keystore::{KeyStore as Archive, Pkcs12Archive, Pkcs12ImportPolicy};
use rustls::RootCertStore;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::CertifiedKey;

use crate::reloaded::ReloadError;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyStoreKind {
    /// Certificates and an unencrypted key, as text.
    Pem,
    /// PKCS#12.
    Pkcs12,
}

/// One file. Nothing is read before it is asked for.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyStore {
    /// Where it is.
    pub file: PathBuf,
    /// How it is written.
    pub kind: KeyStoreKind,
    /// What a PKCS#12 file is encrypted with; empty for a file of text.
    pub password: String,
}

impl fmt::Debug for KeyStore {
    /// Never shows the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyStore")
            .field("file", &self.file)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// How a key store of Java before version 9 begins, which no library but Java's reads.
const JKS: [u8; 4] = [0xfe, 0xed, 0xfe, 0xed];

impl KeyStore {
    /// The key and its chain of certificates, its own first.
    ///
    /// # Errors
    /// [`ReloadError`] that names the file, for one that cannot be read or opened, or that does not hold exactly one key with
    /// a certificate that fits.
    pub fn identity(&self, provider: &CryptoProvider) -> Result<CertifiedKey, ReloadError> {
        let bytes = self.bytes()?;
        let (chain, key) = match self.kind {
            KeyStoreKind::Pem => {
                let key = PrivateKeyDer::from_pem_slice(&bytes).map_err(|cause| self.unusable(&cause))?;
                (self.certificates(&bytes)?, key)
            }
            KeyStoreKind::Pkcs12 => self.only_chain(&bytes)?,
        };
        if chain.is_empty() {
            return Err(self.unusable(&"it holds no certificate"));
        }
        CertifiedKey::from_der(chain, key, provider).map_err(|cause| self.unusable(&cause))
    }

    /// The authorities that a file of them names.
    ///
    /// # Errors
    /// [`ReloadError`] that names the file, for one that cannot be read or opened, or that holds no certificate of an
    /// authority.
    pub fn authorities(&self) -> Result<Arc<RootCertStore>, ReloadError> {
        let bytes = self.bytes()?;
        let certificates = match self.kind {
            KeyStoreKind::Pem => self.certificates(&bytes)?,
            KeyStoreKind::Pkcs12 => {
                let archive = Pkcs12Archive::from_pkcs12(&bytes, &self.password);
                let archive = archive.map_err(|cause| self.not_opened(&cause))?;
                archive
                    .certs
                    .iter()
                    .map(|bag| CertificateDer::from(bag.cert.as_der().to_vec()))
                    .collect()
            }
        };
        let mut authorities = RootCertStore::empty();
        for certificate in certificates {
            authorities
                .add(certificate)
                .map_err(|cause| self.unusable(&cause))?;
        }
        if authorities.is_empty() {
            return Err(self.unusable(&"it holds no certificate of an authority"));
        }
        Ok(Arc::new(authorities))
    }

    fn bytes(&self) -> Result<Vec<u8>, ReloadError> {
        let bytes = std::fs::read(&self.file).map_err(|cause| self.unusable(&cause))?;
        if bytes.starts_with(&JKS) {
            return Err(self.unusable(
                &"it is in the old format JKS; turn it into PKCS#12 with `keytool -importkeystore -srckeystore OLD \
                  -destkeystore NEW -deststoretype PKCS12`",
            ));
        }
        Ok(bytes)
    }

    fn certificates(&self, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, ReloadError> {
        CertificateDer::pem_slice_iter(pem)
            .collect::<Result<_, _>>()
            .map_err(|cause| self.unusable(&cause))
    }

    fn only_chain(
        &self,
        bytes: &[u8],
    ) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), ReloadError> {
        let archive = Archive::from_pkcs12(bytes, &self.password, Pkcs12ImportPolicy::Strict);
        let archive = archive.map_err(|cause| self.not_opened(&cause))?;
        let mut chains = archive.entries().filter_map(|(_, entry)| match entry {
            p12_keystore::KeyStoreEntry::PrivateKeyChain(chain) => Some(chain),
            p12_keystore::KeyStoreEntry::Certificate(_) | p12_keystore::KeyStoreEntry::Secret(_) => None,
        });
        let Some(chain) = chains.next() else {
            return Err(self.unusable(&"it holds no private key with its certificate"));
        };
        if chains.next().is_some() {
            return Err(self.unusable(
                &"it holds several private keys, of which none is named; keep the one that is meant",
            ));
        }
        let certificates = chain.certs().iter();
        let certificates =
            certificates.map(|certificate| CertificateDer::from(certificate.as_der().to_vec()));
        let key = PrivatePkcs8KeyDer::from(chain.key().as_der().to_vec());
        Ok((certificates.collect(), key.into()))
    }

    fn not_opened(&self, cause: &p12_keystore::error::Error) -> ReloadError {
        if matches!(cause, p12_keystore::error::Error::MacError(_)) {
            return self.unusable(&"the password is wrong, or the file was changed");
        }
        self.unusable(&format_args!("it is no PKCS#12 that can be opened: {cause}"))
    }

    fn unusable(&self, cause: &dyn fmt::Display) -> ReloadError {
        ReloadError(format!(
            "the key store `{}` cannot be used: {cause}",
            self.file.display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use p12_keystore::{Certificate, KeyStore as Archive, KeyStoreEntry, PrivateKey, PrivateKeyChain};
    use rcgen::{CertifiedKey, KeyPair};
    use rustls::crypto::ring::default_provider;

    use super::{KeyStore, KeyStoreKind};

    const PASSWORD: &str = "changeit";

    fn made() -> CertifiedKey<KeyPair> {
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap()
    }

    fn chain(made: &CertifiedKey<KeyPair>) -> KeyStoreEntry {
        let certificate = Certificate::from_der(made.cert.der()).unwrap();
        let key = PrivateKey::from_der(&made.signing_key.serialize_der()).unwrap();
        KeyStoreEntry::PrivateKeyChain(PrivateKeyChain::new("id", key, [certificate]))
    }

    fn pkcs12(file: &Path, entries: Vec<KeyStoreEntry>) {
        let mut archive = Archive::new();
        for (number, entry) in entries.into_iter().enumerate() {
            archive.add_entry(&number.to_string(), entry);
        }
        std::fs::write(file, archive.writer(PASSWORD).write().unwrap()).unwrap();
    }

    fn store(file: &Path, kind: KeyStoreKind, password: &str) -> KeyStore {
        KeyStore {
            file: file.to_owned(),
            kind,
            password: password.to_owned(),
        }
    }

    #[test]
    fn keys_and_authorities_are_read_from_both_kinds() {
        let folder = tempfile::tempdir().unwrap();
        let made = made();
        let pem = folder.path().join("a.pem");
        std::fs::write(&pem, made.cert.pem() + &made.signing_key.serialize_pem()).unwrap();
        let p12 = folder.path().join("a.p12");
        pkcs12(&p12, vec![chain(&made)]);
        for store in [
            store(&pem, KeyStoreKind::Pem, ""),
            store(&p12, KeyStoreKind::Pkcs12, PASSWORD),
        ] {
            let identity = store.identity(&default_provider()).unwrap();
            assert_eq!(identity.cert, [made.cert.der().clone()]);
            assert_eq!(store.authorities().unwrap().len(), 1);
        }
        pkcs12(
            &p12,
            vec![KeyStoreEntry::Certificate(
                Certificate::from_der(made.cert.der()).unwrap(),
            )],
        );
        let trusted = store(&p12, KeyStoreKind::Pkcs12, PASSWORD);
        assert_eq!(trusted.authorities().unwrap().len(), 1);
        let problem = trusted.identity(&default_provider()).unwrap_err().to_string();
        assert!(problem.contains("no private key"), "{problem}");
        assert!(!format!("{trusted:?}").contains(PASSWORD));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store");
        let problem = |kind, password: &str| {
            let problem = store(&file, kind, password).identity(&default_provider());
            let problem = problem.unwrap_err().to_string();
            assert!(problem.contains(file.to_str().unwrap()), "{problem}");
            assert!(!problem.contains("secret"), "{problem}");
            problem
        };
        assert!(problem(KeyStoreKind::Pem, "").contains("No such file"));
        let [first, second] = [made(), made()];
        pkcs12(&file, vec![chain(&first)]);
        assert!(problem(KeyStoreKind::Pkcs12, "secret").contains("password"));
        problem(KeyStoreKind::Pem, "");
        let KeyStoreEntry::PrivateKeyChain(other) = chain(&second) else {
            unreachable!("a chain was made")
        };
        let other = PrivateKeyChain::new("other", other.key().clone(), other.certs().to_vec());
        pkcs12(&file, vec![chain(&first), KeyStoreEntry::PrivateKeyChain(other)]);
        assert!(problem(KeyStoreKind::Pkcs12, PASSWORD).contains("several"));
        std::fs::write(&file, [0xfe, 0xed, 0xfe, 0xed, 0, 0, 0, 2]).unwrap();
        assert!(problem(KeyStoreKind::Pkcs12, PASSWORD).contains("keytool"));
        std::fs::write(&file, "nothing of the kind").unwrap();
        assert!(problem(KeyStoreKind::Pkcs12, PASSWORD).contains("PKCS#12"));
        assert!(problem(KeyStoreKind::Pem, "").contains("store"));
        std::fs::write(&file, first.cert.pem()).unwrap();
        problem(KeyStoreKind::Pem, "");
        assert!(store(&file, KeyStoreKind::Pem, "").authorities().is_ok());
        std::fs::write(&file, first.cert.pem() + &second.signing_key.serialize_pem()).unwrap();
        problem(KeyStoreKind::Pem, "");
        std::fs::write(&file, first.signing_key.serialize_pem()).unwrap();
        assert!(problem(KeyStoreKind::Pem, "").contains("no certificate"));
    }
}
