// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The native protocol: one file per object kind, each with its endpoints and a `routes()`.

use crate::http::routes::{Routes, Tree};

pub mod access;
pub mod access_token;
pub mod authn;
pub(crate) mod body_error;
pub mod catalog;
pub mod configs;
pub mod credential;
mod draft;
pub mod error;
pub mod explain;
pub mod fileset;
pub mod function;
pub mod group;
pub mod health;
pub mod identity_provider;
pub mod impact;
pub mod job;
pub mod job_template;
pub mod lineage;
pub mod metalake;
pub mod metrics;
pub mod metrics_report;
pub mod model;
pub mod model_version;
pub mod object_policies;
pub mod object_tags;
pub mod object_tags_old_path;
pub mod openapi;
pub mod owner;
pub mod partition;
pub mod permission;
pub mod policy;
pub mod policy_on_tag;
pub mod reader;
pub mod role;
pub mod schema;
pub mod statistic;
pub mod table;
pub mod tag;
pub mod topic;
pub mod understand;
pub mod user;
pub mod user_bulk;
pub mod version;
pub mod view;

/// Every endpoint below `/api`.
pub fn routes() -> Routes {
    Routes::default()
        .and(authn::routes())
        .and(access_token::routes())
        .and(user::routes())
        .and(user_bulk::routes())
        .and(group::routes())
        .and(role::routes())
        .and(permission::routes())
        .and(owner::routes())
        .and(tag::routes())
        .and(object_tags::routes())
        .and(object_tags_old_path::routes())
        .and(policy::routes())
        .and(policy_on_tag::routes())
        .and(object_policies::routes())
        .and(explain::routes())
        .and(access::routes())
        .and(impact::routes())
        .and(version::routes())
        .and(health::routes())
        .and(metalake::routes())
        .and(metrics_report::routes())
        .and(catalog::routes())
        .and(schema::routes())
        .and(identity_provider::routes())
        .and(reader::routes())
        .and(table::routes())
        .and(partition::routes())
        .and(view::routes())
        .and(fileset::routes())
        .and(model::routes())
        .and(function::routes())
        .and(model_version::routes())
        .and(topic::routes())
        .and(statistic::routes())
        .and(credential::routes())
        .and(job_template::routes())
        .and(job::routes())
        .and(lineage::routes())
}

/// Every endpoint beside `/api`: health, metrics, configuration.
pub fn routes_beside() -> Routes {
    Routes::default()
        .and(health::routes_beside())
        .and(configs::routes())
        .and(metrics::routes())
        .and(openapi::routes())
        .in_tree(Tree::Beside)
}
