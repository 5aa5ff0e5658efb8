// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The exact JSON of the Gravitino REST API: one file per kind of object, requests turned into domain values here
//! and nowhere else.
//!
//! Rules of the protocol: enums are written in lower case and read in any case; absent members are left out, except
//! those that the original declares optional and always writes (`inherited`); unknown members of requests are
//! refused, except inside update elements.

pub mod access;
pub mod access_token;
pub mod audit;
pub mod catalog;
pub mod column;
pub mod configs;
pub mod credential;
pub mod data_type;
pub mod distribution;
pub mod draft;
pub mod error;
pub mod explain;
pub mod expression;
pub mod fileset;
pub mod function;
pub mod group;
pub mod health;
pub mod identity_provider;
pub mod impact;
pub mod index;
pub mod job;
pub mod job_template;
pub mod lineage;
pub mod metadata_object;
pub mod metalake;
pub mod metrics_report;
pub mod model;
pub mod model_version;
pub mod object_policy;
pub mod object_tag;
pub mod owner;
pub mod partitioning;
pub mod permission;
pub mod policy;
pub mod policy_on_tag;
pub mod request;
pub mod response;
pub mod role;
pub mod schema;
pub mod secret;
pub mod sort_order;
pub mod statistic;
pub mod table;
pub mod table_update;
pub mod tag;
pub mod topic;
pub mod update;
pub mod user;
pub mod version;
pub mod view;

mod json_object;
