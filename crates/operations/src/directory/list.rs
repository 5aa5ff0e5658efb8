// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Entries of the directory, one and many.

use std::future::Future;

use lakeward_authorization::Authorized;
use lakeward_metadata::directory::{DirectoryGroup, DirectoryUser};
use lakeward_store::{DirectoryKey, DirectoryPage, DirectoryRow, IdAndName, Snapshot, StoreError};

use crate::Operations;
use crate::error::{Noun, OperationError};
use crate::named::TheServer;

/// An entry with those it is tied to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry<T> {
    /// The entry.
    pub row: DirectoryRow<T>,
    /// The groups of a user, the members of a group: ids with names. Empty where they were not asked for.
    pub related: Vec<IdAndName>,
}

/// Users, or groups.
pub trait DirectoryKind: Clone + PartialEq + Send + Sync + Sized + 'static {
    /// What messages call one.
    const NOUN: Noun;

    /// One of them.
    fn one(
        snapshot: &mut Snapshot,
        key: DirectoryKey<'_>,
    ) -> impl Future<Output = Result<Option<DirectoryRow<Self>>, StoreError>> + Send;

    /// Some of them.
    fn some(
        snapshot: &mut Snapshot,
        page: DirectoryPage,
    ) -> impl Future<Output = Result<Vec<DirectoryRow<Self>>, StoreError>> + Send;

    /// How many there are.
    fn count(snapshot: &mut Snapshot) -> impl Future<Output = Result<usize, StoreError>> + Send;

    /// Those that one is tied to.
    fn related(
        snapshot: &mut Snapshot,
        id: &str,
    ) -> impl Future<Output = Result<Vec<IdAndName>, StoreError>> + Send;

    /// Puts what is read apart into what was pushed.
    fn complete(&mut self, related: &[IdAndName]);
}

impl DirectoryKind for DirectoryUser {
    const NOUN: Noun = Noun::Thing("directory user");

    async fn one(
        snapshot: &mut Snapshot,
        key: DirectoryKey<'_>,
    ) -> Result<Option<DirectoryRow<Self>>, StoreError> {
        snapshot.directory_user(key).await
    }

    async fn some(
        snapshot: &mut Snapshot,
        page: DirectoryPage,
    ) -> Result<Vec<DirectoryRow<Self>>, StoreError> {
        snapshot.directory_users(page).await
    }

    async fn count(snapshot: &mut Snapshot) -> Result<usize, StoreError> {
        snapshot.count_directory_users().await
    }

    async fn related(snapshot: &mut Snapshot, id: &str) -> Result<Vec<IdAndName>, StoreError> {
        snapshot.groups_of_directory_user(id).await
    }

    fn complete(&mut self, _: &[IdAndName]) {}
}

impl DirectoryKind for DirectoryGroup {
    const NOUN: Noun = Noun::Thing("directory group");

    async fn one(
        snapshot: &mut Snapshot,
        key: DirectoryKey<'_>,
    ) -> Result<Option<DirectoryRow<Self>>, StoreError> {
        snapshot.directory_group(key).await
    }

    async fn some(
        snapshot: &mut Snapshot,
        page: DirectoryPage,
    ) -> Result<Vec<DirectoryRow<Self>>, StoreError> {
        snapshot.directory_groups(page).await
    }

    async fn count(snapshot: &mut Snapshot) -> Result<usize, StoreError> {
        snapshot.count_directory_groups().await
    }

    async fn related(snapshot: &mut Snapshot, id: &str) -> Result<Vec<IdAndName>, StoreError> {
        snapshot.members_of_directory_group(id).await
    }

    fn complete(&mut self, related: &[IdAndName]) {
        self.members = related.iter().map(|(id, _)| id.clone()).collect();
    }
}

/// Which entries are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The only one that can be meant, where that is known.
    pub key: Option<DirectoryKey<'a>>,
    /// Whether not all of them fit.
    pub is_filtered: bool,
    /// Whether it takes those that an entry is tied to, to say if it fits.
    pub filters_related: bool,
    /// Whether those belong to the answer.
    pub shows_related: bool,
    /// The page of those that fit.
    pub page: DirectoryPage,
}

/// A page of the entries that fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// How many fit.
    pub total: usize,
    /// Those of the page.
    pub entries: Vec<DirectoryEntry<T>>,
}

impl Operations {
    /// One entry.
    ///
    /// # Errors
    /// [`OperationError::NotFound`]; what the store reports.
    pub async fn load_directory_entry<T: DirectoryKind>(
        &self,
        _server: Authorized<TheServer>,
        id: &str,
    ) -> Result<DirectoryEntry<T>, OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        entry(&mut snapshot, id).await
    }

    /// The entries that fit, in the order in which they were made, all of one state.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn find_directory_entries<T: DirectoryKind>(
        &self,
        _server: &Authorized<TheServer>,
        wanted: Wanted<'_>,
        fits: impl Fn(&DirectoryEntry<T>) -> bool + Send + Sync,
    ) -> Result<Found<T>, OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        let mut found = if wanted.is_filtered {
            let rows = match wanted.key {
                Some(key) => T::one(&mut snapshot, key).await?.into_iter().collect(),
                None => T::some(&mut snapshot, DirectoryPage::ALL).await?,
            };
            let mut fitting = Vec::new();
            for row in rows {
                let candidate = tied(&mut snapshot, row, wanted.filters_related).await?;
                if fits(&candidate) {
                    fitting.push(candidate);
                }
            }
            let total = fitting.len();
            let page = fitting.into_iter().skip(wanted.page.offset);
            Found {
                total,
                entries: page.take(wanted.page.limit).collect(),
            }
        } else {
            let rows = T::some(&mut snapshot, wanted.page).await?.into_iter();
            Found {
                total: T::count(&mut snapshot).await?,
                entries: rows
                    .map(|row| DirectoryEntry {
                        row,
                        related: Vec::new(),
                    })
                    .collect(),
            }
        };
        if wanted.shows_related && !(wanted.is_filtered && wanted.filters_related) {
            for entry in &mut found.entries {
                entry.related = T::related(&mut snapshot, &entry.row.id).await?;
            }
        }
        Ok(found)
    }
}

/// An entry that must exist, with all that belongs to it.
pub(super) async fn entry<T: DirectoryKind>(
    snapshot: &mut Snapshot,
    id: &str,
) -> Result<DirectoryEntry<T>, OperationError> {
    let row = T::one(snapshot, DirectoryKey::Id(id)).await?;
    let row = row.ok_or_else(|| OperationError::not_found(T::NOUN, id))?;
    Ok(tied(snapshot, row, true).await?)
}

async fn tied<T: DirectoryKind>(
    snapshot: &mut Snapshot,
    mut row: DirectoryRow<T>,
    with_related: bool,
) -> Result<DirectoryEntry<T>, StoreError> {
    let related = if with_related {
        T::related(snapshot, &row.id).await?
    } else {
        Vec::new()
    };
    row.content.complete(&related);
    Ok(DirectoryEntry { row, related })
}
