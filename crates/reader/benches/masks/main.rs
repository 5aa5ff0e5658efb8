// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Each mask on one core: values and bytes in a second beside copying memory, and hashing beside what the hash library
//! does with the same bytes.
//!
//! `cargo bench -p lakeward-reader --bench masks`. LAKEWARD_BENCH_ROUNDS changes the number of rounds, which are
//! interleaved. Figures in brackets are quartiles of rounds.

#[path = "../restricted_scan/rounds.rs"]
mod rounds;

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryViewArray, Date32Array, DictionaryArray, Int64Array, StringViewArray,
    TimestampMicrosecondArray,
};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int32Type};
use lakeward_read_restrictions::action::{MaskAction, QuerySalt};
use lakeward_reader::masks::{Mask, MaskedValues};
use sha2::{Digest, Sha256};

use rounds::{Rounds, Spread, verdict};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

const ROWS: i64 = 8192;

fn mixed(row: i64) -> u64 {
    row.wrapping_mul(6_364_136_223_846_793_005)
        .rotate_left(29)
        .unsigned_abs()
}

fn views(value: impl Fn(i64) -> String) -> ArrayRef {
    Arc::new(StringViewArray::from_iter_values((0..ROWS).map(value)))
}

/// What is masked: a name, the column, and the bytes of its values.
fn columns() -> Outcome<Vec<(&'static str, ArrayRef, usize)>> {
    let card = |row: i64| {
        let mixed = mixed(row);
        format!("{:04}-{:04}-{:04}", mixed % 9_973, mixed % 7_919, mixed % 9_931)
    };
    let mail = |row: i64| format!("person{}@example.org", mixed(row) % 500_000);
    let person = |row: i64| format!("Zoë Müller-{} Ångström", mixed(row) % 500_000);
    let kinds = (0..ROWS).map(|row| card(i64::try_from(mixed(row) % 100).unwrap_or(0)));
    let kinds: Vec<String> = kinds.collect();
    let dictionary: DictionaryArray<Int32Type> = kinds.iter().map(String::as_str).collect();
    let days = (0..ROWS).map(|row| i32::try_from(mixed(row) % 20_000).unwrap_or(0));
    let ticks = (0..ROWS).map(|row| i64::try_from(mixed(row) % 1_700_000_000_000_000).unwrap_or(0));
    let bytes = |values: &[String]| values.iter().map(String::len).sum::<usize>();
    let lengths = |value: &dyn Fn(i64) -> String| bytes(&(0..ROWS).map(value).collect::<Vec<_>>());
    let rows = usize::try_from(ROWS)?;
    Ok(vec![
        ("text, 14 characters", views(card), lengths(&card)),
        ("text, 24 characters", views(mail), lengths(&mail)),
        ("text beyond ASCII", views(person), lengths(&person)),
        ("text, dictionary of 100", Arc::new(dictionary), bytes(&kinds)),
        ("long", Arc::new(Int64Array::from_iter_values(0..ROWS)), rows * 8),
        ("date", Arc::new(Date32Array::from_iter_values(days)), rows * 4),
        (
            "timestamp",
            Arc::new(TimestampMicrosecondArray::from_iter_values(ticks)),
            rows * 8,
        ),
    ])
}

fn takes(action: MaskAction, column: &str) -> bool {
    match action {
        MaskAction::MaskAlphanum | MaskAction::ShowFirst4 | MaskAction::ShowLast4 => {
            column.starts_with("text")
        }
        MaskAction::Sha256Global | MaskAction::Sha256QueryLocal => {
            column.starts_with("text") || column == "long"
        }
        MaskAction::TruncateToYear | MaskAction::TruncateToMonth => matches!(column, "date" | "timestamp"),
        MaskAction::MaskToFixedValue | MaskAction::ReplaceWithNull => column == "text, 14 characters",
    }
}

fn shown_type(column: &ArrayRef) -> DataType {
    if matches!(column.data_type(), DataType::Dictionary(..)) {
        return DataType::Utf8View;
    }
    column.data_type().clone()
}

/// Milliseconds of `repeats` runs as a rate for one.
fn rate(milliseconds: &Spread, units: usize, repeats: usize) -> f64 {
    let (Ok(units), Ok(repeats)) = (u32::try_from(units), u32::try_from(repeats)) else {
        return f64::NAN;
    };
    f64::from(units) * f64::from(repeats) / (milliseconds.middle / 1000.0) / 1e6
}

