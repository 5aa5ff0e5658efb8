// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where run events of OpenLineage go, from the original's keys.

use super::ConfigurationError;
use super::properties::Properties;

/// What the keys of sources and sinks begin with; their names stand behind it.
const FAMILY: &str = "gravitino.lineage.";

/// Where run events go.
#[derive(Debug, Clone)]
pub struct LineageSettings {
    /// How many events may wait for the sinks (`gravitino.lineage.queueCapacity`).
    pub queue_capacity: usize,
    /// Every event goes to each of these.
    pub sinks: Vec<LineageSink>,
}

/// Where an event goes.
#[derive(Clone, PartialEq, Eq)]
pub enum LineageSink {
    /// Into the log of the server.
    Log,
    /// To another server of OpenLineage.
    Http {
        /// Where events are posted to.
        url: url::Url,
        /// A bearer token to send along.
        api_key: Option<String>,
    },
}

// A secret must not reach a log by way of a derived implementation.
impl std::fmt::Debug for LineageSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Log => f.write_str("Log"),
            Self::Http { url, .. } => f.debug_struct("Http").field("url", url).finish_non_exhaustive(),
        }
    }
}

impl LineageSettings {
    pub(super) fn from_properties(properties: &Properties) -> Result<Self, ConfigurationError> {
        let not_supported = |key: &str, value: &str| {
            Err(ConfigurationError::NotSupported {
                key: key.to_owned(),
                value: value.to_owned(),
            })
        };
        let source = "gravitino.lineage.source";
        if let Some(other) = properties.get(source).filter(|name| *name != "http") {
            return not_supported(source, other);
        }
        let processor = "gravitino.lineage.processorClass";
        if let Some(class) = properties.given(processor)
            && simple_name(class) != "NoopProcessor"
        {
            return not_supported(processor, class);
        }
        let capacity = "gravitino.lineage.queueCapacity";
        let queue_capacity = properties.parsed(capacity, "a positive number")?;
        if queue_capacity == 0 {
            return Err(ConfigurationError::Value {
                key: capacity.to_owned(),
                value: "0".to_owned(),
                expected: "a positive number",
            });
        }
        let mut sinks = Vec::new();
        for name in properties.list("gravitino.lineage.sinks") {
            sinks.push(LineageSink::of(properties, &name)?);
        }
        Ok(Self {
            queue_capacity,
            sinks,
        })
    }
}

impl LineageSink {
    fn of(properties: &Properties, name: &str) -> Result<Self, ConfigurationError> {
        let key = |last: &str| format!("{FAMILY}{name}.{last}");
        let class_key = key("sinkClass");
        let class = properties.given(&class_key);
        match (class.map(simple_name), name) {
            (Some("LineageLogSink"), _) | (None, "log") => Ok(Self::Log),
            (Some("LineageHttpSink"), _) | (None, "http") => {
                let url_key = key("url");
                let given = properties.given(&url_key).unwrap_or_default();
                let refused = || ConfigurationError::Value {
                    key: url_key.clone(),
                    value: given.to_owned(),
                    expected: "an `http` or `https` address",
                };
                let mut url = url::Url::parse(given).map_err(|_| refused())?;
                if !matches!(url.scheme(), "http" | "https") {
                    return Err(refused());
                }
                if url.path() == "/" {
                    url.set_path("/api/v1/lineage");
                }
                let kind_key = key("authType");
                let api_key = match properties.given(&kind_key).unwrap_or("none") {
                    "none" => None,
                    kind if kind.eq_ignore_ascii_case("apiKey") => {
                        let secret = properties.given(&key("apiKey")).map(str::to_owned);
                        Some(secret.ok_or_else(|| {
                            ConfigurationError::Combination(format!(
                                "`{kind_key} = {kind}` needs `{}`",
                                key("apiKey")
                            ))
                        })?)
                    }
                    other => {
                        return Err(ConfigurationError::Value {
                            key: kind_key.clone(),
                            value: other.to_owned(),
                            expected: "`none` or `apiKey`",
                        });
                    }
                };
                Ok(Self::Http { url, api_key })
            }
            (Some(_), _) => Err(ConfigurationError::NotSupported {
                value: class.unwrap_or_default().to_owned(),
                key: class_key,
            }),
            (None, _) => Err(ConfigurationError::Combination(format!(
                "the sink `{name}` of `gravitino.lineage.sinks` needs `{class_key}`"
            ))),
        }
    }
}

/// Whether a key belongs to a sink or source, whose names are free.
pub(super) fn is_of_sink(key: &str) -> bool {
    const MEMBERS: [&str; 4] = ["sinkClass", "url", "authType", "apiKey"];
    key.strip_prefix(FAMILY)
        .and_then(|rest| rest.split_once('.'))
        .is_some_and(|(_, last)| MEMBERS.contains(&last))
}

fn simple_name(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}
