// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a user may see of a server: catalogs, namespaces, tables and views, in the words of the Iceberg REST protocol.
//!
//! Every list is asked for with the user's own identity and shows what the server shows them. What the server hides,
//! and what went away between two pages, is left out; any other failure ends the listing, so that a list that is given
//! is whole. What no statement can name is left out as well: a level with a dot, which would mean two levels, and a
//! table with the `$` or `@` of metadata tables. Sizes are bounded, since the server may be anybody's.

mod answers;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use futures::StreamExt;
use futures::stream;

use crate::connection::{Connection, ServerConfiguration};
use crate::error::{ReaderError, ServerAnswer};
use answers::{Configuration, Listed, NamespacesPage, RelationsPage};

/// What separates the levels of a namespace in paths and parameters, unless the server names another.
const SEPARATOR: &str = "\u{1f}";
/// The member of a server's defaults that names its catalogs, separated by commas.
const CATALOGS: &str = "lakeward.catalogs";
/// The endpoint without which a server has no views.
const LIST_VIEWS: &str = "GET /v1/{prefix}/namespaces/{namespace}/views";

/// How much of a server is listed. What is larger is refused, not cut off.
#[derive(Debug, Clone, Copy)]
pub struct ListingBounds {
    /// Levels of nested namespaces.
    pub depth: usize,
    /// Namespaces of one catalog.
    pub namespaces: usize,
    /// Tables or views of one namespace.
    pub relations: usize,
    /// Names that are asked for at once.
    pub page: usize,
    /// Requests for namespaces that run at once.
    pub requests: usize,
}

impl Default for ListingBounds {
    /// 32 levels, 100,000 namespaces, 100,000 tables in each, 1,000 at once, 8 requests.
    fn default() -> Self {
        Self {
            depth: 32,
            namespaces: 100_000,
            relations: 100_000,
            page: 1_000,
            requests: 8,
        }
    }
}

/// A kind of relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationKind {
    /// A table.
    Table,
    /// A view.
    View,
}

impl RelationKind {
    /// Both, in the order of lists.
    pub const ALL: [Self; 2] = [Self::Table, Self::View];

    /// The segment of its list's path.
    const fn segment(self) -> &'static str {
        match self {
            Self::Table => "tables",
            Self::View => "views",
        }
    }
}

/// The catalogs that a server says its user may see, sorted; `None` where it says nothing of them. The protocol has no such
/// list: a Lakeward server names them in `lakeward.catalogs` of its configuration's defaults.
pub fn catalogs_of(configuration: &ServerConfiguration) -> Option<Vec<String>> {
    let names = configuration.defaults.get(CATALOGS)?.split(',').map(str::trim);
    let names: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
    Some(names.into_iter().map(str::to_owned).collect())
}

/// What one user sees of one server.
#[derive(Debug, Clone)]
pub struct Listing {
    connection: Connection,
    bounds: ListingBounds,
}

/// What one user sees of one catalog.
#[derive(Debug, Clone)]
pub struct CatalogListing {
    connection: Connection,
    bounds: ListingBounds,
    catalog: String,
    prefix: Vec<String>,
    separator: String,
    has_views: bool,
}

impl Listing {
    /// A listing for the user of a connection.
    pub fn new(connection: Connection, bounds: ListingBounds) -> Self {
        Self { connection, bounds }
    }

    /// A catalog by name; `None` where the server says that there is none for the user.
    ///
    /// # Errors
    /// [`ReaderError`] when the server does not know the user, cannot be reached, or answers something else.
    pub async fn catalog(&self, name: &str) -> Result<Option<CatalogListing>, ReaderError> {
        let answered = self
            .connection
            .get(&["v1", "config"], &[("warehouse", name)])
            .await?;
        let Some(body) = shown(name, answered, &[403, 404])? else {
            return Ok(None);
        };
        let configuration: Configuration = answers::parse(name, &body)?;
        let prefix = configuration.said("prefix").unwrap_or_default();
        Ok(Some(CatalogListing {
            connection: self.connection.clone(),
            bounds: self.bounds,
            catalog: name.to_owned(),
            prefix: prefix
                .split('/')
                .filter(|segment| !segment.is_empty())
                .map(str::to_owned)
                .collect(),
            separator: configuration.separator(SEPARATOR),
            has_views: configuration.has(LIST_VIEWS),
        }))
    }
}

