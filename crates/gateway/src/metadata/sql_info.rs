// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the gateway and its SQL can do, as drivers ask for it. `tests.rs` tries on the engine what is claimed here.
//!
//! The types of the values are those that the JDBC driver casts to, which for some differ from what the protocol says.
//! Facts that are newer than the oldest driver in use are left out: the JDBC driver fails on numbers that it does not know.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use arrow::compute::can_cast_types;
use arrow::datatypes::{DataType, TimeUnit};
use arrow_flight::sql::metadata::{SqlInfoData, SqlInfoDataBuilder};
use arrow_flight::sql::{
    CommandGetSqlInfo, SqlInfo, SqlNullOrdering, SqlSupportedCaseSensitivity, SqlSupportsConvert,
};
use lakeward_reader::error::ReaderError;
use lakeward_reader::session::Engine;

use super::{MetadataRows, unbuilt};

/// The name that tools show.
const NAME: &str = "Lakeward";

/// Answers `GetSqlInfo`: what is asked for, or all.
///
/// # Errors
/// [`ReaderError::Query`] when no engine can be made.
pub(super) fn get_sql_info(asked: CommandGetSqlInfo) -> Result<MetadataRows, ReaderError> {
    let batch = facts()?.record_batch(asked.info).map_err(unbuilt)?;
    Ok(MetadataRows::one(batch))
}

/// All facts; the same for everybody for as long as the gateway runs.
fn facts() -> Result<&'static SqlInfoData, ReaderError> {
    static FACTS: OnceLock<SqlInfoData> = OnceLock::new();
    if let Some(facts) = FACTS.get() {
        return Ok(facts);
    }
    let built = all(Engine::describe()?).build().map_err(unbuilt)?;
    Ok(FACTS.get_or_init(|| built))
}

fn all(engine: Engine) -> SqlInfoDataBuilder {
    let mut facts = SqlInfoDataBuilder::new();
    facts.append(SqlInfo::FlightSqlServerName, NAME);
    facts.append(SqlInfo::FlightSqlServerVersion, env!("CARGO_PKG_VERSION"));
    facts.append(SqlInfo::FlightSqlServerArrowVersion, arrow::ARROW_VERSION);
    // No transactions; a prepared statement is never forgotten; a query is cancelled by hanging up.
    facts.append(SqlInfo::FlightSqlServerTransaction, 0_i32);
    facts.append(SqlInfo::FlightSqlServerStatementTimeout, 0_i32);
    facts.append(SqlInfo::FlightSqlServerTransactionTimeout, 0_i32);
    facts.append(SqlInfo::SqlDefaultTransactionIsolation, 0_i64);
    facts.append(SqlInfo::SqlSupportedTransactionsIsolationLevels, bits(&[0]));
    words(&mut facts, engine);
    yes_or_no(&mut facts);
    levels(&mut facts);
    no_limits(&mut facts);
    facts
}

/// How names and statements are written.
fn words(facts: &mut SqlInfoDataBuilder, engine: Engine) {
    facts.append(SqlInfo::SqlKeywords, engine.keywords);
    facts.append(SqlInfo::SqlNumericFunctions, engine.numeric_functions);
    facts.append(SqlInfo::SqlStringFunctions, engine.string_functions);
    facts.append(SqlInfo::SqlDatetimeFunctions, engine.datetime_functions);
    facts.append(SqlInfo::SqlSystemFunctions, engine.system_functions);
    facts.append(SqlInfo::SqlIdentifierQuoteChar, "\"");
    facts.append(SqlInfo::SqlSearchStringEscape, "\\");
    facts.append(SqlInfo::SqlExtraNameCharacters, "");
    facts.append(SqlInfo::SqlCatalogTerm, "catalog");
    facts.append(SqlInfo::SqlSchemaTerm, "schema");
    facts.append(SqlInfo::SqlProcedureTerm, "");
    let lower = SqlSupportedCaseSensitivity::SqlCaseSensitivityLowercase;
    facts.append(SqlInfo::SqlIdentifierCase, i64::from(i32::from(lower)));
    // Quoted names keep their case, for which there is no word.
    let unknown = SqlSupportedCaseSensitivity::SqlCaseSensitivityUnknown;
    facts.append(SqlInfo::SqlQuotedIdentifierCase, i64::from(i32::from(unknown)));
    let high = SqlNullOrdering::SqlNullsSortedHigh;
    facts.append(SqlInfo::SqlNullOrdering, i64::from(i32::from(high)));
    facts.append(SqlInfo::SqlSupportsConvert, conversions());
}

