// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests that name an idempotency key: one that comes again has no second effect.
//!
//! How a request ended is written in the transaction of its effect, so nothing is reserved and nothing is left over: a
//! request that broke off anywhere either took effect and has ended, or did neither and is made anew by its next attempt.
//! Two attempts at the same time both begin; the store lets one of them end, and the other undoes what it prepared and
//! answers as the first ended.
//!
//! What is kept holds no metadata. An answer to a repeated request is made of what is there now, by the rules of a load:
//! the caller's privileges, restrictions and reader are those of the moment.

use std::sync::Arc;

use lakeward_authorization::{Authorized, Requirement, authorize};
use lakeward_catalog::view_catalog::LoadedView;
use lakeward_metadata::Properties;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{KeyedRequest, RequestOutcome, Write};

use crate::Operations;
use crate::caller::{Call, Demand};
use crate::error::{Noun, OperationError};
use crate::etag::Representation;
use crate::load_governed_table::{ServedTable, after_the_effect};
use crate::named::{Named, Names};
use crate::paths::{SchemaPath, TablePath, ViewPath};
use crate::upstream::Met;

/// How many outcomes are kept of one user at a time.
const MOST_KEPT: u32 = 10_000;

/// The longest answer that is kept of a request, in bytes.
pub(crate) const MAX_ANSWER_BYTES: usize = 16 * 1024;

/// What an attempt finds under its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Earlier {
    /// No attempt has ended.
    None,
    /// A request has ended that asked for something else.
    Other,
    /// An earlier attempt of this request has ended.
    Ended(RequestOutcome),
}

/// What an object that an earlier attempt made or changed is to be loaded as.
struct Again<T> {
    call: Call,
    path: Authorized<T>,
}

