// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Statistics of tables and partitions. A value is any JSON but null, with lists of one type.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::request::{RequestError, not_blank};

/// What names of statistics begin with that users keep; others are reserved for what a provider computes.
pub const CUSTOM: &str = "custom-";

/// One statistic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatisticDto {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Whether only the server sets it.
    pub reserved: bool,
    /// Whether users may change it.
    pub modifiable: bool,
    /// Who set it first and last.
    pub audit: AuditDto,
}

impl StatisticDto {
    /// A statistic that users keep.
    pub fn custom(name: String, value: Value, audit: AuditDto) -> Self {
        Self {
            reserved: !name.starts_with(CUSTOM),
            modifiable: name.starts_with(CUSTOM),
            name,
            value,
            audit,
        }
    }
}

/// Answer of `GET …/statistics`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatisticListResponse {
    /// Always 0.
    pub code: i32,
    /// The statistics.
    pub statistics: Vec<StatisticDto>,
}

/// The statistics of one partition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionStatisticsDto {
    /// The partition.
    pub partition_name: String,
    /// Its statistics.
    pub statistics: Vec<StatisticDto>,
}

/// Answer of `GET …/statistics/partitions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionStatisticsListResponse {
    /// Always 0.
    pub code: i32,
    /// The partitions with their statistics.
    pub partition_statistics: Vec<PartitionStatisticsDto>,
}

/// `PUT …/statistics`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct StatisticsUpdateRequest {
    /// Values by name; required, not empty.
    pub updates: Option<IndexMap<String, Value>>,
}

/// `POST …/statistics`, which drops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct StatisticsDropRequest {
    /// Names; required, not empty.
    pub names: Option<Vec<String>>,
}

/// `PUT …/statistics/partitions`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct PartitionStatisticsUpdateRequest {
    /// Required, not empty.
    pub updates: Option<Vec<PartitionStatisticsUpdate>>,
}

/// New values of one partition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct PartitionStatisticsUpdate {
    /// Required.
    pub partition_name: Option<String>,
    /// Values by name; required, not empty.
    pub statistics: Option<IndexMap<String, Value>>,
}

/// `POST …/statistics/partitions`, which drops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct PartitionStatisticsDropRequest {
    /// Required, not empty.
    pub drops: Option<Vec<PartitionStatisticsDrop>>,
}

/// Statistics of one partition to drop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct PartitionStatisticsDrop {
    /// Required.
    pub partition_name: Option<String>,
    /// Required, not empty.
    pub statistic_names: Option<Vec<String>>,
}

/// Statistics to set, each of a partition or (`None`) of the table as a whole.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StatisticValues(pub Vec<(Option<String>, String, Value)>);

/// Statistics to drop.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatisticNames(pub Vec<(Option<String>, String)>);

impl TryFrom<StatisticsUpdateRequest> for StatisticValues {
    type Error = RequestError;

    fn try_from(request: StatisticsUpdateRequest) -> Result<Self, RequestError> {
        let mut values = Vec::new();
        take_values(None, "updates", request.updates, &mut values)?;
        Ok(Self(values))
    }
}

impl TryFrom<PartitionStatisticsUpdateRequest> for StatisticValues {
    type Error = RequestError;

    fn try_from(request: PartitionStatisticsUpdateRequest) -> Result<Self, RequestError> {
        let mut values = Vec::new();
        for (position, update) in not_empty("updates", request.updates)?.into_iter().enumerate() {
            let partition = not_blank(
                &format!("updates[{position}].partitionName"),
                update.partition_name,
            )?;
            let member = format!("updates[{position}].statistics");
            take_values(Some(&partition), &member, update.statistics, &mut values)?;
        }
        Ok(Self(values))
    }
}

impl TryFrom<StatisticsDropRequest> for StatisticNames {
    type Error = RequestError;

    fn try_from(request: StatisticsDropRequest) -> Result<Self, RequestError> {
        let names = not_empty("names", request.names)?;
        Ok(Self(names.into_iter().map(|name| (None, name)).collect()))
    }
}

impl TryFrom<PartitionStatisticsDropRequest> for StatisticNames {
    type Error = RequestError;

