// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Mounting endpoints: the only way to a route.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::Body;
use http::{Method, Response};
use lakeward_authorization::Requirement;

use super::answer::{Incoming, answer, answer_list};
use super::endpoint::{Endpoint, Governance, ListEndpoint, Repeats};
use super::media::Versions;
use super::route_table::{Lookup, MountedTwice, RouteTable};
use crate::app::App;
use crate::config::cross_origin::CrossOriginSettings;

/// The trees of paths that the listeners serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tree {
    /// The native protocol, below `/api`.
    Native,
    /// What lies beside it: health, metrics, configuration. Errors in the native form, no version negotiation.
    Beside,
    /// The token endpoint, below `/oauth`. Errors in the form of OAuth 2.0.
    Oauth,
    /// The Iceberg REST protocol, below `/iceberg`.
    Iceberg,
    /// SCIM 2.0, below `/scim/v2`.
    Scim,
}

impl Tree {
    /// What comes before every path of the tree.
    pub const fn base(self) -> &'static str {
        match self {
            Self::Native => "/api",
            Self::Beside => "",
            Self::Oauth => "/oauth",
            Self::Iceberg => "/iceberg",
            Self::Scim => "/scim/v2",
        }
    }

    /// The tree that a path falls into, for errors of paths that nothing serves.
    pub fn of_path(path: &str) -> Self {
        let below = |base: &str| {
            path.strip_prefix(base)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if below("/api") {
            Self::Native
        } else if below("/iceberg") {
            Self::Iceberg
        } else if below("/oauth") {
            Self::Oauth
        } else if below(Self::Scim.base()) {
            Self::Scim
        } else {
            Self::Beside
        }
    }
}

pub(super) type Answering = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// What is known of a mounted endpoint without running it.
#[derive(Debug, Clone)]
pub struct Mounted {
    /// The tree it is in.
    pub tree: Tree,
    /// Its method.
    pub method: Method,
    /// Its path below the base of the tree.
    pub path: &'static str,
    /// What it requires.
    pub requires: Requirement,
    /// For a list: what each item must fulfil to be shown.
    pub shows: Option<Requirement>,
    /// How it treats a table that is restricted for the caller.
    pub governance: Governance,
    /// The versions of the native protocol it speaks.
    pub versions: Versions,
    /// Whether it only reads, so that the reader listener serves it.
    pub reads: bool,
    /// Whether it is a change that the reader listener serves.
    pub appends: bool,
    /// Whether it heeds `Idempotency-Key`.
    pub repeats: Repeats,
    /// The endpoint's type, as the operation's name in refusals and the audit.
    pub operation: &'static str,
    pub(super) run: fn(Arc<App>, Incoming) -> Answering,
}

/// A set of endpoints.
#[derive(Debug, Clone, Default)]
pub struct Routes {
    mounted: Vec<Mounted>,
}

impl Routes {
    /// Adds an endpoint.
    #[must_use]
    pub fn mount<E: Endpoint>(mut self) -> Self {
        self.mounted.push(Mounted {
            tree: Tree::Native,
            method: E::METHOD,
            path: E::PATH,
            requires: E::REQUIRES,
            shows: None,
            governance: E::GOVERNANCE,
            versions: E::VERSIONS,
            reads: E::READS || E::METHOD == Method::GET || E::METHOD == Method::HEAD,
            appends: E::APPENDS,
            repeats: E::REPEATS,
            operation: E::OPERATION.unwrap_or_else(operation_name::<E>),
            run: |app, incoming| Box::pin(answer::<E>(app, incoming)),
        });
        self
    }

    /// Adds a list.
    #[must_use]
    pub fn list<E: ListEndpoint>(mut self) -> Self {
        self.mounted.push(Mounted {
            tree: Tree::Native,
            method: Method::GET,
            path: E::PATH,
            requires: E::REQUIRES,
            shows: Some(E::SHOWS),
            governance: E::GOVERNANCE,
            versions: Versions::One,
            reads: true,
            appends: false,
            repeats: Repeats::Unheeded,
            operation: operation_name::<E>(),
            run: |app, incoming| Box::pin(answer_list::<E>(app, incoming)),
        });
        self
    }

    /// Adds the endpoints of another set.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.mounted.extend(other.mounted);
        self
    }

    /// Puts all of them into a tree (they start in the native one).
    #[must_use]
    pub fn in_tree(mut self, tree: Tree) -> Self {
        for mounted in &mut self.mounted {
            mounted.tree = tree;
        }
        self
    }

    /// Everything that is mounted, for the listing and the tests over all routes.
    pub fn mounted(&self) -> &[Mounted] {
        &self.mounted
    }

    /// Arranges the endpoints that `serves` lets through.
    ///
    /// # Errors
    /// [`MountedTwice`], a programming error that a test finds.
    pub fn arrange(&self, serves: impl Fn(&Mounted) -> bool) -> Result<Router, MountedTwice> {
        let mut table = RouteTable::default();
        for mounted in self.mounted.iter().filter(|mounted| serves(mounted)) {
            let base = mounted.tree.base();
            table.insert(&mounted.method, base, mounted.path, mounted.clone())?;
            if let (Tree::Iceberg, Some(rest)) = (mounted.tree, mounted.path.strip_prefix("/v1/{prefix}")) {
                let base = format!("{base}/v1");
                table.insert(&mounted.method, &base, rest, mounted.clone())?;
            }
        }
        Ok(Router {
            table,
            cross_origin: None,
        })
    }
}

/// The endpoints of one listener, ready for look-up.
#[derive(Debug)]
pub struct Router {
    table: RouteTable<Mounted>,
    cross_origin: Option<Arc<CrossOriginSettings>>,
}

impl Router {
    /// The same, with what it lets pages of other origins do.
    #[must_use]
    pub fn with_cross_origin(self, cross_origin: Option<Arc<CrossOriginSettings>>) -> Self {
        Self { cross_origin, ..self }
    }

    pub(super) fn cross_origin(&self) -> Option<&CrossOriginSettings> {
        self.cross_origin.as_deref()
    }

    pub(super) fn lookup<'p>(&self, method: &Method, path: &'p str) -> Lookup<'_, 'p, Mounted> {
        self.table.lookup(method, path)
    }
}

/// `LoadTable` out of `lakeward_server::gravitino::table::LoadTable`.
fn operation_name<E>() -> &'static str {
    std::any::type_name::<E>().rsplit("::").next().unwrap_or_default()
}
