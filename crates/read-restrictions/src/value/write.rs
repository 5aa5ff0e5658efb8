// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From a value to JSON.

use serde_json::{Map, Number, Value as Json};

use super::Value;
use crate::{decimal, float, temporal};

impl Value {
    /// The single-value JSON form: hexadecimal digits in upper case, all fraction digits, structs by field id, maps as keys
    /// and values. A floating-point value that is not finite becomes `"NaN"`, `"Infinity"` or `"-Infinity"`.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Boolean(value) => Json::Bool(*value),
            Self::Int(value) => Json::from(*value),
            Self::Long(value) => Json::from(*value),
            // The shortest text of the float, not that of the double beside it.
            Self::Float(value) => number(float::canonical_f32(*value).parse().unwrap_or(f64::from(*value))),
            Self::Double(value) => number(*value),
            Self::Decimal { unscaled, scale, .. } => Json::String(decimal::format_decimal(*unscaled, *scale)),
            Self::Date(days) => Json::String(temporal::format_date(*days)),
            Self::Time(micros) => Json::String(temporal::format_time(*micros)),
            Self::Timestamp(micros) => Json::String(temporal::format_timestamp(*micros)),
            Self::Timestamptz(micros) => {
                Json::String(format!("{}+00:00", temporal::format_timestamp(*micros)))
            }
            Self::TimestampNs(nanos) => Json::String(temporal::format_timestamp_ns(*nanos)),
            Self::TimestamptzNs(nanos) => {
                Json::String(format!("{}+00:00", temporal::format_timestamp_ns(*nanos)))
            }
            Self::String(text) | Self::WellKnownText(text) => Json::String(text.clone()),
            Self::Uuid(bytes) => Json::String(uuid_text(bytes)),
            Self::Fixed(bytes) | Self::Binary(bytes) => Json::String(hex::encode_upper(bytes)),
            Self::Variant(json) => json.clone(),
            Self::Struct(members) => Json::Object(
                members
                    .iter()
                    .map(|(id, value)| (id.to_string(), value.to_json()))
                    .collect(),
            ),
            Self::List(elements) => Json::Array(elements.iter().map(Self::to_json).collect()),
            Self::Map(entries) => {
                let keys = entries.iter().map(|(key, _)| key.to_json()).collect();
                let values = entries.iter().map(|(_, value)| value.to_json()).collect();
                Json::Object(Map::from_iter([
                    ("keys".to_owned(), Json::Array(keys)),
                    ("values".to_owned(), Json::Array(values)),
                ]))
            }
        }
    }
}

fn number(value: f64) -> Json {
    match Number::from_f64(value) {
        Some(number) => Json::Number(number),
        None if value.is_nan() => Json::from("NaN"),
        None if value > 0.0 => Json::from("Infinity"),
        None => Json::from("-Infinity"),
    }
}

fn uuid_text(bytes: &[u8; 16]) -> String {
    let mut text = hex::encode(bytes);
    // From the back, so that the earlier places stay where they are.
    for at in [20, 16, 12, 8] {
        text.insert(at, '-');
    }
    text
}
