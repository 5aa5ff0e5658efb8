// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Restricted scans of TPC-H's line items at scale 1 against the same queries by hand, in the same engine over the same
//! files read as stock Parquet; against unrestricted scans; and unrestricted scans against DuckDB.
//!
//! `cargo bench -p lakeward-reader --bench restricted_scan`. LAKEWARD_BENCH_SCALE and LAKEWARD_BENCH_ROUNDS change the
//! size; LAKEWARD_BENCH_PYTHON names a Python that has the package `duckdb`. Figures in brackets are quartiles of rounds.

mod lineitem;
mod rounds;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use arrow::util::pretty::pretty_format_batches;
use datafusion::catalog::TableProvider as _;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties as _, execute_stream_partitioned};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use futures::{StreamExt as _, stream};
use lakeward_reader::restricted_table::RestrictedTable;
use serde_json::{Value, json};

use lineitem::{FIELDS, id, table, written};
use rounds::{Rounds, verdict};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// Each query over `{t}`, which is the restricted table or the hand-written subquery.
const QUERIES: [(&str, &str); 8] = [
    ("count and sum", "select count(*), sum(l_extendedprice) from {t}"),
    (
        "group by",
        "select l_returnflag, count(*), sum(l_quantity), sum(l_extendedprice * (1 - l_discount)) from {t} group by l_returnflag",
    ),
    (
        "top ten",
        "select l_orderkey, l_linenumber, l_extendedprice, l_shipinstruct from {t} order by l_extendedprice desc, l_orderkey, l_linenumber limit 10",
    ),
    (
        "min and max of masked",
        "select min(l_shipinstruct), max(l_shipinstruct) from {t}",
    ),
    (
        "group by masked",
        "select l_commitdate, count(*) from {t} group by l_commitdate",
    ),
    (
        "most columns",
        "select max(l_orderkey), max(l_partkey), max(l_quantity), max(l_extendedprice), max(l_tax), max(l_returnflag), max(l_linestatus), max(l_shipdate), max(l_commitdate), max(l_shipinstruct), max(l_shipmode) from {t}",
    ),
    ("hash", "select min(l_comment) from {t}"),
    (
        "selective",
        "select count(*), max(l_shipinstruct) from {t} where l_orderkey < 1000",
    ),
];

/// Queries of an unrestricted table, for its own scan, stock Parquet, and DuckDB. None can be answered from statistics,
/// which a barrier does not show.
const OPEN_QUERIES: [(&str, &str); 4] = [
    ("count and sum", "select count(*), sum(l_extendedprice) from {t}"),
    (
        "group by",
        "select l_returnflag, l_linestatus, count(*), sum(l_quantity) from {t} group by l_returnflag, l_linestatus",
    ),
    (
        "all columns",
        "select sum(l_orderkey), sum(l_partkey), max(l_suppkey), max(l_linenumber), max(l_quantity), max(l_extendedprice), max(l_discount), max(l_tax), max(l_returnflag), max(l_linestatus), max(l_shipdate), max(l_commitdate), max(l_receiptdate), max(l_shipinstruct), max(l_shipmode), max(l_comment) from {t}",
    ),
    (
        "selective",
        "select count(*), max(l_comment) from {t} where l_orderkey < 1000",
    ),
];

/// The restrictions of `restrictions()` in SQL. Iceberg keeps null under `!=`; so must the hand.
const BY_HAND: &str = "(select l_orderkey, l_partkey, l_suppkey, l_linenumber, l_quantity, l_extendedprice, l_discount, \
     cast(null as decimal(15,2)) as l_tax, l_returnflag, 'XXXXXXXX' as l_linestatus, l_shipdate, \
     cast(date_trunc('year', l_commitdate) as date) as l_commitdate, l_receiptdate, \
     case when character_length(l_shipinstruct) <= 4 then l_shipinstruct \
     else concat(translate(left(l_shipinstruct, -4), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ ', 'xxxxxxxxxxxxxxxxxxxxxxxxxxx'), right(l_shipinstruct, 4)) end as l_shipinstruct, \
     l_shipmode, encode(sha256(l_comment), 'hex') as l_comment \
     from {t} where l_shipmode in ('AIR', 'MAIL', 'RAIL', 'SHIP') and (l_quantity <> 40 or l_quantity is null))";

fn compare(kind: &str, column: &str, value: Value, data_type: &str) -> Value {
    json!({"type": kind, "left": {"type": "reference", "id": id(column)},
        "right": {"type": "literal", "value": value, "data-type": data_type}})
}

fn masks(masks: &[(&str, &str)]) -> Value {
    masks
        .iter()
        .map(|(column, action)| json!({"field-id": id(column), "action": action}))
        .collect()
}