    fn try_from(request: PartitionStatisticsDropRequest) -> Result<Self, RequestError> {
        let mut dropped = Vec::new();
        for (position, drop) in not_empty("drops", request.drops)?.into_iter().enumerate() {
            let partition = not_blank(&format!("drops[{position}].partitionName"), drop.partition_name)?;
            let names = not_empty(&format!("drops[{position}].statisticNames"), drop.statistic_names)?;
            dropped.extend(names.into_iter().map(|name| (Some(partition.clone()), name)));
        }
        Ok(Self(dropped))
    }
}

fn not_empty<T>(member: &str, list: Option<Vec<T>>) -> Result<Vec<T>, RequestError> {
    list.filter(|list| !list.is_empty())
        .ok_or_else(|| RequestError::Missing(member.to_owned()))
}

fn take_values(
    partition: Option<&str>,
    member: &str,
    given: Option<IndexMap<String, Value>>,
    values: &mut Vec<(Option<String>, String, Value)>,
) -> Result<(), RequestError> {
    let given = given
        .filter(|given| !given.is_empty())
        .ok_or_else(|| RequestError::Missing(member.to_owned()))?;
    // The form of all values is judged before any name, as the original does.
    for (name, value) in &given {
        check_value(&format!("{member}.{name}"), value)?;
    }
    for (name, value) in given {
        if !name.starts_with(CUSTOM) {
            return Err(RequestError::StatisticName(name));
        }
        values.push((partition.map(str::to_owned), name, value));
    }
    Ok(())
}

/// A value is no null, and a list has one type.
fn check_value(member: &str, value: &Value) -> Result<(), RequestError> {
    match value {
        Value::Null => Err(RequestError::invalid(member, "a value must not be null")),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        Value::Array(elements) => {
            let first = elements.first().map(type_name);
            if elements.iter().any(|element| Some(type_name(element)) != first) {
                return Err(RequestError::invalid(
                    member,
                    "the elements of a list have one type",
                ));
            }
            elements
                .iter()
                .try_for_each(|element| check_value(member, element))
        }
        Value::Object(members) => members
            .iter()
            .try_for_each(|(name, value)| check_value(&format!("{member}.{name}"), value)),
    }
}

/// Whole numbers and others are different types to the original.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "double",
        Value::Number(_) => "long",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::request::read;

    fn updates(body: &Value) -> Result<StatisticValues, RequestError> {
        read::<StatisticsUpdateRequest>(body.to_string().as_bytes())?.try_into()
    }

    #[test]
    fn values_are_natural_json() {
        let body = json!({"updates": {"custom-a": "x", "custom-b": 12, "custom-c": 0.5, "custom-d": true,
            "custom-e": ["a", "b"], "custom-f": {"x": 1, "y": "z"}}});
        let StatisticValues(values) = updates(&body).expect("recorded as taken");
        assert_eq!(values.len(), 6);
        assert!(values.iter().all(|(partition, ..)| partition.is_none()));
    }

    #[test]
    fn what_was_recorded_as_refused_is_refused() {
        for (body, word) in [
            (json!({}), "`updates`"),
            (json!({"updates": {}}), "`updates`"),
            (json!({"updates": {"custom-n": null}}), "null"),
            (json!({"updates": {"custom-mix": ["a", 1]}}), "one type"),
            (json!({"updates": {"custom-o": {"x": null}}}), "null"),
            (json!({"updates": {"rowCount": 1}}), "custom-"),
            (json!({"updates": {"custom.a": 1}}), "custom-"),
        ] {
            let message = updates(&body).expect_err("recorded as refused").to_string();
            assert!(message.contains(word), "{body}: {message}");
        }
    }

    #[test]
    fn partitions_name_themselves() {
        let read_drops = |body: Value| -> Result<StatisticNames, RequestError> {
            read::<PartitionStatisticsDropRequest>(body.to_string().as_bytes())?.try_into()
        };
        let drops = json!({"drops": [{"partitionName": "dt=1", "statisticNames": ["custom-rows"]}]});
        assert_eq!(
            read_drops(drops),
            Ok(StatisticNames(vec![(
                Some("dt=1".to_owned()),
                "custom-rows".to_owned()
            )]))
        );
        for body in [
            json!({"drops": []}),
            json!({"drops": [{"partitionName": " ", "statisticNames": ["a"]}]}),
            json!({"drops": [{"partitionName": "p", "statisticNames": []}]}),
        ] {
            assert!(read_drops(body).is_err());
        }
    }
}
