// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An operator of our own between two of the engine's: the same rows in the same order, on whose way something is done.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};

/// The rows of one partition, given those of the input; with the number of the partition.
type Way = fn(SendableRecordBatchStream, usize, &TaskContext) -> SendableRecordBatchStream;

/// Its input's rows, on their way.
#[derive(Debug)]
pub(super) struct Between {
    name: &'static str,
    input: Arc<dyn ExecutionPlan>,
    way: Way,
}

impl Between {
    /// An operator over `input` that plans show by this name.
    pub(super) fn over(
        name: &'static str,
        input: Arc<dyn ExecutionPlan>,
        way: Way,
    ) -> Arc<dyn ExecutionPlan> {
        Arc::new(Self { name, input, way })
    }
}

impl DisplayAs for Between {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl ExecutionPlan for Between {
    fn name(&self) -> &'static str {
        self.name
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>, DataFusionError> {
        match <[_; 1]>::try_from(children) {
            Ok([input]) => Ok(Self::over(self.name, input, self.way)),
            Err(_) => Err(DataFusionError::Internal(format!(
                "`{}` has one input",
                self.name
            ))),
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream, DataFusionError> {
        let input = self.input.execute(partition, Arc::clone(&context))?;
        Ok((self.way)(input, partition, &context))
    }
}
