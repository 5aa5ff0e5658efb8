// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What becomes of a request for a table that is restricted for its caller: said by every endpoint, without default.

use std::fmt;

/// How an endpoint treats a table of which its caller may see only a part.
///
/// The list of governed operations is derived from this (`governed.golden` beside the tests), and a test asks each of
/// them for a restricted table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Governance {
    /// No answer depends on what is in a table: there is none, or only its name, which authorization guards.
    NoTable,
    /// The answer carries what it takes to read a table (metadata, credentials, plans, tasks, signatures), or tells
    /// whether it exists, or follows a change of it: the gate stands before it. 406 without the capability, 403 for
    /// a reader that nobody trusts.
    Gate,
    /// The answer shows columns, and neither where the files are nor what is in them.
    SchemaOnly,
    /// Drawn from rows or files that the caller may not see, or the end of them: refused.
    Refuse,
    /// Tells what restricts, with the names that the caller may see.
    Explain,
}

impl Governance {
    /// Whether a restriction of a table makes a difference.
    pub const fn is_governed(self) -> bool {
        !matches!(self, Self::NoTable)
    }
}

impl fmt::Display for Governance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoTable => "no table",
            Self::Gate => "gate",
            Self::SchemaOnly => "schema only",
            Self::Refuse => "refuse",
            Self::Explain => "explain",
        })
    }
}
