// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Time travel: `FOR VERSION AS OF …` and `FOR TIMESTAMP AS OF …` behind a table's name.
//!
//! The engine's parser does not know these forms, and the engine's planner passes over a version that a parser found.
//! So they are taken off the stream of tokens, where a text in quotes or a comment cannot be mistaken for one; what
//! takes their place is a form that the parser does know, at the one place where it may stand. The versioned table then
//! gets a name of its own, so that one query can read two versions of a table.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use arrow::compute::kernels::cast_utils::string_to_timestamp_nanos;
use datafusion::common::TableReference;
use datafusion::sql::parser::{DFParserBuilder, Statement};
use datafusion::sql::sqlparser::ast::{
    Ident, ObjectNamePart, Query, TableAlias, TableFactor, VisitMut, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Span, Token, TokenWithSpan, Tokenizer, Word};

use super::{query_error, size};
use crate::error::ReaderError;
use crate::table_version::TableVersion;

/// The name that stands for the n-th version until the statement is parsed.
const MARKER: &str = "lakeward version ";

const PLACE: &str = "`FOR VERSION AS OF` and `FOR TIMESTAMP AS OF` stand directly behind the name of a table, before its alias";

/// A statement whose table versions are known.
#[derive(Debug, Clone)]
pub(crate) struct ParsedStatement {
    /// The statement, in which versioned tables have names of their own.
    pub(crate) statement: Statement,
    /// Of each such name, the table's own name and the version.
    versions: HashMap<String, (String, TableVersion)>,
}

impl ParsedStatement {
    /// Parses one statement.
    ///
    /// # Errors
    /// [`ReaderError::Statement`] for a version that is not understood, [`ReaderError::Query`] for what is no SQL.
    pub(crate) fn parse(sql: &str) -> Result<Self, ReaderError> {
        size::check_text(sql)?;
        let dialect = GenericDialect {};
        let tokens = Tokenizer::new(&dialect, sql)
            .tokenize_with_location()
            .map_err(|cause| ReaderError::Query(format!("SQL error: {cause}")))?;
        size::check_chains(&tokens)?;
        let (tokens, versions) = without_versions(tokens)?;
        let parsed = DFParserBuilder::new(tokens)
            .with_dialect(&dialect)
            .build()
            .and_then(|mut parser| parser.parse_statements())
            .map_err(query_error);
        let mut statements = parsed.map_err(|cause| {
            if !versions.is_empty() && cause.to_string().contains("PARTITION") {
                ReaderError::Statement(PLACE.to_owned())
            } else {
                cause
            }
        })?;
        let mut statement = statements
            .pop_front()
            .ok_or_else(|| ReaderError::Statement("there is no statement".to_owned()))?;
        if !statements.is_empty() {
            return Err(ReaderError::Statement(
                "one call takes a single SQL statement; send them one by one".to_owned(),
            ));
        }
        let mut naming = Naming {
            versions,
            names: HashMap::new(),
            plain: BTreeSet::new(),
            ctes: BTreeSet::new(),
            versioned_bare: BTreeSet::new(),
            used: BTreeSet::new(),
        };
        name_versions(&mut statement, &mut naming)?;
        Ok(Self {
            statement,
            versions: naming.finish()?,
        })
    }

    /// The table that a reference of the statement means, and its version.
    pub(crate) fn meaning(&self, reference: &TableReference) -> (TableReference, TableVersion) {
        let Some((table, version)) = self.versions.get(reference.table()) else {
            return (reference.clone(), TableVersion::Current);
        };
        let table = table.as_str();
        let plain = match (reference.catalog(), reference.schema()) {
            (Some(catalog), Some(schema)) => TableReference::full(catalog, schema, table),
            (_, Some(schema)) => TableReference::partial(schema, table),
            (_, None) => TableReference::bare(table),
        };
        (plain, version.clone())
    }
}

