// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Plan ids and plan tasks: promises of a part of a scan, of which a plan's id is that of its beginning. Each says what it is
//! for and carries a proof that one of this server's nodes gave it, so that nothing is kept for it. It gives nobody more than a new plan would: the gate stands before it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lakeward_catalog::scan::{PinnedScan, ScanPart};
use lakeward_operations::OperationError;
use lakeward_operations::scan::PromisedPart;
use ring::hmac;
use serde::{Deserialize, Serialize};

/// The content of a text. Another version of the server may write another: what is not understood is not kept.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    user: String,
    table: i64,
    uuid: String,
    scan: PinnedScan,
    part: ScanPart,
}

/// The text for a part.
///
/// # Errors
/// None in practice: what came as JSON goes as JSON.
pub(super) fn write(key: &str, part: &PromisedPart) -> Result<String, OperationError> {
    let content = Content {
        user: part.user.clone(),
        table: part.table,
        uuid: part.table_uuid.clone(),
        scan: part.scan.clone(),
        part: part.part,
    };
    let mut bytes = serde_json::to_vec(&content).map_err(OperationError::internal)?;
    let proof = hmac::sign(&hmac_key(key), &bytes);
    bytes.extend_from_slice(proof.as_ref());
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The part that a text is for; `None` for one that nobody gave.
pub(super) fn read(key: &str, text: &str) -> Option<PromisedPart> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let length = bytes
        .len()
        .checked_sub(hmac::HMAC_SHA256.digest_algorithm().output_len())?;
    let (content, proof) = bytes.split_at_checked(length)?;
    hmac::verify(&hmac_key(key), content, proof).ok()?;
    let content: Content = serde_json::from_slice(content).ok()?;
    Some(PromisedPart {
        user: content.user,
        table: content.table,
        table_uuid: content.uuid,
        scan: content.scan,
        part: content.part,
    })
}

fn hmac_key(key: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes())
}

#[cfg(test)]
mod tests {
    use lakeward_catalog::scan::ScanVersion;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_says_what_it_was_given_for() {
        let part = PromisedPart {
            user: "alice".to_owned(),
            table: 7,
            table_uuid: "u".to_owned(),
            scan: PinnedScan {
                version: ScanVersion::Between(1, i64::MAX),
                schema_id: 3,
                filter: Some(json!({"type": "eq", "term": "a", "value": 1.5})),
                case_sensitive: false,
                stats_fields: vec![1, 2],
            },
            part: ScanPart {
                first: 2,
                skipped: 3,
                end: Some(9),
            },
        };
        let text = write("key", &part).unwrap();
        assert_eq!(read("key", &text), Some(part.clone()));
        assert_eq!(read("other", &text), None);
        for changed in 0..text.len() {
            let other = if text.as_bytes()[changed] == b'A' {
                "B"
            } else {
                "A"
            };
            let mut text = text.clone();
            text.replace_range(changed..=changed, other);
            // The last letter has bits that say nothing, which must be zero.
            assert_eq!(read("key", &text), None, "{changed}");
        }
        for text in ["", "x", "%%", "AAAA"] {
            assert_eq!(read("key", text), None);
        }
    }
}
