// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Dialects in which views are written, as far as they differ in what is expanded.

use datafusion::sql::sqlparser::dialect::{
    AnsiDialect, DatabricksDialect, Dialect, DuckDbDialect, GenericDialect, PostgreSqlDialect,
};

/// A dialect that can be expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ViewDialect {
    /// That of this engine.
    DataFusion,
    Ansi,
    Trino,
    Spark,
    DuckDb,
    Postgres,
}

impl ViewDialect {
    /// The dialect of a representation; `None` for one that cannot be expanded.
    pub(crate) fn of(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "datafusion" => Some(Self::DataFusion),
            "ansi" => Some(Self::Ansi),
            "trino" | "presto" => Some(Self::Trino),
            "spark" | "databricks" => Some(Self::Spark),
            "duckdb" => Some(Self::DuckDb),
            "postgres" | "postgresql" => Some(Self::Postgres),
            _ => None,
        }
    }

    /// How its text is read.
    pub(crate) fn parser(self) -> Box<dyn Dialect> {
        match self {
            Self::DataFusion => Box::new(GenericDialect {}),
            Self::Ansi | Self::Trino => Box::new(AnsiDialect {}),
            Self::Spark => Box::new(DatabricksDialect {}),
            Self::DuckDb => Box::new(DuckDbDialect {}),
            Self::Postgres => Box::new(PostgreSqlDialect {}),
        }
    }

    /// Whether `Name`, `NAME` and `name` are one column. Elsewhere names without quotes are lower case, as here.
    pub(crate) fn ignores_case(self) -> bool {
        match self {
            Self::Ansi | Self::Trino | Self::Spark | Self::DuckDb => true,
            Self::DataFusion | Self::Postgres => false,
        }
    }

    /// Whether names of tables without quotes are taken as they are written, instead of in lower case.
    pub(crate) fn keeps_case_of_tables(self) -> bool {
        match self {
            Self::Spark => true,
            Self::DataFusion | Self::Ansi | Self::Trino | Self::DuckDb | Self::Postgres => false,
        }
    }

    /// Whether text is ordered by its code points, as here. PostgreSQL orders it as the database's language does.
    pub(crate) fn orders_text_by_code_points(self) -> bool {
        match self {
            Self::Postgres | Self::Ansi => false,
            Self::DataFusion | Self::Trino | Self::Spark | Self::DuckDb => true,
        }
    }

    /// For messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::DataFusion => "datafusion",
            Self::Ansi => "ansi",
            Self::Trino => "trino",
            Self::Spark => "spark",
            Self::DuckDb => "duckdb",
            Self::Postgres => "postgres",
        }
    }
}
