// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Why the reader returned no rows.

use std::sync::Arc;
use std::time::Duration;

use datafusion::error::DataFusionError;
use lakeward_read_restrictions::error::ReaderError as RestrictionError;

use crate::masks::MaskError;
use crate::row_filter::FilterError;
use crate::session::failure::own;

/// A failure of the reader. No row of a governed table leaves the reader after one.
#[derive(Debug, thiserror::Error)]
pub enum ReaderError {
    /// The files of a reader identity or the server's address cannot be used.
    #[error("{0}")]
    Configuration(String),
    /// Credentials that cannot be sent at all.
    #[error("{0}")]
    Credentials(String),
    /// The server could not be reached or broke off.
    #[error("the server `{server}` could not be reached: {cause}")]
    Unreachable {
        /// Its address.
        server: String,
        /// What the connection says.
        cause: String,
    },
    /// 401
    #[error("the server does not know who you are: {0}")]
    Unauthenticated(Box<ServerAnswer>),
    /// 403 or 404 of authorization: what does not exist and what may not be seen look alike.
    #[error("`{table}` cannot be read: {answer}")]
    Refused {
        /// The table as it was asked for.
        table: String,
        /// What the server said.
        answer: Box<ServerAnswer>,
    },
    /// 403 because this reader is not trusted.
    #[error(
        "`{table}` is restricted and this reader is not trusted with it; use a reader that the operator enrolled (`--identity`): {answer}"
    )]
    NotTrusted {
        /// The table.
        table: String,
        /// What the server said.
        answer: Box<ServerAnswer>,
    },
    /// 406: the server did not see the capability that every request of this reader declares.
    #[error(
        "`{table}` is restricted and the server did not accept the reader's declaration; does a proxy remove the header `X-Gravitino-Client-Capabilities`? {answer}"
    )]
    NotAcceptable {
        /// The table.
        table: String,
        /// What the server said.
        answer: Box<ServerAnswer>,
    },
    /// The server could not determine the restrictions, with a stable code that an administrator can look up.
    #[error(
        "the restrictions of `{table}` could not be determined ({code}); tell an administrator: {answer}"
    )]
    Unresolved {
        /// The table.
        table: String,
        /// The stable code.
        code: String,
        /// What the server said.
        answer: Box<ServerAnswer>,
    },
    /// Another status.
    #[error("the server answered `{table}` with an error: {answer}")]
    Server {
        /// The table or path.
        table: String,
        /// What the server said.
        answer: Box<ServerAnswer>,
    },
    /// The answer is not what the protocol says, or has members that this reader does not know.
    #[error("the answer for `{table}` cannot be used: {problem}")]
    Answer {
        /// The table.
        table: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The restrictions have content that this reader does not know or that does not fit the table.
    #[error("`{table}` has restrictions that this reader does not understand, so it is not read: {cause}")]
    Restrictions {
        /// The table.
        table: String,
        /// What is unknown.
        cause: Box<RestrictionError>,
    },
    /// Another subject's row filter would tell values that are hidden from the caller.
    #[error(
        "no sample of `{table}` can be shown: the row filter reads `{columns}`, which is masked for you, and which rows are there would tell its values"
    )]
    FilterReadsMasked {
        /// The table.
        table: String,
        /// The columns.
        columns: String,
    },
    /// The table uses something that this reader cannot read right.
    #[error("`{table}` cannot be read by this version of the reader: {problem}")]
    Unsupported {
        /// The table.
        table: String,
        /// What it is, and what to do.
        problem: String,
    },
    /// A view that cannot be expanded, or not for this caller.
    #[error("the view `{view}` cannot be read here: {problem}")]
    View {
        /// The view as it was asked for.
        view: String,
        /// Why not.
        problem: String,
    },
    /// There is no such version of the table, or restrictions cannot be enforced on it.
    #[error("`{table}` cannot be read {version}: {problem}")]
    Version {
        /// The table.
        table: String,
        /// The version as it was asked for.
        version: String,
        /// Why not.
        problem: String,
    },
    /// Files of the table could not be read.
    #[error("`{table}` could not be read from storage: {cause}")]
    Storage {
        /// The table.
        table: String,
        /// What the storage says.
        cause: Box<iceberg::Error>,
    },
    /// The filter failed.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A mask failed.
    #[error(transparent)]
    Mask(#[from] MaskError),
    /// The statement is not a query of governed tables.
    #[error("{0}")]
    Statement(String),
    /// The query is wrong or failed above the barrier.
    #[error("{0}")]
    Query(String),
    /// Memory or disk did not suffice; says which limit, and the setting of it.
    #[error("{0}")]
    Exhausted(String),
    /// The query took too long.
    #[error("the query was stopped after {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// One of the failures above, which several parts of a query share; see [`Self::root`].
    #[error("{0}")]
    Shared(SharedFailure),
    /// The operating system gave no random bytes for the salt.
    #[error("no random bytes for the salt of the query: {0}")]
    NoRandomness(String),
}

impl ReaderError {
    /// Whether it is about one table and says nothing of others: a list of tables can go on after it.
    pub fn concerns_one_table(&self) -> bool {
        match self.root() {
            Self::Refused { .. }
            | Self::NotTrusted { .. }
            | Self::NotAcceptable { .. }
            | Self::Unresolved { .. }
            | Self::Answer { .. }
            | Self::Restrictions { .. }
            | Self::FilterReadsMasked { .. }
            | Self::Unsupported { .. }
            | Self::Version { .. }
            | Self::View { .. }
            | Self::Storage { .. }
            | Self::Filter(_)
            | Self::Mask(_)
            | Self::Statement(_)
            | Self::Query(_) => true,
            Self::Configuration(_)
            | Self::Credentials(_)
            | Self::Unreachable { .. }
            | Self::Unauthenticated(_)
            | Self::Server { .. }
            | Self::Shared(_)
            | Self::Exhausted(_)
            | Self::TimedOut(_)
            | Self::NoRandomness(_) => false,
        }
    }

    /// The failure itself where it is a shared one.
    pub fn root(&self) -> &Self {
        if let Self::Shared(shared) = self {
            return shared.error();
        }
        self
    }
}

/// A failure of the reader that the engine holds, for parts of a query that wait for the same rows.
#[derive(Debug, Clone)]
pub struct SharedFailure(Arc<DataFusionError>);

impl SharedFailure {
    /// Of an engine's error with a reader's error inside.
    pub(crate) fn new(error: DataFusionError) -> Self {
        Self(Arc::new(error))
    }

    fn error(&self) -> &ReaderError {
        // Only errors with one inside are made into a shared failure; without it nothing is said.
        static NONE: ReaderError = ReaderError::Query(String::new());
        own(&self.0).unwrap_or(&NONE)
    }
}

impl std::fmt::Display for SharedFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error().fmt(f)
    }
}

/// What a server said when it refused, as far as a user needs it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerAnswer {
    /// HTTP status.
    pub status: u16,
    /// The protocol's type of the error, `ForbiddenException` for instance; empty if there was none.
    pub kind: String,
    /// The message.
    pub message: String,
    /// `X-Request-Id`, by which the operator finds the request.
    pub request_id: Option<String>,
}

impl std::fmt::Display for ServerAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let message = if self.message.is_empty() {
            "no message"
        } else {
            &self.message
        };
        write!(f, "{message} (status {}", self.status)?;
        if !self.kind.is_empty() {
            write!(f, ", {}", self.kind)?;
        }
        if let Some(request_id) = &self.request_id {
            write!(f, ", request {request_id}")?;
        }
        f.write_str(")")
    }
}
