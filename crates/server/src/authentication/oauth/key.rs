// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A key that verifies tokens, with the algorithms that it verifies. A public key is never taken for a shared secret: the
//! algorithms come from the configuration or the key, not from the token.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey};
use rustls::pki_types::SubjectPublicKeyInfoDer;
use rustls::pki_types::pem::PemObject;
use x509_parser::prelude::FromDer;
use x509_parser::x509::SubjectPublicKeyInfo;

/// Shorter secrets can be guessed.
const LEAST_SECRET_BYTES: usize = 32;

/// See the module.
#[derive(Clone)]
pub(super) struct VerifyingKey {
    pub(super) key: DecodingKey,
    /// Never empty, and all of one family, which is that of the key.
    pub(super) algorithms: Vec<Algorithm>,
}

impl std::fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VerifyingKey")
            .field("algorithms", &self.algorithms)
            .finish_non_exhaustive()
    }
}

impl VerifyingKey {
    /// The key of the configuration, as the original takes it: base64 of a secret for `HS…`, else of the DER of a public
    /// key (`SubjectPublicKeyInfo`). PEM is read too. `Err` says what is expected.
    pub(super) fn of_configuration(algorithm: Algorithm, text: &str) -> Result<Self, &'static str> {
        let key = match family(algorithm) {
            AlgorithmFamily::Hmac => shared_secret(text)?,
            AlgorithmFamily::Rsa | AlgorithmFamily::Ec | AlgorithmFamily::Ed => {
                public_key(algorithm, text)
                    .ok_or("a public key of the kind that `signAlgorithmType` needs, as base64 of its DER")?
            }
        };
        Ok(Self {
            key,
            algorithms: vec![algorithm],
        })
    }

    /// A key of a key set; `None` for one that is not for verifying tokens: a shared secret, a key for encryption, a kind
    /// or an algorithm that is not supported.
    pub(super) fn of_key_set(jwk: &Jwk) -> Option<Self> {
        let usage = jwk.common.public_key_use.as_ref();
        if usage.is_some_and(|usage| *usage != PublicKeyUse::Signature) {
            return None;
        }
        let of_kind: &[Algorithm] = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => AlgorithmFamily::Rsa.algorithms(),
            AlgorithmParameters::EllipticCurve(key) => match key.curve {
                EllipticCurve::P256 => &[Algorithm::ES256],
                EllipticCurve::P384 => &[Algorithm::ES384],
                EllipticCurve::P521 | EllipticCurve::Ed25519 => return None,
            },
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
                &[Algorithm::EdDSA]
            }
            AlgorithmParameters::OctetKeyPair(_) | AlgorithmParameters::OctetKey(_) => return None,
        };
        let algorithms = match &jwk.common.key_algorithm {
            None => of_kind.to_vec(),
            Some(named) => vec![
                named
                    .to_string()
                    .parse()
                    .ok()
                    .filter(|named| of_kind.contains(named))?,
            ],
        };
        Some(Self {
            key: DecodingKey::from_jwk(jwk).ok()?,
            algorithms,
        })
    }
}

/// The family of an algorithm.
pub(super) const fn family(algorithm: Algorithm) -> AlgorithmFamily {
    match algorithm {
        Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512 => AlgorithmFamily::Hmac,
        Algorithm::RS256
        | Algorithm::RS384
        | Algorithm::RS512
        | Algorithm::PS256
        | Algorithm::PS384
        | Algorithm::PS512 => AlgorithmFamily::Rsa,
        Algorithm::ES256 | Algorithm::ES384 => AlgorithmFamily::Ec,
        Algorithm::EdDSA => AlgorithmFamily::Ed,
    }
}

fn shared_secret(text: &str) -> Result<DecodingKey, &'static str> {
    let secret = STANDARD.decode(text).map_err(|_| "base64 of a shared secret")?;
    if secret.len() < LEAST_SECRET_BYTES {
        return Err("base64 of a shared secret of at least 32 bytes");
    }
    Ok(DecodingKey::from_secret(&secret))
}

/// A public key that fits the algorithm; a key of another kind or curve does not.
fn public_key(algorithm: Algorithm, text: &str) -> Option<DecodingKey> {
    let der = if text.contains("-----BEGIN") {
        // A properties file has it in one line, with `\n` inside.
        let pem = text.replace("\\n", "\n");
        SubjectPublicKeyInfoDer::from_pem_slice(pem.as_bytes())
            .ok()?
            .to_vec()
    } else {
        STANDARD.decode(text).ok()?
    };
    let (rest, key) = SubjectPublicKeyInfo::from_der(&der).ok()?;
    let kind = key.algorithm.algorithm.to_id_string();
    let curve = key
        .algorithm
        .parameters
        .as_ref()
        .and_then(|named| named.as_oid().ok());
    let curve = curve.map(|curve| curve.to_id_string()).unwrap_or_default();
    let bytes = key.subject_public_key.data.as_ref();
    let fits = match algorithm {
        Algorithm::ES256 => kind == EC && curve == P256 && bytes.len() == 65,
        Algorithm::ES384 => kind == EC && curve == P384 && bytes.len() == 97,
        Algorithm::EdDSA => kind == ED25519 && bytes.len() == 32,
        Algorithm::RS256
        | Algorithm::RS384
        | Algorithm::RS512
        | Algorithm::PS256
        | Algorithm::PS384
        | Algorithm::PS512 => kind == RSA,
        Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512 => false,
    };
    if !fits || !rest.is_empty() {
        return None;
    }
    Some(match family(algorithm) {
        AlgorithmFamily::Rsa => DecodingKey::from_rsa_der(bytes),
        AlgorithmFamily::Ec => DecodingKey::from_ec_der(bytes),
        AlgorithmFamily::Ed => DecodingKey::from_ed_der(bytes),
        AlgorithmFamily::Hmac => return None,
    })
}

// RFC 3279, RFC 5480, RFC 8410.
const RSA: &str = "1.2.840.113549.1.1.1";
const EC: &str = "1.2.840.10045.2.1";
const P256: &str = "1.2.840.10045.3.1.7";
const P384: &str = "1.3.132.0.34";
const ED25519: &str = "1.3.101.112";
