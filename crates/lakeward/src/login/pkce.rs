// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Proof that whoever asks for tokens is who began the login (RFC 7636).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// How the challenge is made.
pub(super) const METHOD: &str = "S256";

/// What is told at first and what proves it later.
pub(super) struct Pkce {
    pub(super) challenge: String,
    pub(super) verifier: String,
}

impl Pkce {
    /// New ones.
    pub(super) fn new() -> Self {
        Self::of(secret())
    }

    fn of(verifier: String) -> Self {
        Self {
            challenge: URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier)),
            verifier,
        }
    }
}

/// 256 random bits as a text that is fit for an address and as a verifier (section 4.1).
pub(super) fn secret() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appendix B.
    #[test]
    fn the_example_of_the_standard() {
        let pkce = Pkce::of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned());
        assert_eq!(pkce.challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert_eq!(secret().len(), 43);
        assert_ne!(secret(), secret());
    }
}
