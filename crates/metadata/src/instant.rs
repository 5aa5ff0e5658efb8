// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Instants as people and protocols read them.

use chrono::{DateTime, SecondsFormat};

/// An instant as the original writes it: ISO 8601 in UTC; `None` beyond the years that the calendar has.
pub fn instant(epoch_milliseconds: i64) -> Option<String> {
    DateTime::from_timestamp_millis(epoch_milliseconds)
        .map(|time| time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

/// The epoch milliseconds of an ISO 8601 instant with its offset (RFC 3339); `None` for any other text.
pub fn instant_of(text: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(text)
        .ok()
        .map(|time| time.timestamp_millis())
}

#[cfg(test)]
mod tests {
    use super::{instant, instant_of};

    #[test]
    fn instants_are_read_with_their_offset() {
        assert_eq!(instant_of("2023-11-14T22:13:20.123Z"), Some(1_700_000_000_123));
        assert_eq!(
            instant_of("2023-11-14T23:13:20.123+01:00"),
            Some(1_700_000_000_123)
        );
        for text in ["", "yesterday", "2023-11-14", "2023-11-14T22:13:20"] {
            assert_eq!(instant_of(text), None, "{text}");
        }
    }

    #[test]
    fn instants_are_utc_with_as_many_digits_as_needed() {
        assert_eq!(
            instant(1_700_000_000_123).as_deref(),
            Some("2023-11-14T22:13:20.123Z")
        );
        assert_eq!(instant(0).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(instant(i64::MAX), None);
    }
}
