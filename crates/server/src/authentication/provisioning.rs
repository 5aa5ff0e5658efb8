// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The token with which an identity provider comes that can present nothing else. It counts below `/scim/v2` only.

use std::collections::BTreeSet;

use http::{HeaderMap, header};
use lakeward_metadata::principal::{GroupClaim, Subject};
use sha2::{Digest, Sha256};

use super::Identity;
use crate::config::scim::ProvisioningToken;

/// Whoever presents one of the tokens; `None` for all others, who are asked as anywhere else.
pub(super) fn identity(known: &ProvisioningToken, headers: &HeaderMap) -> Option<Identity> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.trim().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    // Digests are compared, so how long it takes says nothing of the token.
    let digest: [u8; 32] = Sha256::digest(token.trim()).into();
    known.digests.contains(&digest).then(|| {
        Identity::of(Subject {
            user: known.user.clone(),
            groups: GroupClaim::Known(BTreeSet::new()),
        })
    })
}
