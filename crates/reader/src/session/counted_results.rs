// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Functions whose results can be far larger than what they are given: `repeat('x', 1000000000)`.
//!
//! The engine counts sorts, joins and groups, and not what functions make. So those that can make much say beforehand how
//! much, and have to get it from the memory of the query. A result gives it back when nobody holds it any more; a result
//! that is the same for all rows becomes part of the plan, and keeps it as long as the query runs.

mod concatenation;
mod estimate;

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{ArrayData, ArrayRef, make_array};
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, FieldRef};
use bytes::Bytes;
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use datafusion::execution::SessionState;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use datafusion::execution::registry::FunctionRegistry as _;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
};

pub(super) use self::concatenation::Concatenation;
use self::estimate::{Arguments, Estimate};

/// What is smaller is not counted, in bytes for one batch of rows.
const SMALL: u64 = 64 * 1024;

/// The functions, and how much they make.
const GROWING: [(&str, Estimate); 19] = [
    ("repeat", estimate::repeated_text),
    ("lpad", estimate::padded),
    ("rpad", estimate::padded),
    ("replace", estimate::replaced),
    ("regexp_replace", estimate::replaced_by_expression),
    ("translate", estimate::translated),
    ("overlay", estimate::together),
    ("concat", estimate::together),
    ("concat_ws", estimate::joined),
    ("string_to_array", estimate::split),
    ("array_to_string", estimate::listed),
    ("array_repeat", estimate::repeated),
    ("array_resize", estimate::resized),
    ("range", estimate::series),
    ("generate_series", estimate::series),
    ("array_concat", estimate::together),
    ("array_append", estimate::together),
    ("array_prepend", estimate::together),
    ("make_array", estimate::together),
];

/// The memory of a query, as functions have it.
#[derive(Debug, Clone)]
pub(super) struct QueryMemory {
    pool: Arc<dyn MemoryPool>,
    /// For results that are part of the plan.
    kept: Arc<MemoryReservation>,
}

impl QueryMemory {
    /// Of the query that `pool` is of.
    pub(super) fn new(pool: &Arc<dyn MemoryPool>) -> Self {
        let kept = Self::consumer().register(pool);
        Self {
            pool: Arc::clone(pool),
            kept: Arc::new(kept),
        }
    }

    fn consumer() -> MemoryConsumer {
        MemoryConsumer::new("results of functions")
    }

    /// A function that counts its results.
    fn counted(&self, inner: Arc<ScalarUDF>, estimate: Estimate) -> Arc<ScalarUDF> {
        Arc::new(ScalarUDF::new_from_impl(Counted {
            inner,
            estimate,
            memory: self.clone(),
        }))
    }

    /// The function of a plan, counted if it is one that grows.
    fn counted_if_growing(&self, inner: Arc<ScalarUDF>) -> Arc<ScalarUDF> {
        let found = GROWING.iter().find(|(name, _)| *name == inner.name());
        match found {
            Some((_, estimate)) => self.counted(inner, *estimate),
            None => inner,
        }
    }
}

/// Puts functions that count in the place of those that do not.
///
/// # Errors
/// A function that the engine does not have.
pub(super) fn count_results(state: &mut SessionState, memory: &QueryMemory) -> Result<()> {
    for (name, estimate) in GROWING {
        let counted = memory.counted(state.udf(name)?, estimate);
        state.register_udf(counted)?;
    }
    Ok(())
}

/// A function that gets the memory for its result first.
#[derive(Debug)]
struct Counted {
    inner: Arc<ScalarUDF>,
    estimate: Estimate,
    memory: QueryMemory,
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for Counted {}

impl Hash for Counted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl ScalarUDFImpl for Counted {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn schema_name(&self, args: &[datafusion::logical_expr::Expr]) -> Result<String> {
        self.inner.inner().schema_name(args)
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(types)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let same_for_all = args
            .args
            .iter()
            .all(|argument| matches!(argument, ColumnarValue::Scalar(_)));
        let rows = if same_for_all { 1 } else { args.number_rows };
        let estimate = (self.estimate)(&Arguments::new(&args.args)?, rows);
        let memory = QueryMemory::consumer().register(&self.memory.pool);
        if estimate > SMALL {
            memory.try_grow(usize::try_from(estimate).unwrap_or(usize::MAX))?;
        }
        match self.inner.invoke_with_args(args)? {
            ColumnarValue::Scalar(value) => {
                // What was reserved is given back by the one and taken by the other.
                memory.free();
                let size = value.size();
                if u64::try_from(size).is_ok_and(|size| size > SMALL) {
                    self.memory.kept.try_grow(size)?;
                }
                Ok(ColumnarValue::Scalar(value))
            }
            ColumnarValue::Array(array) => counted(array, memory).map(ColumnarValue::Array),
        }
    }
}

/// A buffer with the memory that is counted for it.
struct Held {
    buffer: Buffer,
    _memory: Arc<MemoryReservation>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        self.buffer.as_slice()
    }
}

/// The rows, which keep the memory as long as they live.
fn counted(array: ArrayRef, memory: MemoryReservation) -> Result<ArrayRef> {
    let size = array.get_array_memory_size();
    if u64::try_from(size).is_ok_and(|size| size <= SMALL) {
        return Ok(array);
    }
    memory.try_resize(size)?;
    let data = holding(array.to_data(), &Arc::new(memory));
    data.map(make_array).map_err(DataFusionError::from)
}

fn holding(
    data: ArrayData,
    memory: &Arc<MemoryReservation>,
) -> std::result::Result<ArrayData, arrow::error::ArrowError> {
    let buffers = data
        .buffers()
        .iter()
        .map(|buffer| {
            Buffer::from(Bytes::from_owner(Held {
                buffer: buffer.clone(),
                _memory: Arc::clone(memory),
            }))
        })
        .collect();
    let children = data
        .child_data()
        .iter()
        .map(|child| holding(child.clone(), memory))
        .collect::<std::result::Result<_, _>>()?;
    data.into_builder().buffers(buffers).child_data(children).build()
}
