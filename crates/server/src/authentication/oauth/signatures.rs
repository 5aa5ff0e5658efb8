// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The cryptography under the token library: `ring`, which the server's TLS uses already. Only verifying: this server
//! signs no tokens.

use jsonwebtoken::crypto::{CryptoProvider, JwkUtils, JwtSigner, JwtVerifier};
use jsonwebtoken::errors::{Error, ErrorKind, new_error};
use jsonwebtoken::signature::{Error as SignatureError, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::{hmac, signature};

use super::key::family;

static RING: CryptoProvider = CryptoProvider {
    signer_factory: no_signer,
    verifier_factory: verifier,
    // For making keys of a set out of private ones, which this server has none of.
    jwk_utils: JwkUtils::new_unimplemented(),
};

/// Makes the token library use `ring`. Calling it again changes nothing.
pub(super) fn install() {
    // An error says that it was installed before.
    let _ = RING.install_default();
}

fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    Err(new_error(ErrorKind::InvalidAlgorithm))
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    if key.family() != family(*algorithm) {
        return Err(new_error(ErrorKind::InvalidAlgorithm));
    }
    let algorithm = *algorithm;
    let verify = match algorithm {
        Algorithm::HS256 => Verify::Secret(hmac::HMAC_SHA256),
        Algorithm::HS384 => Verify::Secret(hmac::HMAC_SHA384),
        Algorithm::HS512 => Verify::Secret(hmac::HMAC_SHA512),
        Algorithm::RS256 => Verify::Rsa(&signature::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Verify::Rsa(&signature::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Verify::Rsa(&signature::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Verify::Rsa(&signature::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Verify::Rsa(&signature::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Verify::Rsa(&signature::RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Verify::Public(&signature::ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Verify::Public(&signature::ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Verify::Public(&signature::ED25519),
    };
    Ok(Box::new(RingVerifier {
        algorithm,
        verify,
        key: key.kind().clone(),
    }))
}

enum Verify {
    Secret(hmac::Algorithm),
    Rsa(&'static signature::RsaParameters),
    Public(&'static dyn signature::VerificationAlgorithm),
}

struct RingVerifier {
    algorithm: Algorithm,
    verify: Verify,
    key: DecodingKeyKind,
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], given: &Vec<u8>) -> Result<(), SignatureError> {
        let verified = match (&self.verify, &self.key) {
            (Verify::Secret(algorithm), DecodingKeyKind::SecretOrDer(secret)) => {
                hmac::verify(&hmac::Key::new(*algorithm, secret), message, given)
            }
            (Verify::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                signature::RsaPublicKeyComponents { n, e }.verify(parameters, message, given)
            }
            (Verify::Rsa(parameters), DecodingKeyKind::SecretOrDer(key)) => {
                signature::UnparsedPublicKey::new(*parameters, key).verify(message, given)
            }
            (Verify::Public(algorithm), DecodingKeyKind::SecretOrDer(key)) => {
                signature::UnparsedPublicKey::new(*algorithm, key).verify(message, given)
            }
            (Verify::Secret(_) | Verify::Public(_), DecodingKeyKind::RsaModulusExponent { .. }) => {
                Err(ring::error::Unspecified)
            }
        };
        verified.map_err(|_| SignatureError::new())
    }
}