impl CatalogListing {
    /// The catalog's name.
    pub fn name(&self) -> &str {
        &self.catalog
    }

    /// Whether the user may see the catalog at all: a server may answer for its configuration what it answers for
    /// catalogs that are not there.
    ///
    /// # Errors
    /// As [`Listing::catalog`].
    pub async fn is_visible(&self) -> Result<bool, ReaderError> {
        let path = self.path(&["namespaces"]);
        let first = self.get(&path, &[("pageToken", ""), ("pageSize", "1")]).await?;
        Ok(shown(&self.catalog, first, &[403, 404])?.is_some())
    }

    /// The namespaces, nested ones too, each as its levels, in the order of their dotted names. `wanted_below` says of
    /// a dotted name whether anything below it is wanted, so that what is not need not be asked for.
    ///
    /// # Errors
    /// [`ReaderError`] when a list cannot be had, is no list, or is larger than the bounds.
    pub async fn namespaces(
        &self,
        wanted_below: impl Fn(&str) -> bool,
    ) -> Result<Vec<Vec<String>>, ReaderError> {
        let mut found: Vec<Vec<String>> = Vec::new();
        let mut level = self.children(&[]).await?;
        for depth in 1.. {
            if found.len().saturating_add(level.len()) > self.bounds.namespaces {
                return Err(self.too_large("namespaces", self.bounds.namespaces));
            }
            let parents: Vec<Vec<String>> = level
                .iter()
                .filter(|levels| wanted_below(&levels.join(".")))
                .cloned()
                .collect();
            found.append(&mut level);
            if parents.is_empty() {
                break;
            }
            if depth == self.bounds.depth {
                return Err(self.too_large("levels of namespaces", self.bounds.depth));
            }
            let mut lists = stream::iter(parents)
                .map(|parent| async move { self.children(&parent).await })
                .buffered(self.bounds.requests.max(1));
            while let Some(children) = lists.next().await {
                level.append(&mut children?);
                if found.len().saturating_add(level.len()) > self.bounds.namespaces {
                    return Err(self.too_large("namespaces", self.bounds.namespaces));
                }
            }
        }
        found.sort_by_cached_key(|levels| levels.join("."));
        Ok(found)
    }

    /// The names of one kind in a namespace, sorted.
    ///
    /// # Errors
    /// As [`CatalogListing::namespaces`].
    pub async fn relations(
        &self,
        namespace: &[String],
        kind: RelationKind,
    ) -> Result<Vec<String>, ReaderError> {
        if kind == RelationKind::View && !self.has_views {
            return Ok(Vec::new());
        }
        let joined = namespace.join(&self.separator);
        let path = self.path(&["namespaces", &joined, kind.segment()]);
        let listed: Vec<answers::Identifier> = self
            .all::<RelationsPage>(&path, None, self.bounds.relations)
            .await?;
        let mut names = BTreeSet::new();
        for identifier in listed {
            if identifier.namespace != namespace {
                return Err(self.not_understood("it lists what is of another namespace"));
            }
            if can_be_named(&identifier.name) {
                names.insert(identifier.name);
            }
        }
        Ok(names.into_iter().collect())
    }