/// The tokens with a marker in place of each version, and the versions.
fn without_versions(
    tokens: Vec<TokenWithSpan>,
) -> Result<(Vec<TokenWithSpan>, Vec<TableVersion>), ReaderError> {
    // Positions of what is neither space nor comment.
    let meaning: Vec<usize> = (0..tokens.len())
        .filter(|position| !matches!(token(&tokens, Some(position)), Token::Whitespace(_)))
        .collect();
    let mut out = Vec::with_capacity(tokens.len());
    let mut versions = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    while at < meaning.len() {
        let clause = Clause::at(&tokens, meaning.get(at..).unwrap_or_default())?;
        let (Some(clause), Some(start)) = (clause, meaning.get(at)) else {
            at += 1;
            continue;
        };
        out.extend_from_slice(tokens.get(copied..*start).unwrap_or_default());
        let span = tokens.get(*start).map_or_else(Span::empty, |token| token.span);
        out.extend(marker(versions.len()).map(|token| TokenWithSpan { token, span }));
        versions.push(clause.version);
        at += clause.tokens;
        copied = meaning.get(at).copied().unwrap_or(tokens.len());
    }
    out.extend_from_slice(tokens.get(copied..).unwrap_or_default());
    Ok((out, versions))
}

fn token<'a>(tokens: &'a [TokenWithSpan], position: Option<&usize>) -> &'a Token {
    position
        .and_then(|position| tokens.get(*position))
        .map_or(&Token::EOF, |token| &token.token)
}

/// `PARTITION ("lakeward version N")`
fn marker(number: usize) -> [Token; 4] {
    [
        Token::make_keyword("PARTITION"),
        Token::LParen,
        Token::Word(Word {
            value: format!("{MARKER}{number}"),
            quote_style: Some('"'),
            keyword: Keyword::NoKeyword,
        }),
        Token::RParen,
    ]
}

/// One `[FOR] VERSION|TIMESTAMP AS OF value`.
struct Clause {
    version: TableVersion,
    /// How many tokens with a meaning it takes.
    tokens: usize,
}

impl Clause {
    /// The clause that begins with the first of these positions, if one does.
    fn at(tokens: &[TokenWithSpan], positions: &[usize]) -> Result<Option<Self>, ReaderError> {
        let word = |index: usize| match token(tokens, positions.get(index)) {
            Token::Word(word) if word.quote_style.is_none() => word.value.to_ascii_uppercase(),
            _ => String::new(),
        };
        let explicit = word(0) == "FOR";
        let start = usize::from(explicit);
        let kind = word(start);
        let of_version = matches!(kind.as_str(), "VERSION" | "SYSTEM_VERSION");
        let of_time = matches!(kind.as_str(), "TIMESTAMP" | "SYSTEM_TIME");
        if !(of_version || of_time) || word(start + 1) != "AS" || word(start + 2) != "OF" {
            return Ok(None);
        }
        let mut at = start + 3;
        if of_time && word(at) == "TIMESTAMP" {
            at += 1;
        }
        let value = token(tokens, positions.get(at));
        let version = match value {
            Token::Number(digits, false) if of_version => {
                let id = digits
                    .parse()
                    .map_err(|_| ReaderError::Statement(format!("`{digits}` is not the id of a snapshot")))?;
                TableVersion::Snapshot(id)
            }
            Token::SingleQuotedString(name) if of_version => TableVersion::Reference(name.clone()),
            Token::SingleQuotedString(time) => TableVersion::AsOf(milliseconds(time)?),
            // `SELECT version AS of FROM …` names a column; with `FOR` nothing else can be meant.
            _ if !explicit => return Ok(None),
            _ if of_version => {
                return Err(ReaderError::Statement(
                    "`FOR VERSION AS OF` takes a snapshot's id, or the name of a branch or tag in single quotes"
                        .to_owned(),
                ));
            }
            _ => {
                return Err(ReaderError::Statement(
                    "`FOR TIMESTAMP AS OF` takes a time in single quotes, such as '2026-01-31 12:00:00'"
                        .to_owned(),
                ));
            }
        };
        Ok(Some(Self {
            version,
            tokens: at + 1,
        }))
    }
}

