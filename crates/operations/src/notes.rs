// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What an operation adds to the audit record of its request.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Restrictions that a change takes from objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Widening {
    /// The enabled policies that end.
    pub policies: BTreeSet<String>,
    /// The objects on which they end, with everything below.
    pub objects: BTreeSet<String>,
}

/// The notes of one request. Cloning gives the same.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    signature: OnceLock<String>,
    delegated: OnceLock<&'static str>,
    concerns: OnceLock<String>,
    signed_request: OnceLock<(String, String)>,
    widenings: Mutex<Vec<Widening>>,
    disregarded: Mutex<Vec<String>>,
}

impl Notes {
    /// The answer carries restrictions with this signature.
    pub(crate) fn sign(&self, signature: &str) {
        self.inner.signature.get_or_init(|| signature.to_owned());
    }

    /// The answer gives a way to the files: `read` or `read-write`.
    pub(crate) fn delegate(&self, access: &'static str) {
        self.inner.delegated.get_or_init(|| access);
    }

    /// What the change is about beside objects, by name.
    pub(crate) fn concern(&self, what: String) {
        self.inner.concerns.get_or_init(|| what);
    }

    /// A token of `user` is exchanged for one with which `reader` acts.
    pub fn exchange(&self, user: &str, reader: &str) {
        self.concern(format!("token of `{user}` for the reader `{reader}`"));
    }

    /// The answer signs a request with this method to this object.
    pub(crate) fn sign_request(&self, method: &str, object: String) {
        self.inner
            .signed_request
            .get_or_init(|| (method.to_owned(), object));
    }

    /// The change takes restrictions away.
    pub(crate) fn widen(&self, widening: Widening) {
        held(&self.inner.widenings).push(widening);
    }

    /// The change is meant although this speaks against it.
    pub(crate) fn disregard(&self, question: &[String]) {
        held(&self.inner.disregarded).extend_from_slice(question);
    }

    /// The signature of the restrictions that the answer carries.
    pub fn signature(&self) -> Option<&str> {
        self.inner.signature.get().map(String::as_str)
    }

    /// What the way to the files that the answer gives permits.
    pub fn delegated(&self) -> Option<&'static str> {
        self.inner.delegated.get().copied()
    }

    /// What the change is about beside objects.
    pub fn concerns(&self) -> Option<&str> {
        self.inner.concerns.get().map(String::as_str)
    }

    /// The method of the request that the answer signs, and the location of its object.
    pub fn signed_request(&self) -> Option<(&str, &str)> {
        let (method, object) = self.inner.signed_request.get()?;
        Some((method, object))
    }

    /// What the change takes away, if it is made.
    pub fn widenings(&self) -> Vec<Widening> {
        held(&self.inner.widenings).clone()
    }

    /// What spoke against the change that was made all the same.
    pub fn disregarded(&self) -> Vec<String> {
        held(&self.inner.disregarded).clone()
    }
}

/// What was noted stays true when a request that noted something panicked.
fn held<T>(notes: &Mutex<T>) -> MutexGuard<'_, T> {
    notes.lock().unwrap_or_else(PoisonError::into_inner)
}
