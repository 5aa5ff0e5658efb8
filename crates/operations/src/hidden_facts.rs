// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the native protocol tells of a table beside its schema: statistics, partitions, credentials. None of it can be
//! masked or filtered by a reader, so whoever sees the table only in part gets none of it.

use lakeward_read_restrictions::code::RestrictionCode;
use lakeward_read_restrictions::restrictions::ReadRestrictions;

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::facts::Found;
use crate::load_governed_table::Current;

impl Operations {
    /// Refuses a question about the rows of a table to a caller who does not see all of them. Gives the table to whoever does.
    ///
    /// # Errors
    /// [`OperationError::Restriction`]: for a restricted caller, and when nobody can say; [`OperationError::NotFound`],
    /// [`OperationError::Disabled`], and what provider and store report.
    pub(crate) async fn refuse_hidden_facts(
        &self,
        call: &Call,
        table: &Found,
        what: &str,
    ) -> Result<(Current, ReadRestrictions), OperationError> {
        let current = self.current_table(call, table).await?;
        let restrictions = self.restrictions_of_version(call, table, &current).await?;
        if !restrictions.is_active() {
            return Ok((current, restrictions));
        }
        Err(OperationError::Restriction {
            code: RestrictionCode::Facts,
            message: format!(
                "{what} of this table are refused: it has read restrictions for you, and they would tell of rows and \
                 values that you do not see; ask somebody whom the restrictions do not concern"
            ),
            transient: false,
            detail: "facts of rows were asked for by a restricted principal".to_owned(),
        })
    }
}