fn restrictions() -> Value {
    let modes: Vec<Value> = ["AIR", "MAIL", "RAIL", "SHIP"]
        .iter()
        .map(|mode| compare("eq", "l_shipmode", json!(mode), "string"))
        .collect();
    let among = modes
        .into_iter()
        .reduce(|left, right| json!({"type": "or", "left": left, "right": right}));
    json!({
        "required-row-filter": {"type": "and", "left": among,
            "right": compare("not-eq", "l_quantity", json!("40.00"), "decimal(15,2)")},
        "required-column-projections": masks(&[
            ("l_shipinstruct", "show-last-4"),
            ("l_tax", "replace-with-null"),
            ("l_linestatus", "mask-to-fixed-value"),
            ("l_commitdate", "truncate-to-year"),
            ("l_comment", "sha-256-global"),
        ])
    })
}

async fn answer(context: &SessionContext, sql: &str) -> Outcome<Vec<String>> {
    let batches = context.sql(sql).await?.collect().await?;
    let text = pretty_format_batches(&batches)?.to_string();
    // The header differs, and with it the width of the columns.
    let mut lines: Vec<String> = text
        .lines()
        .skip(3)
        .filter(|line| line.starts_with('|'))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    lines.sort();
    Ok(lines)
}

fn setting<T: std::str::FromStr>(name: &str, default: T) -> T {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

struct Bench {
    context: SessionContext,
    rounds: usize,
}

impl Bench {
    /// Variants of a query over other tables; the last is divided by the first, unless told otherwise.
    async fn compared(&self, query: &str, over: &[String]) -> Outcome<Rounds> {
        let variants: Vec<String> = over.iter().map(|over| query.replace("{t}", over)).collect();
        Rounds::run(self.rounds, &variants, |sql: String| async move {
            answer(&self.context, &sql).await
        })
        .await
    }

    async fn by_hand(&self) -> Outcome<()> {
        println!("\nrestricted ÷ the same by hand over stock Parquet (goal 1.05)");
        for (name, query) in QUERIES {
            let over = [BY_HAND.replace("{t}", "stock"), "restricted".to_owned()];
            let rounds = self.compared(query, &over).await?;
            let ratio = rounds.ratio(1, 0);
            println!(
                "  {name:<24} {:>8.1} ms ÷ {:>8.1} ms = {ratio}{}",
                rounds.times(1).middle,
                rounds.times(0).middle,
                verdict(&ratio, Some(1.05))
            );
        }
        Ok(())
    }

    async fn by_selectivity(&self) -> Outcome<()> {
        println!("\nrestricted ÷ unrestricted by the share of rows that the filter keeps; and ÷ by hand");
        let query = "select count(*), sum(l_extendedprice), max(l_shipdate), max(l_comment) from {t}";
        for percent in [1, 10, 50, 99] {
            for (name, column) in [("scattered", "l_partkey"), ("neighbours", "l_orderkey")] {
                let restricted = format!("{column}_{percent}");
                let bound = bound(&self.context, column, percent).await?;
                let by_hand = format!("(select * from stock where {column} < {bound})");
                let rounds = self.compared(query, &[by_hand, restricted]).await?;
                // What the open table answers differs, so it has rounds of its own beside them.
                let unrestricted = self
                    .interleaved_with_open(query, &format!("{column}_{percent}"))
                    .await?;
                println!(
                    "  {percent:>3} %, {name:<12} ÷ unrestricted {unrestricted}   ÷ by hand {}",
                    rounds.ratio(1, 0)
                );
            }
        }
        Ok(())
    }

    async fn interleaved_with_open(&self, query: &str, restricted: &str) -> Outcome<rounds::Spread> {
        let variants = [query.replace("{t}", "open"), query.replace("{t}", restricted)];
        let rounds = Rounds::run(self.rounds, &variants, |sql: String| async move {
            answer(&self.context, &sql).await.map(|_| ())
        });
        Ok(rounds.await?.ratio(1, 0))
    }

    /// Scans alone: what is above them would cost the same for each.
    async fn unread(&self, tables: &[(&str, Arc<RestrictedTable>)]) -> Outcome<()> {
        println!("\nscan of one column that is not read ÷ scan of the column (goal 0.01)");
        let column = [id("l_comment") - 1].to_vec();
        let mut plans = Vec::new();
        for (_, table) in tables {
            let state = self.context.state();
            plans.push(table.scan(&state, Some(&column), &[], None).await?);
        }
        let rounds = Rounds::run(self.rounds, &plans, |plan: Arc<dyn ExecutionPlan>| async move {
            let parts = plan.output_partitioning().partition_count();
            let streams = execute_stream_partitioned(plan, self.context.task_ctx())?;
            let rows = stream::iter(streams)
                .map(|mut rows| {
                    tokio::spawn(async move {
                        let mut count = 0;
                        while let Some(batch) = rows.next().await {
                            count += batch?.num_rows();
                        }
                        Ok::<usize, datafusion::error::DataFusionError>(count)
                    })
                })
                .buffer_unordered(parts);
            let counts: Vec<_> = rows.collect().await;
            let mut total = 0;
            for count in counts {
                total += count??;
            }
            Ok(total)
        })
        .await?;
        for (at, (name, _)) in tables.iter().enumerate().skip(1) {
            let ratio = rounds.ratio(at, 0);
            println!("  {name:<24} {ratio}{}", verdict(&ratio, Some(0.01)));
        }
        Ok(())
    }

    async fn unrestricted(&self, files: &Path, quick: bool) -> Outcome<()> {
        println!(
            "\nunrestricted: own scan ÷ stock Parquet in the same engine; DuckDB on the same files as a peer"
        );
        let python = std::env::var("LAKEWARD_BENCH_PYTHON").ok();
        if python.is_none() {
            println!(
                "  DuckDB was not run: set LAKEWARD_BENCH_PYTHON to a Python that has the package `duckdb`"
            );
        }
        for (name, query) in OPEN_QUERIES {
            let rounds = self
                .compared(query, &["stock".to_owned(), "open".to_owned()])
                .await?;
            let own = rounds.times(1).middle;
            let peer = match &python {
                Some(python) if !quick => {
                    let peer = duckdb(python, files, query, self.rounds)?;
                    format!("   DuckDB {peer:.1} ms, own ÷ DuckDB {:.2}", own / peer)
                }
                Some(_) | None => String::new(),
            };
            println!("  {name:<24} {own:>8.1} ms, ÷ stock {}{peer}", rounds.ratio(1, 0));
        }
        Ok(())
    }
}

/// The value below which about so many of a hundred rows lie.
async fn bound(context: &SessionContext, column: &str, percent: i64) -> Outcome<i64> {
    let sql = format!("select max({column}) * {percent} / 100 + 1 as bound from stock");
    let text = answer(context, &sql).await?.concat();
    Ok(text.trim_matches(['|', ' ']).parse()?)
}

/// Middle of the milliseconds that DuckDB takes for a query, with its own defaults.
fn duckdb(python: &str, files: &Path, query: &str, rounds: usize) -> Outcome<f64> {
    const PROGRAM: &str = "import sys, time, statistics, duckdb\n\
        query, rounds = sys.argv[1], int(sys.argv[2])\n\
        connection = duckdb.connect()\n\
        connection.execute('set enable_progress_bar = false')\n\
        times = []\n\
        for _ in range(rounds + 1):\n    \
            begin = time.perf_counter()\n    \
            connection.execute(query).fetchall()\n    \
            times.append((time.perf_counter() - begin) * 1000)\n\
        print(statistics.median(times[1:]))\n";
    let files = format!("read_parquet('{}/*.parquet')", files.display());
    let output = std::process::Command::new(python)
        .args(["-c", PROGRAM, &query.replace("{t}", &files), &rounds.to_string()])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let told = String::from_utf8(output.stdout)?;
    let told = told.trim();
    told.parse()
        .map_err(|_| format!("DuckDB's time is no number: {told}").into())
}

#[tokio::main]
async fn main() -> Outcome<()> {
    // `cargo test --benches` asks for a quick run.
    let quick = std::env::args().any(|argument| argument == "--test");
    let scale = setting("LAKEWARD_BENCH_SCALE", if quick { 0.01 } else { 1.0 });
    let rounds = setting("LAKEWARD_BENCH_ROUNDS", if quick { 1 } else { 11 });
    let folder = tempfile::tempdir()?;
    let metadata = written(folder.path(), scale).await?;
    let context = SessionContext::new_with_config(SessionConfig::new());
    let files = folder.path().join("s/t/data");
    let stock = files.to_str().ok_or("the folder is not UTF-8")?;
    context
        .register_parquet("stock", stock, ParquetReadOptions::default())
        .await?;
    let open = table(&metadata, &Value::Null)?;
    context.register_table("open", Arc::clone(&open) as _)?;
    context.register_table("restricted", table(&metadata, &restrictions())?)?;
    for column in ["l_partkey", "l_orderkey"] {
        for percent in [1, 10, 50, 99] {
            let bound = bound(&context, column, percent).await?;
            let filter = json!({"required-row-filter": compare("lt", column, json!(bound), "long")});
            context.register_table(format!("{column}_{percent}"), table(&metadata, &filter)?)?;
        }
    }
    println!(
        "TPC-H line items at scale {scale}, {} columns, {rounds} interleaved rounds, {} threads",
        FIELDS.len(),
        context.state().config().target_partitions()
    );
    let one = |action: &str| json!({"required-column-projections": masks(&[("l_comment", action)])});
    let unread = [
        ("read", open),
        ("replace-with-null", table(&metadata, &one("replace-with-null"))?),
        (
            "mask-to-fixed-value",
            table(&metadata, &one("mask-to-fixed-value"))?,
        ),
    ];
    let bench = Bench { context, rounds };
    bench.by_hand().await?;
    bench.by_selectivity().await?;
    bench.unread(&unread).await?;
    bench.unrestricted(&files, quick).await
}
