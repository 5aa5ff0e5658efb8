// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Customers, orders and nations of the TPC-H benchmark at scale 0.1.

use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, Decimal128Array, Int32Array, Int64Array, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;
use tpchgen::generators::{Customer, CustomerGenerator, Nation, NationGenerator, Order, OrderGenerator};

use super::source::Source;

const SCALE: f64 = 0.1;
const ROWS_PER_BATCH: usize = 16_384;

/// The three tables.
pub(super) fn sources() -> Vec<Source> {
    let customers = CustomerGenerator::calculate_row_count(SCALE, 1, 1);
    let orders = OrderGenerator::calculate_row_count(SCALE, 1, 1);
    vec![
        Source::new(
            "nation",
            &nation_schema(),
            25,
            chunked(NationGenerator::default().iter(), nations),
        ),
        Source::new(
            "customer",
            &customer_schema(),
            u64::try_from(customers).unwrap_or(0),
            chunked(CustomerGenerator::new(SCALE, 1, 1).iter(), customers_batch),
        ),
        Source::new(
            "orders",
            &orders_schema(),
            u64::try_from(orders).unwrap_or(0),
            chunked(OrderGenerator::new(SCALE, 1, 1).iter(), orders_batch),
        ),
    ]
}

/// Batches of rows, made as they are asked for.
fn chunked<T: 'static>(
    mut rows: impl Iterator<Item = T> + Send + 'static,
    batch: fn(&[T]) -> anyhow::Result<RecordBatch>,
) -> impl Iterator<Item = anyhow::Result<RecordBatch>> + Send {
    std::iter::from_fn(move || {
        let chunk: Vec<T> = rows.by_ref().take(ROWS_PER_BATCH).collect();
        (!chunk.is_empty()).then(|| batch(&chunk))
    })
}

fn required(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, false)
}

fn optional(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, true)
}

const MONEY: DataType = DataType::Decimal128(15, 2);

fn nation_schema() -> Schema {
    Schema::new(vec![
        required("n_nationkey", DataType::Int64),
        required("n_name", DataType::Utf8),
        required("n_regionkey", DataType::Int64),
        optional("n_comment", DataType::Utf8),
    ])
}

fn customer_schema() -> Schema {
    Schema::new(vec![
        required("c_custkey", DataType::Int64),
        optional("c_name", DataType::Utf8),
        optional("c_address", DataType::Utf8),
        required("c_nationkey", DataType::Int64),
        optional("c_phone", DataType::Utf8),
        optional("c_acctbal", MONEY),
        optional("c_mktsegment", DataType::Utf8),
        optional("c_comment", DataType::Utf8),
    ])
}

fn orders_schema() -> Schema {
    Schema::new(vec![
        required("o_orderkey", DataType::Int64),
        required("o_custkey", DataType::Int64),
        optional("o_orderstatus", DataType::Utf8),
        optional("o_totalprice", MONEY),
        optional("o_orderdate", DataType::Date32),
        optional("o_orderpriority", DataType::Utf8),
        optional("o_clerk", DataType::Utf8),
        optional("o_shippriority", DataType::Int32),
        optional("o_comment", DataType::Utf8),
    ])
}

fn longs<T>(rows: &[T], value: impl Fn(&T) -> i64) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(rows.iter().map(value)))
}

fn texts<T, S: AsRef<str>>(rows: &[T], value: impl Fn(&T) -> S) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(rows.iter().map(value)))
}

fn money<T>(rows: &[T], cents: impl Fn(&T) -> i64) -> ArrayRef {
    let unscaled = Decimal128Array::from_iter_values(rows.iter().map(|row| i128::from(cents(row))));
    Arc::new(unscaled.with_data_type(MONEY))
}

fn nations(rows: &[Nation<'static>]) -> anyhow::Result<RecordBatch> {
    let columns = vec![
        longs(rows, |row| row.n_nationkey),
        texts(rows, |row| row.n_name),
        longs(rows, |row| row.n_regionkey),
        texts(rows, |row| row.n_comment),
    ];
    Ok(RecordBatch::try_new(Arc::new(nation_schema()), columns)?)
}

fn customers_batch(rows: &[Customer<'static>]) -> anyhow::Result<RecordBatch> {
    let columns = vec![
        longs(rows, |row| row.c_custkey),
        texts(rows, |row| row.c_name.to_string()),
        texts(rows, |row| row.c_address.to_string()),
        longs(rows, |row| row.c_nationkey),
        texts(rows, |row| row.c_phone.to_string()),
        money(rows, |row| row.c_acctbal.0),
        texts(rows, |row| row.c_mktsegment),
        texts(rows, |row| row.c_comment),
    ];
    Ok(RecordBatch::try_new(Arc::new(customer_schema()), columns)?)
}

fn orders_batch(rows: &[Order<'static>]) -> anyhow::Result<RecordBatch> {
    let days = rows.iter().map(|row| row.o_orderdate.to_unix_epoch());
    let priorities = rows.iter().map(|row| row.o_shippriority);
    let columns: Vec<ArrayRef> = vec![
        longs(rows, |row| row.o_orderkey),
        longs(rows, |row| row.o_custkey),
        texts(rows, |row| row.o_orderstatus.to_string()),
        money(rows, |row| row.o_totalprice.0),
        Arc::new(Date32Array::from_iter_values(days)),
        texts(rows, |row| row.o_orderpriority),
        texts(rows, |row| row.o_clerk.to_string()),
        Arc::new(Int32Array::from_iter_values(priorities)),
        texts(rows, |row| row.o_comment),
    ];
    Ok(RecordBatch::try_new(Arc::new(orders_schema()), columns)?)
}
