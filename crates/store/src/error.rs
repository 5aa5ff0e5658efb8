// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What can go wrong below the store, told by class and by statement, never by the name of a constraint
//! (SQLite gives none).

use crate::revision::Area;

/// What kind of failure a database reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A second row with a key that must be unique.
    Unique,
    /// A row that refers to one that does not exist.
    ForeignKey,
    /// A value that a column must not have.
    Constraint,
    /// Another connection holds the lock that was needed; trying again may help.
    Busy,
    /// Two transactions could not be put in an order; trying again may help.
    Serialization,
    /// The database does not answer.
    Unavailable,
    /// Anything else.
    Other,
}

/// Why the store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused or failed.
    #[error("the store failed at `{statement}` ({class:?}): {source}")]
    Database {
        /// The statement, by the name of its file.
        statement: &'static str,
        /// The class of the failure.
        class: Class,
        /// What the driver said; for the log, not for callers.
        source: sqlx::Error,
    },
    /// A row that must exist does not, or is ended.
    #[error("there is no {what} `{name}`")]
    Missing {
        /// The kind of row in words.
        what: &'static str,
        /// Its name or id.
        name: String,
    },
    /// The caller changed something in an area that it did not name when it opened the write.
    #[error("the write at `{statement}` did not name the area `{}`", area.as_str())]
    UndeclaredArea {
        /// The statement that needs the area.
        statement: &'static str,
        /// The area that is missing.
        area: Area,
    },
    /// A stored value that no version of this program wrote.
    #[error("the store holds a value that cannot be read at `{statement}`: {detail}")]
    Corrupt {
        /// The statement that read it.
        statement: &'static str,
        /// What is wrong with it.
        detail: String,
    },
    /// Another process serves from this file.
    #[error("`{path}` belongs to another running server; stop it, or give this one its own data folder")]
    InUse {
        /// The file that is locked.
        path: String,
    },
    /// The address of the store cannot be used.
    #[error("`{url}` is not the address of a store: {reason}")]
    Address {
        /// The address, without its password.
        url: String,
        /// What is wrong and what is accepted.
        reason: String,
    },
    /// A file or folder of the embedded store cannot be used.
    #[error("`{path}` cannot be used for the store: {source}")]
    File {
        /// The file or folder.
        path: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The database was migrated by a newer version of this program.
    #[error("the store has the migration `{name}`, which this version does not know; use the newer version")]
    Newer {
        /// The unknown migration.
        name: String,
    },
}

impl StoreError {
    /// The class of the failure, for errors that the database reported.
    pub fn class(&self) -> Option<Class> {
        match self {
            Self::Database { class, .. } => Some(*class),
            Self::Missing { .. }
            | Self::UndeclaredArea { .. }
            | Self::Corrupt { .. }
            | Self::InUse { .. }
            | Self::Address { .. }
            | Self::File { .. }
            | Self::Newer { .. } => None,
        }
    }

    /// Whether a row with the same key exists already.
    pub fn is_unique(&self) -> bool {
        self.class() == Some(Class::Unique)
    }

    /// Whether the row that was named does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    /// Whether the same call may succeed a moment later.
    pub fn is_transient(&self) -> bool {
        matches!(
            self.class(),
            Some(Class::Busy | Class::Serialization | Class::Unavailable)
        )
    }

    /// Classifies what the driver said. Codes: PostgreSQL SQLSTATE, SQLite result codes.
    pub(crate) fn from_driver(statement: &'static str, source: sqlx::Error) -> Self {
        Self::Database {
            statement,
            class: classify(&source),
            source,
        }
    }
}

fn classify(source: &sqlx::Error) -> Class {
    use sqlx::error::ErrorKind;
    if let sqlx::Error::Database(error) = source {
        match error.kind() {
            ErrorKind::UniqueViolation => return Class::Unique,
            ErrorKind::ForeignKeyViolation => return Class::ForeignKey,
            ErrorKind::NotNullViolation | ErrorKind::CheckViolation | ErrorKind::ExclusionViolation => {
                return Class::Constraint;
            }
            // The enum is open: what it does not name is told by code.
            ErrorKind::Other | _ => {}
        }
        return error.code().map_or(Class::Other, |code| classify_code(&code));
    }
    let unreachable = matches!(
        source,
        sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
    );
    if unreachable {
        Class::Unavailable
    } else {
        Class::Other
    }
}

/// SQLite reports result codes in decimal; their low byte is the primary code (5 busy, 6 locked). PostgreSQL reports
/// five-character states: class 08 and 57P connection, 25P03 a connection that was silent for too long, 53 resources, 40 rollback,
/// 55P03 lock not available, 57014 a statement that took too long.
fn classify_code(code: &str) -> Class {
    if code.len() == 5 {
        return match code {
            "40001" | "40P01" => Class::Serialization,
            "55P03" | "57014" => Class::Busy,
            "25P03" => Class::Unavailable,
            _ if code.starts_with("08") || code.starts_with("57P") || code.starts_with("53") => {
                Class::Unavailable
            }
            _ => Class::Other,
        };
    }
    match code.parse::<i64>().map(|number| number & 0xff) {
        Ok(5 | 6) => Class::Busy,
        Ok(10 | 13 | 14) => Class::Unavailable,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, classify_code};

    #[test]
    fn codes_of_both_engines_are_told_apart() {
        for (code, expected) in [
            ("5", Class::Busy),
            ("517", Class::Busy),
            ("262", Class::Busy),
            ("13", Class::Unavailable),
            ("1", Class::Other),
            ("40001", Class::Serialization),
            ("40P01", Class::Serialization),
            ("55P03", Class::Busy),
            ("57014", Class::Busy),
            ("25P03", Class::Unavailable),
            ("08006", Class::Unavailable),
            ("57P01", Class::Unavailable),
            ("42601", Class::Other),
        ] {
            assert_eq!(classify_code(code), expected, "{code}");
        }
    }
}
