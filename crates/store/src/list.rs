// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Lists as one text parameter.
//!
//! The common subset of both engines has no list parameters. A list is therefore sent as one text of entries, each a
//! length of fixed width followed by that many characters, and a recursive query takes it apart again. A path of the
//! tree is sent the same way, with the name space of each step before it.

use lakeward_metadata::id::Id;

/// The longest entry, in characters: four decimal digits.
const MAX_ENTRY_CHARS: usize = 9999;

/// Width of the name space in an encoded step.
const SPACE_WIDTH: usize = 12;

/// Encodes texts; entries that no stored name can equal (too long, or with a NUL, which neither engine stores) are
/// left out.
pub(crate) fn encode<'a>(entries: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for entry in entries {
        let length = entry.chars().count();
        if length <= MAX_ENTRY_CHARS && !entry.contains('\0') {
            text.push_str(&format!("{length:04}{entry}"));
        }
    }
    text
}

/// Encodes ids.
pub(crate) fn encode_ids<K>(ids: &[Id<K>]) -> String {
    let texts: Vec<String> = ids.iter().map(|id| id.value().to_string()).collect();
    encode(texts.iter().map(String::as_str))
}

/// Encodes the steps of a path as (name space, name). A name that no stored name can equal ends the path.
pub(crate) fn encode_path<'a>(steps: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = String::new();
    for (space, name) in steps {
        let length = name.chars().count();
        if length > MAX_ENTRY_CHARS || name.contains('\0') {
            // A name of length zero exists nowhere below the root: the walk ends here.
            text.push_str(&format!("{space:<SPACE_WIDTH$}0000"));
            break;
        }
        text.push_str(&format!("{space:<SPACE_WIDTH$}{length:04}{name}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{encode, encode_path};

    #[test]
    fn lengths_count_characters() {
        assert_eq!(encode(["a", "", "für"]), "0001a00000003für");
        assert_eq!(encode([]), "");
        assert_eq!(encode([&*"x".repeat(10_000), "a\0b", "y"]), "0001y");
    }

    #[test]
    fn paths_carry_their_spaces() {
        assert_eq!(
            encode_path([("METALAKE", "m"), ("CATALOG", "c")]),
            "METALAKE    0001mCATALOG     0001c"
        );
        assert_eq!(
            encode_path([("TABLE", &*"x".repeat(10_000)), ("COLUMN", "1")]),
            "TABLE       0000"
        );
    }
}
