// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a refusal tells.

use lakeward_authorization::Refusal;

use crate::error::{Noun, OperationError};
use crate::named::{Named, NamedWhat};

impl OperationError {
    /// The error for a refusal of `operation` (`loadTable`). A protocol that masks may answer that the name is free
    /// where the caller may be told so.
    pub(crate) fn refused(refusal: &Refusal, named: &Named, operation: &str) -> Self {
        use lakeward_authorization::refusal::Existence;
        let masked = match &named.what {
            NamedWhat::Object(object) if refusal.existence == Existence::MayBeTold && !refusal.exists => {
                Some((
                    Noun::Object(object.kind),
                    object.path.last().cloned().unwrap_or_default(),
                ))
            }
            NamedWhat::Object(_)
            | NamedWhat::Server
            | NamedWhat::Principal(_)
            | NamedWhat::Instruments { .. }
            | NamedWhat::Move { .. }
            | NamedWhat::Several(_) => None,
        };
        Self::Refused {
            message: format!(
                "user `{}` is not authorized to perform operation `{operation}`: {}",
                refusal.user, refusal.objection
            ),
            masked,
        }
    }
}
