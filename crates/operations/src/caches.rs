// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is kept between requests, each under the counters it was read under, so that nothing needs to be invalidated.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use lakeward_governance::Rule;
use lakeward_governance::policy_content::ContentError;
use lakeward_governance::resolve::GovernanceFacts;
use lakeward_metadata::id::ObjectId;
use lakeward_store::{AccessToken, IdpUser, ObjectChain};
use moka::sync::Cache;
use tokio::sync::OnceCell;

use crate::children::{Children, ChildrenKey};
use crate::directory::DirectorySays;
use crate::gate::{CachedGrants, ChainKey, GrantsKey};
use crate::providers::Connected;
use crate::reader::EnrolledReaders;
use crate::restrictions::{KnownResolution, ResolutionKey};

/// Privileges that are kept over all subjects; about a hundred bytes each.
const GRANTS_WEIGHT: u64 = 10_000_000;
/// Children that are kept over all parents; about two hundred bytes each.
const CHILDREN_WEIGHT: u64 = 2_000_000;
const CHAINS: u64 = 100_000;
const PROVIDERS: u64 = 1_000;
const ACCOUNTS: u64 = 10_000;
const LENT: u64 = 100_000;
const READERS: u64 = 2;
const GOVERNED: u64 = 100_000;
/// Masks, groups and filters that are kept over all resolutions; a few hundred bytes each, with what is sent of them.
const RESOLUTIONS_WEIGHT: u64 = 1_000_000;
const RULES: u64 = 10_000;
const METALAKES: u64 = 1_000;
/// How long something is kept that nobody asks for. What was read under a counter that has moved on is never asked for
/// again, and a busy metalake moves its counters many times a second.
const IDLE: Duration = Duration::from_secs(300);
/// How long a right password need not be hashed again.
const REMEMBERED: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct Caches {
    pub(crate) grants: Cache<GrantsKey, CachedGrants>,
    pub(crate) chains: Cache<ChainKey, Arc<ObjectChain>>,
    /// What is directly below an object, by kind and the counter of the area objects.
    pub(crate) children: Cache<ChildrenKey, Arc<Children>>,
    /// The catalogs of a metalake that hold tables and are in use, by the counter of the area objects.
    pub(crate) table_catalogs: Cache<(ObjectId, i64), Arc<Children>>,
    /// By catalog; each says what it was made from, so a stale one is never used.
    pub(crate) providers: Cache<ObjectId, Arc<Connected>>,
    /// Local accounts by name and server counter.
    pub(crate) accounts: Cache<(String, i64), Option<IdpUser>>,
    /// Access tokens by the hash of their secret and the server counter; also what is none.
    pub(crate) access_tokens: Cache<(String, i64), Option<Arc<AccessToken>>>,
    /// What the directory says of callers, by name and server counter.
    pub(crate) directory: Cache<(String, i64), DirectorySays>,
    /// Passwords that were right a moment ago, with the stored hash that they were right for.
    pub(crate) verified: Cache<[u8; 32], Arc<str>>,
    /// Passwords that are being checked: who sends the same at the same time waits for the first.
    pub(crate) verifying: Cache<[u8; 32], Arc<tokio::sync::Mutex<()>>>,
    /// Until when credentials for a location are noted in the store.
    pub(crate) lent: Cache<String, i64>,
    /// All readers by the server counter; operators enrol few.
    pub(crate) readers: Cache<i64, Arc<EnrolledReaders>>,
    /// What governs a table, by its id and the counters of the areas objects and governance.
    pub(crate) governed: Cache<(ObjectId, i64, i64), Arc<GovernanceFacts>>,
    /// Restrictions by table version and subject; each says what it was made from, so a stale one is never used.
    pub(crate) resolutions: Cache<ResolutionKey, KnownResolution>,
    /// Parsed rules by policy and revision, which fix the content for ever; refusals too.
    pub(crate) rules: Cache<(i64, i64), Result<Arc<Rule>, ContentError>>,
    /// The names of all groups of a metalake by the counter of the area identities.
    pub(crate) group_names: Cache<(ObjectId, i64), Arc<BTreeSet<String>>>,
    /// The name of the only metalake, or that there is no such, by the server counter.
    pub(crate) only_metalake: Cache<i64, Option<String>>,
    /// The key of promised parts of scans, which never changes.
    pub(crate) scan_key: OnceCell<String>,
    /// The key of tokens that are given in exchange, which never changes.
    pub(crate) exchange_key: OnceCell<String>,
}

/// So many values, each under a counter.
fn counted<K, V>(capacity: u64) -> Cache<K, V>
where
    K: std::hash::Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    Cache::builder().max_capacity(capacity).time_to_idle(IDLE).build()
}

fn weight(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1)
}

impl Default for Caches {
    fn default() -> Self {
        Self {
            grants: Cache::builder()
                .max_capacity(GRANTS_WEIGHT)
                .time_to_idle(IDLE)
                .weigher(|key: &GrantsKey, cached: &CachedGrants| {
                    cached.weight.saturating_add(key.groups()).saturating_add(10)
                })
                .build(),
            chains: counted(CHAINS),
            children: Cache::builder()
                .max_capacity(CHILDREN_WEIGHT)
                .time_to_idle(IDLE)
                .weigher(|_, children: &Arc<Children>| weight(children.len()))
                .build(),
            table_catalogs: Cache::builder()
                .max_capacity(CHILDREN_WEIGHT)
                .time_to_idle(IDLE)
                .weigher(|_, catalogs: &Arc<Children>| weight(catalogs.len()))
                .build(),
            providers: Cache::new(PROVIDERS),
            accounts: counted(ACCOUNTS),
            access_tokens: counted(ACCOUNTS),
            directory: counted(ACCOUNTS),
            verified: Cache::builder()
                .max_capacity(ACCOUNTS)
                .time_to_live(REMEMBERED)
                .build(),
            verifying: Cache::builder()
                .max_capacity(ACCOUNTS)
                .time_to_idle(REMEMBERED)
                .build(),
            lent: Cache::new(LENT),
            readers: Cache::new(READERS),
            governed: counted(GOVERNED),
            resolutions: Cache::builder()
                .max_capacity(RESOLUTIONS_WEIGHT)
                .time_to_idle(IDLE)
                .weigher(KnownResolution::weight)
                .build(),
            rules: Cache::new(RULES),
            group_names: counted(METALAKES),
            only_metalake: Cache::new(1),
            scan_key: OnceCell::new(),
            exchange_key: OnceCell::new(),
        }
    }
}
