// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Asking for a list page by page.

use crate::request::RequestError;

/// The most items of one page.
pub const MAXIMUM_PAGE_SIZE: usize = 10_000;

/// Which part of a list is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageRequest {
    /// Everything: the client did not ask for pages.
    All,
    /// One page.
    Page {
        /// Where it starts; `None` at the beginning.
        token: Option<String>,
        /// The most items, if the client says so; never more than [`MAXIMUM_PAGE_SIZE`].
        size: Option<usize>,
    },
}

impl PageRequest {
    /// From the parameters `pageToken` and `pageSize`. Without `pageToken` the complete list is asked for, whatever the
    /// size; an empty token is the first page.
    ///
    /// # Errors
    /// [`RequestError::Parameter`] for a size that is no positive integer.
    pub fn new(token: Option<&str>, size: Option<&str>) -> Result<Self, RequestError> {
        let size = size.map(parse_size).transpose()?;
        Ok(match token {
            None => Self::All,
            Some("") => Self::Page { token: None, size },
            Some(token) => Self::Page {
                token: Some(token.to_owned()),
                size,
            },
        })
    }
}

fn parse_size(text: &str) -> Result<usize, RequestError> {
    let only_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<usize>() {
        Ok(size) if only_digits && size > 0 => Ok(size.min(MAXIMUM_PAGE_SIZE)),
        // Digits that do not fit are more than the maximum.
        Err(_) if only_digits => Ok(MAXIMUM_PAGE_SIZE),
        Ok(_) | Err(_) => Err(RequestError::Parameter {
            name: "pageSize",
            problem: format!("`{text}` is not a positive integer"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{MAXIMUM_PAGE_SIZE, PageRequest};

    fn page(token: Option<&str>, size: Option<usize>) -> Option<PageRequest> {
        Some(PageRequest::Page {
            token: token.map(str::to_owned),
            size,
        })
    }

    #[test]
    fn reads_parameters() {
        let read = |token, size| PageRequest::new(token, size).ok();
        assert_eq!(read(None, None), Some(PageRequest::All));
        assert_eq!(read(None, Some("1")), Some(PageRequest::All));
        assert_eq!(read(Some(""), None), page(None, None));
        assert_eq!(read(Some("t"), Some("7")), page(Some("t"), Some(7)));
        let huge = "9".repeat(40);
        assert_eq!(read(Some(""), Some(&huge)), page(None, Some(MAXIMUM_PAGE_SIZE)));
        for refused in ["0", "-1", "+1", "", "1.0", "ten"] {
            assert_eq!(read(Some(""), Some(refused)), None, "{refused}");
        }
    }
}
