// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Page tokens. A token holds the last name of a page that its caller was shown, and says of which list it is; it gives
//! nobody more than the list itself does.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lakeward_iceberg_api::page::PageRequest;
use lakeward_operations::OperationError;
use lakeward_operations::namespace::ListPage;

use super::request::refuse;
use crate::http::parts::Parts;

/// The page that a request asks for. `list` names the list (`tables`, `namespaces`).
///
/// # Errors
/// [`OperationError::Invalid`] for a size that is none and a token that this list did not give.
pub(super) fn page(list: &str, parts: &Parts) -> Result<ListPage, OperationError> {
    match PageRequest::new(parts.query("pageToken"), parts.query("pageSize")).map_err(refuse)? {
        PageRequest::All => Ok(ListPage::default()),
        PageRequest::Page { token, size } => Ok(ListPage {
            after: token.map(|token| read(list, &token)).transpose()?,
            limit: size,
        }),
    }
}

/// The token of the page after `last`.
pub(super) fn token(list: &str, last: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{list}\0{last}"))
}

fn read(list: &str, token: &str) -> Result<String, OperationError> {
    URL_SAFE_NO_PAD
        .decode(token)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .and_then(|text| {
            let (of, last) = text.split_once('\0')?;
            (of == list && !last.is_empty()).then(|| last.to_owned())
        })
        .ok_or_else(|| {
            OperationError::invalid("`pageToken` is not a token of this list; start again with an empty one")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_good_for_its_list_only() {
        let token = token("tables", "a/b ü");
        assert_eq!(read("tables", &token).unwrap(), "a/b ü");
        for (list, refused) in [
            ("namespaces", token.as_str()),
            ("tables", "x"),
            ("tables", ""),
            ("tables", "%%%"),
        ] {
            assert!(read(list, refused).is_err(), "{list} {refused}");
        }
    }
}