#[derive(Clone)]
enum Work {
    /// Copying the bytes of a column.
    Copy(Arc<[u8]>),
    Mask(Mask, ArrayRef),
    /// What the hash library does alone: each piece of bytes for itself.
    Library(Arc<[Vec<u8>]>),
}

fn run(work: &Work, salt: &QuerySalt, repeats: usize) -> Outcome<()> {
    match work {
        Work::Copy(bytes) => {
            for _ in 0..repeats {
                black_box(black_box(bytes).to_vec());
            }
        }
        Work::Mask(mask, column) => {
            for _ in 0..repeats {
                if mask.reads_column() {
                    // Each repeat stands for a row group: a dictionary is met anew.
                    black_box(mask.apply(black_box(column), salt, &mut MaskedValues::default())?);
                } else {
                    black_box(mask.constant(black_box(column.len()))?);
                }
            }
        }
        Work::Library(pieces) => {
            for _ in 0..repeats {
                for piece in black_box(pieces).iter() {
                    black_box(Sha256::digest(piece));
                }
            }
        }
    }
    Ok(())
}

async fn masks(rounds: usize, repeats: usize, salt: &QuerySalt) -> Outcome<()> {
    println!(
        "\nmasks, one core: million values in a second, and time ÷ that of copying the bytes of the values"
    );
    for action in MaskAction::ALL {
        for (name, column, bytes) in columns()? {
            if !takes(action, name) {
                continue;
            }
            let mask = Mask::new(action, shown_type(&column));
            let work = [
                Work::Copy(vec![7; bytes].into()),
                Work::Mask(mask, Arc::clone(&column)),
            ];
            let measured = Rounds::run(rounds, &work, |work| {
                std::future::ready(run(&work, salt, repeats))
            })
            .await?;
            let times = measured.times(1);
            println!(
                "  {:<22} {name:<24} {:>9.1} million/s {:>9.1} MB/s   ÷ copy {:.2}",
                action.to_string(),
                rate(&times, column.len(), repeats),
                rate(&times, bytes, repeats),
                measured.ratio(1, 0).middle,
            );
        }
    }
    Ok(())
}

/// Goal: what the mask does in a second is at least nine tenths of what the library does with the same bytes.
async fn hashes(rounds: usize, repeats: usize, salt: &QuerySalt) -> Outcome<()> {
    println!("\nsha-256-global: time ÷ that of the library alone (goal 1.11, which is 0.9 of its speed)");
    for length in [14_usize, 40, 100, 1_000, 65_536] {
        let values = (8192 * 64 / length.max(64)).max(8);
        let piece = |row: usize| -> Vec<u8> {
            let digits = format!("{row:08}");
            digits.bytes().cycle().take(length).collect()
        };
        let pieces: Vec<Vec<u8>> = (0..values).map(piece).collect();
        let binary: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(&pieces));
        let text = cast(&binary, &DataType::Utf8View)?;
        for (name, column) in [("bytes", binary), ("text", text)] {
            let mask = Mask::new(MaskAction::Sha256Global, column.data_type().clone());
            let work = [Work::Library(pieces.clone().into()), Work::Mask(mask, column)];
            let measured = Rounds::run(rounds, &work, |work| {
                std::future::ready(run(&work, salt, repeats))
            })
            .await?;
            let ratio = measured.ratio(1, 0);
            println!(
                "  {name:<6} of {length:>6} bytes  {:>8.1} MB/s ÷ library {:>8.1} MB/s   time {ratio}{}",
                rate(&measured.times(1), values * length, repeats),
                rate(&measured.times(0), values * length, repeats),
                verdict(&ratio, Some(1.11))
            );
        }
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let quick = std::env::args().any(|argument| argument == "--test");
    let rounds = std::env::var("LAKEWARD_BENCH_ROUNDS").ok();
    let rounds = rounds
        .and_then(|text| text.parse().ok())
        .unwrap_or(if quick { 1 } else { 15 });
    let repeats = if quick { 1 } else { 50 };
    let salt = QuerySalt::new((0..32).collect())?;
    println!("{ROWS} values in a batch, {repeats} batches in a round, {rounds} interleaved rounds");
    masks(rounds, repeats, &salt).await?;
    hashes(rounds, repeats.min(20), &salt).await
}
