// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An issuer of tokens, with the key in `fixtures/tokens` or one made on the spot. It signs whatever it is given.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use ring::{hmac, signature};
use serde_json::{Value, json};

/// The public key of [`Issuer::rsa`], as `SubjectPublicKeyInfo`.
pub(crate) const RSA_PUBLIC: &[u8] = include_bytes!("../../../../fixtures/tokens/issuer.public.der");
const RSA_PRIVATE: &[u8] = include_bytes!("../../../../fixtures/tokens/issuer.private.der");
/// What stands before the point of a P-256 key in its `SubjectPublicKeyInfo`.
const P256_HEAD: &[u8] = &[
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

pub(crate) enum Issuer {
    Rsa(RsaKeyPair),
    P256(EcdsaKeyPair),
    Secret(Vec<u8>),
}

impl Issuer {
    /// The issuer of the fixture.
    pub(crate) fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::from_pkcs8(RSA_PRIVATE).expect("the key of the fixture"))
    }

    /// Another one in every call.
    pub(crate) fn p256() -> Self {
        let random = SystemRandom::new();
        let algorithm = &signature::ECDSA_P256_SHA256_FIXED_SIGNING;
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        Self::P256(EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random).expect("a key"))
    }

    /// Its algorithm, and its key for the configuration.
    pub(crate) fn keys(&self) -> (&'static str, String) {
        match self {
            Self::Rsa(_) => ("RS256", STANDARD.encode(RSA_PUBLIC)),
            Self::P256(key) => {
                let public = [P256_HEAD, key.public_key().as_ref()].concat();
                ("ES256", STANDARD.encode(public))
            }
            Self::Secret(secret) => ("HS256", STANDARD.encode(secret)),
        }
    }

    /// A token with this header and these claims, whatever they are.
    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(header), part(claims));
        let signature = match self {
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(
                    &RSA_PKCS1_SHA256,
                    &SystemRandom::new(),
                    message.as_bytes(),
                    &mut signature,
                )
                .expect("a signature");
                signature
            }
            Self::P256(key) => key
                .sign(&SystemRandom::new(), message.as_bytes())
                .expect("a signature")
                .as_ref()
                .to_vec(),
            Self::Secret(secret) => {
                let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
                hmac::sign(&key, message.as_bytes()).as_ref().to_vec()
            }
        };
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// A good token of a user, with these claims over the usual ones; a claim that is null is left out.
    pub(crate) fn token(&self, user: &str, claims: &Value) -> String {
        let mut all = json!({"sub": user, "aud": "GravitinoServer", "exp": now() + 600, "iat": now()});
        if let (Value::Object(all), Value::Object(over)) = (&mut all, claims) {
            for (name, value) in over {
                if value.is_null() {
                    all.remove(name);
                } else {
                    all.insert(name.clone(), value.clone());
                }
            }
        }
        self.sign(&json!({"alg": self.keys().0, "typ": "JWT"}), &all)
    }
}

/// Now, as tokens count time.
pub(crate) fn now() -> u64 {
    jsonwebtoken::get_current_timestamp()
}
