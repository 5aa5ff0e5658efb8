// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Lets a request fail or hang at a step, by its id, and remembers where requests came by.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use lakeward_operations::OperationError;
use lakeward_operations::step::{Observer, Step, Verdict};
use lakeward_read_restrictions::code::RestrictionCode;
use tokio::sync::Notify;

/// What a request meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The step fails as it could.
    Error,
    /// The step never ends.
    Stall,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Saboteur {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// By request: which of the steps that it passes, counted from 0, and what happens there.
    plans: Mutex<HashMap<String, (usize, Fault)>>,
    passed: Mutex<HashMap<String, Vec<Step>>>,
    stalled: Mutex<HashMap<String, Arc<Notify>>>,
}

impl Saboteur {
    /// Plans a fault; the answer tells when a request hangs.
    pub(crate) fn plan(&self, request_id: &str, position: usize, fault: Fault) -> Arc<Notify> {
        let mut plans = self.inner.plans.lock().expect("no panic");
        plans.insert(request_id.to_owned(), (position, fault));
        let mut stalled = self.inner.stalled.lock().expect("no panic");
        Arc::clone(stalled.entry(request_id.to_owned()).or_default())
    }

    /// The steps that a request came by.
    pub(crate) fn passed(&self, request_id: &str) -> Vec<Step> {
        let passed = self.inner.passed.lock().expect("no panic");
        passed.get(request_id).cloned().unwrap_or_default()
    }
}

impl Observer for Saboteur {
    fn reached(&self, step: Step, request_id: &str) -> Verdict {
        let position = {
            let mut passed = self.inner.passed.lock().expect("no panic");
            let passed = passed.entry(request_id.to_owned()).or_default();
            passed.push(step);
            passed.len() - 1
        };
        let plan = self
            .inner
            .plans
            .lock()
            .expect("no panic")
            .get(request_id)
            .copied();
        match plan {
            Some((at, Fault::Error)) if at == position => Verdict::Fail(natural_error(step)),
            Some((at, Fault::Stall)) if at == position => {
                if let Some(stalled) = self.inner.stalled.lock().expect("no panic").get(request_id) {
                    stalled.notify_one();
                }
                Verdict::Stall
            }
            Some(_) | None => Verdict::Proceed,
        }
    }
}

/// How a step fails in life. What only the log may have names everything that must not be told.
fn natural_error(step: Step) -> OperationError {
    let detail = "zz_policy of zz_tag at file:/warehouse/metadata-location".to_owned();
    match step {
        Step::Identity
        | Step::Reader
        | Step::Catalog
        | Step::Revision
        | Step::Facts
        | Step::Pointer
        | Step::Swap => OperationError::Unavailable {
            message: "the store does not answer".to_owned(),
            detail,
        },
        Step::Metadata | Step::File => OperationError::Unreachable {
            message: "the storage does not answer".to_owned(),
            detail,
        },
        Step::Policies | Step::Subject | Step::Resolution => OperationError::Restriction {
            code: RestrictionCode::Lookup,
            message: "restrictions cannot be looked up".to_owned(),
            transient: true,
            detail,
        },
        Step::Authorization | Step::Admission | Step::EntityTag | Step::Serialization => {
            OperationError::internal(detail)
        }
    }
}