impl Operations {
    /// How the request ended before. [`Earlier::None`] for one that names no key.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn earlier(&self, call: &Call) -> Result<Earlier, OperationError> {
        let Some(request) = &call.keyed else {
            return Ok(Earlier::None);
        };
        let finished = self.store().finished_request(&request.user, &request.key).await?;
        Ok(match finished {
            None => Earlier::None,
            Some(finished) if finished.fingerprint != request.fingerprint => Earlier::Other,
            Some(finished) => Earlier::Ended(finished.outcome),
        })
    }

    /// Refuses a request with a new key of a user of whom as much is kept as may be. Call it before the request's effect.
    ///
    /// # Errors
    /// [`OperationError::Unavailable`] as said; what the store reports.
    pub async fn require_room_for_key(&self, call: &Call) -> Result<(), OperationError> {
        let Some(request) = &call.keyed else {
            return Ok(());
        };
        if self
            .store()
            .has_finished_requests(&request.user, MOST_KEPT)
            .await?
        {
            return Err(OperationError::Unavailable {
                message: format!(
                    "the outcomes of {MOST_KEPT} requests of yours with an `Idempotency-Key` are kept, and no more will be until \
                     some of them expire; nothing was changed"
                ),
                detail: "as many keys of one user as are kept".to_owned(),
            });
        }
        Ok(())
    }

    /// Ends the request together with the effect that a write is about to make; does nothing for one without a key. Call it
    /// after everything of the write that waits for others.
    ///
    /// # Errors
    /// [`OperationError::Conflict`] when another attempt has ended; the write must then be dropped.
    pub(crate) async fn end_with(
        &self,
        call: &Call,
        write: &mut Write,
        outcome: RequestOutcome,
    ) -> Result<(), OperationError> {
        match &call.keyed {
            Some(request) if !write.finish_request(request, &outcome).await? => Err(ended_before()),
            Some(_) | None => Ok(()),
        }
    }

    /// As [`Self::end_with`], with an object that was made or changed.
    ///
    /// # Errors
    /// As [`Self::end_with`].
    pub(crate) async fn end_with_object(
        &self,
        call: &Call,
        write: &mut Write,
        object: ObjectId,
    ) -> Result<(), OperationError> {
        self.end_with(call, write, of_object(object)).await
    }

    /// Ends a request that changes nothing.
    ///
    /// # Errors
    /// As [`Self::end_with`], and what the store reports.
    pub(crate) async fn end_without_effect(
        &self,
        call: &Call,
        object: ObjectId,
    ) -> Result<(), OperationError> {
        if call.keyed.is_none() {
            return Ok(());
        }
        let mut write = self.store().write_uncounted().await?;
        self.end_with_object(call, &mut write, object).await?;
        Ok(write.commit().await?)
    }

    /// Ends a request that was refused for good. Gives whether it did: `false` when another attempt has ended before, whose
    /// outcome then stands, and for a request without a key.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn end_refused(
        &self,
        call: &Call,
        status: u16,
        answer: String,
    ) -> Result<bool, OperationError> {
        let Some(request) = &call.keyed else {
            return Ok(false);
        };
        let outcome = RequestOutcome {
            refusal: Some(status),
            object: None,
            answer: Some(answer),
        };
        let mut write = self.store().write_uncounted().await?;
        if !write.finish_request(request, &outcome).await? {
            return Ok(false);
        }
        write.commit().await?;
        Ok(true)
    }

    /// Forgets the requests whose time is over.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn forget_ended_requests(&self) -> Result<u64, OperationError> {
        Ok(self.store().forget_finished_requests().await?)
    }

    /// Whether the caller can still reach what the request's object lay in. Of an object that an earlier attempt dropped or
    /// moved away nothing is left that the requirement could be decided on.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn reaches_parent(&self, call: &Call) -> Result<bool, OperationError> {
        let found = call.facts.found()?;
        let mut path = found.object.path.clone();
        path.pop();
        let kind = if path.len() > 1 {
            ObjectKind::Schema
        } else {
            ObjectKind::Catalog
        };
        let parent = Named::object(&found.metalake, MetadataObject { kind, path });
        let facts = self.open_gate(&mut call.caller.clone(), &parent).await?;
        let load = Requirement::load(kind);
        Ok(authorize(load, (), facts.target(), facts.grants()).is_ok())
    }

    /// The table that an earlier attempt made or changed, as the caller may load it now, wherever it is.
    ///
    /// # Errors
    /// As of a load; [`OperationError::NotFound`] when it was dropped since.
    pub async fn table_again(
        &self,
        call: &Call,
        outcome: &RequestOutcome,
        representation: Representation<'_>,
    ) -> Result<ServedTable, OperationError> {
        let again = self
            .again(call, outcome, ObjectKind::Table, |schema: &SchemaPath, name| {
                schema.leaf(name.unwrap_or_default())
            })
            .await?;
        let path: &Authorized<TablePath> = &again.path;
        self.load_governed_table(&again.call, path, representation).await
    }

    /// As [`Self::table_again`], of a commit. Whoever is told that a commit was refused deletes its files, which this one
    /// has put into the table.
    ///
    /// # Errors
    /// [`OperationError::UnknownOutcome`] alone.
    pub async fn committed_table_again(
        &self,
        call: &Call,
        outcome: &RequestOutcome,
        representation: Representation<'_>,
    ) -> Result<ServedTable, OperationError> {
        self.table_again(call, outcome, representation)
            .await
            .map_err(after_the_effect)
    }

    /// The view that an earlier attempt made or changed, as the caller may load it now, wherever it is.
    ///
    /// # Errors
    /// As of a load; [`OperationError::NotFound`] when it was dropped since.
    pub async fn view_again(
        &self,
        call: &Call,
        outcome: &RequestOutcome,
    ) -> Result<LoadedView, OperationError> {
        let again = self
            .again(call, outcome, ObjectKind::View, |schema: &SchemaPath, name| {
                schema.leaf(name.unwrap_or_default())
            })
            .await?;
        let path: &Authorized<ViewPath> = &again.path;
        self.load_iceberg_view(&again.call, path).await
    }

    /// The namespace that an earlier attempt made, as the caller may load it now: its levels and properties.
    ///
    /// # Errors
    /// As of a load; [`OperationError::NotFound`] when it was dropped since.
    pub async fn namespace_again(
        &self,
        call: &Call,
        outcome: &RequestOutcome,
    ) -> Result<(Vec<String>, Properties), OperationError> {
        let Again { call, path } = self
            .again(call, outcome, ObjectKind::Schema, |schema: &SchemaPath, _| {
                schema.clone()
            })
            .await?;
        let levels = self.levels(&path.schema);
        let schema = self.load_schema(&call, path).await?;
        Ok((levels, schema.properties))
    }

    /// The call that loads an object by its present name.
    async fn again<T: Names>(
        &self,
        call: &Call,
        outcome: &RequestOutcome,
        kind: ObjectKind,
        path: impl FnOnce(&SchemaPath, Option<&str>) -> T,
    ) -> Result<Again<T>, OperationError> {
        let gone = || OperationError::not_found(Noun::Object(kind), "(what this request made before)");
        let id = outcome
            .object
            .ok_or_else(|| OperationError::internal("a request ended without its object"))?;
        let metalake = call.facts.metalake_name().unwrap_or_default().to_owned();
        let mut snapshot = self.store().snapshot().await?;
        let object = snapshot.full_name(id).await?.ok_or_else(gone)?;
        drop(snapshot);
        let [catalog, schema, rest @ ..] = object.path.as_slice() else {
            return Err(OperationError::internal(
                "what a request made has no name of a leaf",
            ));
        };
        let schema = SchemaPath {
            metalake,
            catalog: catalog.clone(),
            schema: schema.clone(),
        };
        let target = path(&schema, rest.first().map(String::as_str));
        let named = target.named();
        let mut caller = call.caller.clone();
        let facts = self.open_gate(&mut caller, &named).await?;
        let demand = Demand::new(*Requirement::load(kind), named, "answerAgain");
        let path =
            authorize(&demand.requires, target, facts.target(), facts.grants()).map_err(|refusal| {
                // Where it was moved to is not for everybody who knew it where it was.
                if was_moved(call, &object) {
                    gone()
                } else {
                    demand.refused(&refusal)
                }
            })?;
        // Another object may have got the name since the question for it.
        if facts.row()?.object.id != id {
            return Err(gone());
        }
        Ok(Again {
            call: Call {
                caller,
                facts,
                demand,
                notes: call.notes.clone(),
                met: Met::default(),
                keyed: None,
            },
            path,
        })
    }
}

/// Whether an object is somewhere else than where the request made or met it. Namespaces are never moved.
fn was_moved(call: &Call, now: &MetadataObject) -> bool {
    let is_there = |named: &MetadataObject| now.path.starts_with(&named.path);
    now.kind != ObjectKind::Schema && !call.facts.found().is_ok_and(|found| is_there(&found.object))
}

/// The outcome of a request that made or changed an object.
pub(crate) fn of_object(object: ObjectId) -> RequestOutcome {
    RequestOutcome {
        object: Some(object),
        ..RequestOutcome::default()
    }
}

/// Another attempt of the same request has ended; whoever answers looks how.
pub(crate) fn ended_before() -> OperationError {
    OperationError::Conflict("another request with this `Idempotency-Key` came first".to_owned())
}

/// What goes along with the calls of a request that names a key.
pub type Keyed = Option<Arc<KeyedRequest>>;
