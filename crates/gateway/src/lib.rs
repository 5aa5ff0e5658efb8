// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The trusted reader as a service: Arrow Flight SQL for ordinary tools.
//!
//! What always holds:
//! - Every call carries its end user's own credentials, and the server judges them anew with every call. The gateway's
//!   certificate says only that it may be trusted to enforce; it opens nothing by itself.
//! - No state outlives a call: tickets and handles hold the statement, sessions are sealed tokens. Any gateway with the
//!   same session key can go on where another began.
//! - Every statement passes the one gate of `statement`, and loads its tables for the user of *that* call.
//! - Only queries run. Nothing is written.

mod admission;
pub mod audit;
pub mod budget;
mod caller;
mod cancellation;
pub mod client;
mod clock;
mod connections;
mod delivery;
mod encode;
mod flight;
mod gate;
pub mod gateway;
mod listener;
mod metadata;
mod metrics;
mod prepared;
mod running;
mod service;
mod session_token;
pub mod settings;
pub mod start;
mod statement;
mod status;
mod ticket;
