// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The types of SQL, as ODBC and JDBC ask for them.

use arrow_flight::sql::metadata::{XdbcTypeInfo, XdbcTypeInfoDataBuilder};
use arrow_flight::sql::{CommandGetXdbcTypeInfo, Nullable, Searchable, XdbcDataType, XdbcDatetimeSubcode};
use lakeward_reader::error::ReaderError;

use super::{MetadataRows, unbuilt};

/// Digits of a decimal at most.
const DECIMAL_DIGITS: i32 = 38;

/// Answers `GetXdbcTypeInfo`: every type that a column of a table can have at its top, and that a literal or `CAST` names.
///
/// # Errors
/// None in fact.
pub(super) fn get_type_info(asked: &CommandGetXdbcTypeInfo) -> Result<MetadataRows, ReaderError> {
    let mut builder = XdbcTypeInfoDataBuilder::new();
    for info in types() {
        builder.append(info);
    }
    let all = builder.build().map_err(unbuilt)?;
    Ok(MetadataRows::one(
        all.record_batch(asked.data_type).map_err(unbuilt)?,
    ))
}

fn types() -> Vec<XdbcTypeInfo> {
    let number = |name: &str, kind, digits| XdbcTypeInfo {
        column_size: Some(digits),
        unsigned_attribute: Some(false),
        auto_increment: Some(false),
        num_prec_radix: Some(10),
        ..plain(name, kind)
    };
    let whole = |name: &str, kind, digits| XdbcTypeInfo {
        minimum_scale: Some(0),
        maximum_scale: Some(0),
        ..number(name, kind, digits)
    };
    let quoted = |prefix: &str, size, info: XdbcTypeInfo| XdbcTypeInfo {
        literal_prefix: Some(prefix.to_owned()),
        literal_suffix: Some("'".to_owned()),
        column_size: size,
        ..info
    };
    let time = |name: &str, kind, size, subcode| XdbcTypeInfo {
        sql_data_type: XdbcDataType::XdbcDatetime,
        datetime_subcode: Some(subcode),
        minimum_scale: Some(0),
        maximum_scale: Some(9),
        ..quoted(&format!("{name} '"), Some(size), plain(name, kind))
    };
    let date = XdbcTypeInfo {
        sql_data_type: XdbcDataType::XdbcDatetime,
        ..quoted("DATE '", Some(10), plain("DATE", XdbcDataType::XdbcDate))
    };
    let text = XdbcTypeInfo {
        case_sensitive: true,
        searchable: Searchable::Full,
        ..quoted("'", None, plain("VARCHAR", XdbcDataType::XdbcVarchar))
    };
    let decimal = XdbcTypeInfo {
        create_params: Some(vec!["precision".to_owned(), "scale".to_owned()]),
        minimum_scale: Some(0),
        maximum_scale: Some(DECIMAL_DIGITS),
        ..number("DECIMAL", XdbcDataType::XdbcDecimal, DECIMAL_DIGITS)
    };
    vec![
        plain("BOOLEAN", XdbcDataType::XdbcBit),
        whole("TINYINT", XdbcDataType::XdbcTinyint, 3),
        whole("SMALLINT", XdbcDataType::XdbcSmallint, 5),
        whole("INTEGER", XdbcDataType::XdbcInteger, 10),
        whole("BIGINT", XdbcDataType::XdbcBigint, 19),
        number("REAL", XdbcDataType::XdbcReal, 7),
        number("DOUBLE", XdbcDataType::XdbcDouble, 15),
        decimal,
        date,
        time(
            "TIME",
            XdbcDataType::XdbcTime,
            18,
            XdbcDatetimeSubcode::XdbcSubcodeTime,
        ),
        time(
            "TIMESTAMP",
            XdbcDataType::XdbcTimestamp,
            29,
            XdbcDatetimeSubcode::XdbcSubcodeTimestamp,
        ),
        text,
        quoted("X'", None, plain("BYTEA", XdbcDataType::XdbcVarbinary)),
    ]
}

/// A type with nothing special: nullable, compared by any operator but `LIKE`.
fn plain(name: &str, kind: XdbcDataType) -> XdbcTypeInfo {
    XdbcTypeInfo {
        type_name: name.to_owned(),
        data_type: kind,
        nullable: Nullable::NullabilityNullable,
        searchable: Searchable::Basic,
        local_type_name: Some(name.to_owned()),
        sql_data_type: kind,
        ..XdbcTypeInfo::default()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use arrow::array::AsArray;
    use futures::TryStreamExt;
    use lakeward_reader::connection::{Connection, ConnectionOptions, Credentials};
    use lakeward_reader::session::{Session, SessionOptions};

    use super::{CommandGetXdbcTypeInfo, get_type_info, types};

    #[tokio::test]
    async fn one_type_or_all() {
        for (data_type, expected) in [(None, 13), (Some(-5), 1), (Some(2), 0)] {
            let answer = get_type_info(&CommandGetXdbcTypeInfo { data_type }).unwrap();
            let batches: Vec<_> = answer.batches.try_collect().await.unwrap();
            let rows: usize = batches.iter().map(|batch| batch.num_rows()).sum();
            assert_eq!(rows, expected, "{data_type:?}");
            assert_eq!(batches[0].schema(), answer.schema);
            assert!(
                batches[0]
                    .column(0)
                    .as_string::<i32>()
                    .iter()
                    .all(|name| name.is_some())
            );
        }
    }

    #[tokio::test]
    async fn every_type_is_one_that_the_engine_knows() {
        let connection = Connection::new(ConnectionOptions {
            iceberg: "http://127.0.0.1:9".parse().unwrap(),
            credentials: Credentials::None,
            identity: None,
            timeout: Duration::from_secs(1),
        });
        let session = Session::new(connection.unwrap(), SessionOptions::default());
        for info in types() {
            let sql = format!("SELECT CAST(NULL AS {}) AS x", info.type_name);
            let answer = session.query(&sql).await;
            assert_eq!(answer.map(|answer| answer.rows()).unwrap(), 1, "{sql}");
        }
    }
}
