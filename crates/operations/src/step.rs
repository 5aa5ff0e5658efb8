// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The steps between a request and a governed answer, each passed at one place: where their durations are counted, and
//! where tests let them fail, hang or be given up.
//!
//! An [`Observer`] can only refuse or hold up a request. Nothing that it says makes an answer that would not be made
//! without it.

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::error::OperationError;

/// A step. The stages are those of `ARCHITECTURE.md`, "One governed loadTable"; the order is that of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// 1: who asks.
    Identity,
    /// 1: which reader the channel is bound to.
    Reader,
    /// 2: which catalog a prefix of the Iceberg protocol means.
    Catalog,
    /// 2: the counters that hold now.
    Revision,
    /// 2: the chain of the object and the grants of the subject, cached under the counters or of one snapshot.
    Facts,
    /// 3: whether the requirement is met.
    Authorization,
    /// 4: where the current metadata of the table is.
    Pointer,
    /// 4: the metadata.
    Metadata,
    /// 5: tags, policies and groups of a state that is not older than the request.
    Policies,
    /// 5: the subject as rules see it.
    Subject,
    /// 5: effective tags, selection, binding, lowering, combination.
    Resolution,
    /// 6: whether the client and its reader may have the answer.
    Admission,
    /// 7: a change writes the new version's file.
    File,
    /// 7: a change makes the new version the current one, or an object is ended.
    Swap,
    /// 8: the entity tag.
    EntityTag,
    /// 9: the bytes of the answer.
    Serialization,
}

impl Step {
    /// All of them, in order.
    pub const ALL: [Self; 16] = [
        Self::Identity,
        Self::Reader,
        Self::Catalog,
        Self::Revision,
        Self::Facts,
        Self::Authorization,
        Self::Pointer,
        Self::Metadata,
        Self::Policies,
        Self::Subject,
        Self::Resolution,
        Self::Admission,
        Self::File,
        Self::Swap,
        Self::EntityTag,
        Self::Serialization,
    ];

    /// The stage of `ARCHITECTURE.md` that it belongs to.
    pub const fn stage(self) -> u8 {
        match self {
            Self::Identity | Self::Reader => 1,
            Self::Catalog | Self::Revision | Self::Facts => 2,
            Self::Authorization => 3,
            Self::Pointer | Self::Metadata => 4,
            Self::Policies | Self::Subject | Self::Resolution => 5,
            Self::Admission => 6,
            Self::File | Self::Swap => 7,
            Self::EntityTag => 8,
            Self::Serialization => 9,
        }
    }

    /// Its name in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Reader => "reader",
            Self::Catalog => "catalog",
            Self::Revision => "revision",
            Self::Facts => "facts",
            Self::Authorization => "authorization",
            Self::Pointer => "pointer",
            Self::Metadata => "metadata",
            Self::Policies => "policies",
            Self::Subject => "subject",
            Self::Resolution => "resolution",
            Self::Admission => "admission",
            Self::File => "file",
            Self::Swap => "swap",
            Self::EntityTag => "entity-tag",
            Self::Serialization => "serialization",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What an observer says to a request that reaches a step.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// Go on.
    Proceed,
    /// The step fails like this.
    Fail(OperationError),
    /// The step never ends.
    Stall,
    /// The step waits until it is told to go on.
    Wait(Arc<Notify>),
}

/// Who watches requests on their way. Asked in the path of every request, so it must not block.
pub trait Observer: fmt::Debug + Send + Sync {
    /// A request reaches a step.
    fn reached(&self, step: Step, request_id: &str) -> Verdict;
}

/// How often a step was passed, and how long all of that took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    /// The step.
    pub step: Step,
    /// How often.
    pub times: u64,
    /// All durations together.
    pub took: Duration,
}

/// The steps of one server.
#[derive(Debug, Default)]
pub struct Steps {
    counters: [Counter; Step::ALL.len()],
    observer: OnceLock<Box<dyn Observer>>,
}

#[derive(Debug, Default)]
struct Counter {
    times: AtomicU64,
    nanos: AtomicU64,
}

impl Steps {
    /// Lets an observer watch from now on; false when there is one already.
    pub fn watch(&self, observer: Box<dyn Observer>) -> bool {
        self.observer.set(observer).is_ok()
    }

    /// Takes a request through a step.
    ///
    /// # Errors
    /// Those of `work`.
    pub async fn pass<T>(
        &self,
        step: Step,
        request_id: &str,
        work: impl Future<Output = Result<T, OperationError>>,
    ) -> Result<T, OperationError> {
        if let Some(observer) = self.observer.get() {
            match observer.reached(step, request_id) {
                Verdict::Proceed => {}
                Verdict::Fail(error) => return Err(error),
                Verdict::Stall => std::future::pending::<()>().await,
                Verdict::Wait(signal) => signal.notified().await,
            }
        }
        let started = Instant::now();
        let result = work.await;
        if let Some(counter) = self.counters.get(step as usize) {
            let nanos = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
            counter.times.fetch_add(1, Ordering::Relaxed);
            counter.nanos.fetch_add(nanos, Ordering::Relaxed);
        }
        result
    }

    /// What was passed since the start, in the order of the steps.
    pub fn passed(&self) -> Vec<Passed> {
        Step::ALL
            .iter()
            .zip(&self.counters)
            .map(|(step, counter)| Passed {
                step: *step,
                times: counter.times.load(Ordering::Relaxed),
                took: Duration::from_nanos(counter.nanos.load(Ordering::Relaxed)),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Refuses(Step);

    impl Observer for Refuses {
        fn reached(&self, step: Step, request_id: &str) -> Verdict {
            if step == self.0 && request_id == "r" {
                Verdict::Fail(OperationError::internal("injected"))
            } else {
                Verdict::Proceed
            }
        }
    }

    #[test]
    fn stages_do_not_go_back() {
        assert!(Step::ALL.is_sorted_by_key(|step| step.stage()));
        for (position, step) in Step::ALL.iter().enumerate() {
            assert_eq!(*step as usize, position, "{step}");
        }
    }

    #[tokio::test]
    async fn steps_are_counted_and_can_be_made_to_fail() {
        let steps = Steps::default();
        let work = async || Ok(1);
        assert_eq!(steps.pass(Step::Facts, "r", work()).await.ok(), Some(1));
        assert!(steps.watch(Box::new(Refuses(Step::Facts))));
        assert!(!steps.watch(Box::new(Refuses(Step::Swap))), "there is one");
        assert!(steps.pass(Step::Facts, "r", work()).await.is_err());
        assert_eq!(steps.pass(Step::Facts, "other", work()).await.ok(), Some(1));
        assert_eq!(steps.pass(Step::Swap, "r", work()).await.ok(), Some(1));
        let times: Vec<_> = steps
            .passed()
            .into_iter()
            .filter(|passed| passed.times > 0)
            .map(|passed| (passed.step, passed.times))
            .collect();
        assert_eq!(times, [(Step::Facts, 2), (Step::Swap, 1)]);
    }
}