fn yes_or_no(facts: &mut SqlInfoDataBuilder) {
    for fact in [
        SqlInfo::FlightSqlServerReadOnly,
        SqlInfo::FlightSqlServerSql,
        SqlInfo::SqlAllTablesAreSelectable,
        SqlInfo::SqlCatalogAtStart,
        SqlInfo::SqlCorrelatedSubqueriesSupported,
        SqlInfo::SqlMaxRowSizeIncludesBlobs,
        SqlInfo::SqlNullPlusNullIsNull,
        SqlInfo::SqlSupportsColumnAliasing,
        SqlInfo::SqlSupportsExpressionsInOrderBy,
        SqlInfo::SqlSupportsNonNullableColumns,
        SqlInfo::SqlSupportsOrderByUnrelated,
        SqlInfo::SqlSupportsTableCorrelationNames,
    ] {
        facts.append(fact, true);
    }
    for fact in [
        SqlInfo::FlightSqlServerCancel,
        SqlInfo::FlightSqlServerSubstrait,
        SqlInfo::SqlBatchUpdatesSupported,
        SqlInfo::SqlDataDefinitionCausesTransactionCommit,
        SqlInfo::SqlDataDefinitionsInTransactionsIgnored,
        SqlInfo::SqlDdlCatalog,
        SqlInfo::SqlDdlSchema,
        SqlInfo::SqlDdlTable,
        SqlInfo::SqlLocatorsUpdateCopy,
        SqlInfo::SqlNamedParametersSupported,
        SqlInfo::SqlSavepointsSupported,
        SqlInfo::SqlSelectForUpdateSupported,
        SqlInfo::SqlStoredFunctionsUsingCallSyntaxSupported,
        SqlInfo::SqlStoredProceduresSupported,
        SqlInfo::SqlSupportsDifferentTableCorrelationNames,
        SqlInfo::SqlSupportsIntegrityEnhancementFacility,
        // Only a backslash escapes, whatever the clause names.
        SqlInfo::SqlSupportsLikeEscapeClause,
        SqlInfo::SqlTransactionsSupported,
    ] {
        facts.append(fact, false);
    }
}

/// What is said by bits; the bit of a member of an enumeration is that of its number.
fn levels(facts: &mut SqlInfoDataBuilder) {
    for (fact, supported) in [
        // By columns that are not selected, and by some beside those that are.
        (SqlInfo::SqlSupportedGroupBy, &[0, 1][..]),
        // Of queries: the minimum, and the entry level.
        (SqlInfo::SqlSupportedGrammar, &[0]),
        (SqlInfo::SqlAnsi92SupportedLevel, &[0]),
        // Limited and full.
        (SqlInfo::SqlOuterJoinsSupportLevel, &[1, 2]),
        (SqlInfo::SqlSchemasSupportedActions, &[]),
        (SqlInfo::SqlCatalogsSupportedActions, &[]),
        (SqlInfo::SqlSupportedPositionedCommands, &[]),
        // In comparisons, `EXISTS`, `IN`, and quantified ones.
        (SqlInfo::SqlSupportedSubqueries, &[0, 1, 2, 3]),
        // `UNION` and `UNION ALL`.
        (SqlInfo::SqlSupportedUnions, &[0, 1]),
        // Forward only, to be read.
        (SqlInfo::SqlSupportedResultSetTypes, &[1]),
        (SqlInfo::SqlSupportedConcurrenciesForResultSetUnspecified, &[]),
        (SqlInfo::SqlSupportedConcurrenciesForResultSetForwardOnly, &[1]),
        (SqlInfo::SqlSupportedConcurrenciesForResultSetScrollSensitive, &[]),
        (
            SqlInfo::SqlSupportedConcurrenciesForResultSetScrollInsensitive,
            &[],
        ),
    ] {
        facts.append(fact, bits(supported));
    }
}