    /// The namespaces directly below one.
    async fn children(&self, parent: &[String]) -> Result<Vec<Vec<String>>, ReaderError> {
        let path = self.path(&["namespaces"]);
        let joined = parent.join(&self.separator);
        let below = (!parent.is_empty()).then_some(joined.as_str());
        let listed: Vec<Vec<String>> = self
            .all::<NamespacesPage>(&path, below, self.bounds.namespaces)
            .await?;
        let mut children = BTreeSet::new();
        for levels in listed {
            let Some((own, above)) = levels.split_last() else {
                return Err(self.not_understood("it lists a namespace without a name"));
            };
            // A server that does not nest and ignores `parent` would otherwise be followed for ever.
            if above != parent {
                return Err(self.not_understood("it lists a namespace that is not directly below its parent"));
            }
            if !own.is_empty() && !own.contains('.') {
                children.insert(levels);
            }
        }
        Ok(children.into_iter().collect())
    }

    /// All pages of a list, of `most` items.
    async fn all<P: Listed>(
        &self,
        path: &[&str],
        parent: Option<&str>,
        most: usize,
    ) -> Result<Vec<P::Item>, ReaderError> {
        let size = self.bounds.page.to_string();
        let mut items = Vec::new();
        let mut token = String::new();
        let mut before = BTreeSet::new();
        loop {
            let mut query = vec![("pageToken", token.as_str()), ("pageSize", size.as_str())];
            query.extend(parent.map(|parent| ("parent", parent)));
            let answered = self.get(path, &query).await?;
            // What a server cannot list below a namespace, it has none of.
            let hidden: &[u16] = if parent.is_some() {
                &[403, 404, 406, 501]
            } else {
                &[403, 404]
            };
            let Some(body) = shown(&self.catalog, answered, hidden)? else {
                // Went away, or was hidden, since the first page: nothing of it is shown.
                return Ok(Vec::new());
            };
            let (mut more, next) = answers::parse::<P>(&self.catalog, &body)?.into_parts();
            items.append(&mut more);
            if items.len() > most {
                return Err(self.too_large(P::WHAT, most));
            }
            let Some(next) = next.filter(|next| !next.is_empty()) else {
                return Ok(items);
            };
            if !before.insert(std::mem::replace(&mut token, next)) || before.contains(&token) {
                return Err(self.not_understood("its pages repeat"));
            }
            if before.len() > most {
                return Err(self.too_large("pages", most));
            }
        }
    }

    async fn get(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<Result<String, ServerAnswer>, ReaderError> {
        self.connection.get(path, query).await
    }

    fn path<'a>(&'a self, below: &[&'a str]) -> Vec<&'a str> {
        let mut path = vec!["v1"];
        path.extend(self.prefix.iter().map(String::as_str));
        path.extend(below);
        path
    }

    fn too_large(&self, what: &str, most: usize) -> ReaderError {
        self.not_understood(&format!(
            "it has more than {most} {what}, which is more than is listed"
        ))
    }

    fn not_understood(&self, problem: &str) -> ReaderError {
        ReaderError::Answer {
            table: self.catalog.clone(),
            problem: problem.to_owned(),
        }
    }
}

/// Whether a statement can name a table or view so. See `TableName::resolve`.
fn can_be_named(name: &str) -> bool {
    !name.is_empty() && !name.contains(['$', '@'])
}

/// The body, or nothing where the answer is one of the statuses that hide.
fn shown(
    place: &str,
    answered: Result<String, ServerAnswer>,
    hidden: &[u16],
) -> Result<Option<String>, ReaderError> {
    match answered {
        Ok(body) => Ok(Some(body)),
        Err(answer) if hidden.contains(&answer.status) => Ok(None),
        Err(answer) => Err(failure(place, answer)),
    }
}

fn failure(place: &str, answer: ServerAnswer) -> ReaderError {
    let table = place.to_owned();
    let answer = Box::new(answer);
    match answer.status {
        401 => ReaderError::Unauthenticated(answer),
        403 | 404 => ReaderError::Refused { table, answer },
        _ => ReaderError::Server { table, answer },
    }
}