/// Milliseconds since the epoch; a time without zone is in UTC, as all times of this engine are.
fn milliseconds(time: &str) -> Result<i64, ReaderError> {
    string_to_timestamp_nanos(time)
        .map(|nanoseconds| nanoseconds.div_euclid(1_000_000))
        .map_err(|_| {
            ReaderError::Statement(format!(
                "`{time}` is not a time; write it like '2026-01-31 12:00:00' (UTC) or '2026-01-31T12:00:00+01:00'"
            ))
        })
}

fn name_versions(statement: &mut Statement, naming: &mut Naming) -> Result<(), ReaderError> {
    let visited = match statement {
        Statement::Statement(inner) => inner.visit(naming),
        Statement::Explain(explain) => return name_versions(&mut explain.statement, naming),
        // Refused whatever stands in them.
        Statement::CreateExternalTable(_) | Statement::CopyTo(_) | Statement::Reset(_) => {
            ControlFlow::Continue(())
        }
    };
    match visited {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(problem) => Err(ReaderError::Statement(problem)),
    }
}

/// Gives versioned tables names of their own.
struct Naming {
    versions: Vec<TableVersion>,
    /// Of each new name, the table's own and the version.
    names: HashMap<String, (String, TableVersion)>,
    /// Names of tables without version.
    plain: BTreeSet<String>,
    /// Names of `WITH`.
    ctes: BTreeSet<String>,
    /// Names of versioned tables that are written without schema.
    versioned_bare: BTreeSet<String>,
    /// Versions that a table has.
    used: BTreeSet<usize>,
}

impl Naming {
    fn finish(self) -> Result<HashMap<String, (String, TableVersion)>, ReaderError> {
        if self.used.len() != self.versions.len() {
            return Err(ReaderError::Statement(PLACE.to_owned()));
        }
        if let Some(name) = self.versioned_bare.intersection(&self.ctes).next() {
            return Err(ReaderError::Statement(format!(
                "`{name}` is a name of `WITH` here, which has no versions"
            )));
        }
        if let Some(name) = self.names.keys().find(|name| self.plain.contains(*name)) {
            return Err(ReaderError::Statement(format!(
                "a table cannot be called `{name}` beside that version of a table"
            )));
        }
        Ok(self.names)
    }
}

/// The name as the engine reads it.
pub(super) fn normalized(ident: &Ident) -> String {
    if ident.quote_style.is_some() {
        ident.value.clone()
    } else {
        ident.value.to_ascii_lowercase()
    }
}

impl VisitorMut for Naming {
    type Break = String;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<String> {
        let with = query.with.iter().flat_map(|with| &with.cte_tables);
        self.ctes.extend(with.map(|cte| normalized(&cte.alias.name)));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<String> {
        let TableFactor::Table {
            name,
            alias,
            args,
            partitions,
            ..
        } = factor
        else {
            return ControlFlow::Continue(());
        };
        let parts = name.0.len();
        let Some(last) = name.0.last_mut() else {
            return ControlFlow::Continue(());
        };
        let own = last.as_ident().map(normalized).unwrap_or_default();
        let number = partitions
            .first()
            .and_then(|ident| ident.value.strip_prefix(MARKER))
            .and_then(|number| number.parse::<usize>().ok());
        let Some((number, version)) =
            number.and_then(|number| Some((number, self.versions.get(number)?.clone())))
        else {
            self.plain.insert(own);
            return ControlFlow::Continue(());
        };
        if args.is_some() || !self.used.insert(number) {
            return ControlFlow::Break(PLACE.to_owned());
        }
        partitions.clear();
        if parts == 1 {
            self.versioned_bare.insert(own.clone());
        }
        let named = format!("{own} FOR {version}");
        if alias.is_none() {
            *alias = Some(TableAlias {
                explicit: true,
                name: Ident::with_quote('"', own.clone()),
                columns: Vec::new(),
            });
        }
        *last = ObjectNamePart::Identifier(Ident::with_quote('"', named.clone()));
        self.names.insert(named, (own, version));
        ControlFlow::Continue(())
    }
}