/// Zero says that there is no limit, or none that is known.
fn no_limits(facts: &mut SqlInfoDataBuilder) {
    for fact in [
        SqlInfo::SqlDbSchemaNameLength,
        SqlInfo::SqlMaxBinaryLiteralLength,
        SqlInfo::SqlMaxCatalogNameLength,
        SqlInfo::SqlMaxCharLiteralLength,
        SqlInfo::SqlMaxColumnNameLength,
        SqlInfo::SqlMaxColumnsInGroupBy,
        SqlInfo::SqlMaxColumnsInIndex,
        SqlInfo::SqlMaxColumnsInOrderBy,
        SqlInfo::SqlMaxColumnsInSelect,
        SqlInfo::SqlMaxColumnsInTable,
        SqlInfo::SqlMaxConnections,
        SqlInfo::SqlMaxCursorNameLength,
        SqlInfo::SqlMaxIndexLength,
        SqlInfo::SqlMaxProcedureNameLength,
        SqlInfo::SqlMaxRowSize,
        SqlInfo::SqlMaxStatementLength,
        SqlInfo::SqlMaxStatements,
        SqlInfo::SqlMaxTableNameLength,
        SqlInfo::SqlMaxTablesInSelect,
        SqlInfo::SqlMaxUsernameLength,
    ] {
        facts.append(fact, 0_i64);
    }
}

fn bits(supported: &[u32]) -> i32 {
    supported.iter().fold(0, |mask, bit| mask | (1_i32 << bit))
}

/// Which types `CAST` turns into which, as the engine's kernels say.
fn conversions() -> BTreeMap<i32, Vec<i32>> {
    let types = convertible();
    types
        .iter()
        .map(|(from, from_type)| {
            let to = types
                .iter()
                .filter(|(_, to_type)| can_cast_types(from_type, to_type));
            (i32::from(*from), to.map(|(to, _)| i32::from(*to)).collect())
        })
        .collect()
}

/// The types that can be converted, each as the engine has it.
fn convertible() -> Vec<(SqlSupportsConvert, DataType)> {
    let decimal = || DataType::Decimal128(38, 10);
    vec![
        (SqlSupportsConvert::SqlConvertBit, DataType::Boolean),
        (SqlSupportsConvert::SqlConvertTinyint, DataType::Int8),
        (SqlSupportsConvert::SqlConvertSmallint, DataType::Int16),
        (SqlSupportsConvert::SqlConvertInteger, DataType::Int32),
        (SqlSupportsConvert::SqlConvertBigint, DataType::Int64),
        (SqlSupportsConvert::SqlConvertReal, DataType::Float32),
        (SqlSupportsConvert::SqlConvertFloat, DataType::Float64),
        (SqlSupportsConvert::SqlConvertDecimal, decimal()),
        (SqlSupportsConvert::SqlConvertNumeric, decimal()),
        (SqlSupportsConvert::SqlConvertDate, DataType::Date32),
        (
            SqlSupportsConvert::SqlConvertTime,
            DataType::Time64(TimeUnit::Nanosecond),
        ),
        (
            SqlSupportsConvert::SqlConvertTimestamp,
            DataType::Timestamp(TimeUnit::Nanosecond, None),
        ),
        (SqlSupportsConvert::SqlConvertChar, DataType::Utf8),
        (SqlSupportsConvert::SqlConvertVarchar, DataType::Utf8),
        (SqlSupportsConvert::SqlConvertLongvarchar, DataType::Utf8),
        (SqlSupportsConvert::SqlConvertBinary, DataType::Binary),
        (SqlSupportsConvert::SqlConvertVarbinary, DataType::Binary),
        (SqlSupportsConvert::SqlConvertLongvarbinary, DataType::Binary),
    ]
}
