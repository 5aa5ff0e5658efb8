// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which rows of a file are decoded at all: those in the byte range of a task, less what statistics of row groups,
//! Bloom filters and statistics of pages show to be of no use, less what is deleted.
//!
//! Skipping never filters. Whatever is left goes through the exact row filter.

use std::collections::{BTreeSet, HashMap};

use arrow::array::UInt64Array;
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::DataType;
use lakeward_read_restrictions::literal::Literal;
use lakeward_read_restrictions::predicate::{Comparison, Predicate};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};
use parquet::basic::Type as PhysicalType;
use parquet::bloom_filter::Sbbf;
use parquet::file::metadata::ParquetMetaData;
use roaring::RoaringTreemap;

use super::columns::FileColumns;
use super::projection::Wanted;
use crate::row_filter::pruning::{ColumnStatistics, Test, may_match};

/// Equality with more values than this is left to the statistics: each value costs a look into the filter.
const VALUES_TO_LOOK_UP: usize = 64;

/// What may be said about the rows of one file without reading them.
pub(super) struct Skipping<'a> {
    pub(super) predicate: &'a Predicate,
    pub(super) columns: &'a FileColumns,
    /// The table's fields.
    pub(super) wanted: &'a [Wanted],
    /// Fields that get their values elsewhere or whose statistics must not be trusted.
    pub(super) untrusted: BTreeSet<i32>,
}

/// Row groups that lie in a byte range: each lies where its middle is, so that ranges without gap and overlap have each
/// of them once. `size` is that of the file.
pub(super) fn row_groups_in(footer: &ParquetMetaData, start: u64, length: u64, size: u64) -> Vec<usize> {
    let range = start..start.saturating_add(length);
    // Row groups are taken to be stored one after the other; where they are not, they are still told apart.
    let mut offset = 4_u64;
    let mut found = Vec::new();
    for (index, group) in footer.row_groups().iter().enumerate() {
        let stored = u64::try_from(group.compressed_size()).unwrap_or(0);
        let middle = offset.saturating_add(stored / 2).min(size.saturating_sub(1));
        if range.contains(&middle) {
            found.push(index);
        }
        offset = offset.saturating_add(stored);
    }
    found
}

impl Skipping<'_> {
    /// The top-level column of a field, its stored type being the table's, so that literals mean the same in it.
    fn column(&self, field_id: i32) -> Option<(usize, &str)> {
        if self.untrusted.contains(&field_id) {
            return None;
        }
        let position = self.columns.position(field_id)?;
        let stored = self.columns.stored(position)?;
        let wanted = self.wanted.iter().find(|wanted| wanted.field.id == field_id)?;
        let same = match (&wanted.data_type, stored.field.data_type()) {
            (DataType::Utf8View, DataType::Utf8) => true,
            (wanted, stored) => wanted == stored,
        };
        // Two columns of one name could not be told apart by name.
        let name = stored.field.name();
        let alone = self
            .columns
            .schema
            .fields()
            .iter()
            .filter(|field| field.name() == name)
            .count()
            == 1;
        (same && alone).then_some((stored.first_leaf, name.as_str()))
    }

    fn converter<'f>(
        &'f self,
        footer: &'f ParquetMetaData,
        field_id: i32,
    ) -> Option<StatisticsConverter<'f>> {
        let (leaf, name) = self.column(field_id)?;
        let converter =
            StatisticsConverter::try_new(name, &self.columns.schema, footer.file_metadata().schema_descr())
                .ok()?
                .with_missing_null_counts_as_zero(false);
        (converter.parquet_column_index() == Some(leaf)).then_some(converter)
    }

    /// Which row groups may hold a row of use.
    pub(super) fn row_groups(&self, footer: &ParquetMetaData) -> BooleanBuffer {
        let groups = footer.num_row_groups();
        let test = |field_id: i32, test: Test<'_>| {
            self.group_statistics(footer, field_id)?
                .may_fulfil(field_id, test)
        };
        may_match(
            self.predicate,
            &BooleanBuffer::new_set(groups),
            &BooleanBuffer::new_unset(groups),
            &test,
        )
    }

    fn group_statistics(&self, footer: &ParquetMetaData, field_id: i32) -> Option<ColumnStatistics> {
        let converter = self.converter(footer, field_id)?;
        let leaf = converter.parquet_column_index()?;
        // Statistics of old writers order text by signed bytes.
        let deprecated = footer.row_groups().iter().any(|group| {
            group
                .columns()
                .get(leaf)
                .and_then(|column| column.statistics())
                .is_some_and(|statistics| statistics.is_min_max_deprecated())
        });
        if deprecated {
            return None;
        }
        let nulls: UInt64Array = converter.row_group_null_counts(footer.row_groups()).ok()?;
        Some(ColumnStatistics {
            minimums: converter.row_group_mins(footer.row_groups()).ok()?,
            maximums: converter.row_group_maxes(footer.row_groups()).ok()?,
            nulls,
        })
    }

    /// Whether the file has an index of pages that says something about the predicate.
    pub(super) fn has_pages(&self, footer: &ParquetMetaData, group: usize) -> bool {
        let mut fields = BTreeSet::new();
        crate::row_filter::collect_fields(self.predicate, &mut fields);
        fields.into_iter().any(|field_id| {
            self.column(field_id).is_some_and(|(leaf, _)| {
                let chunk = footer
                    .row_groups()
                    .get(group)
                    .and_then(|group| group.columns().get(leaf));
                chunk.is_some_and(|chunk| {
                    chunk.column_index_offset().is_some() && chunk.offset_index_offset().is_some()
                })
            })
        })
    }

    /// The rows of a row group in pages that may hold a row of use. `footer` has the index of pages.
    pub(super) fn pages(&self, footer: &ParquetMetaData, group: usize) -> Option<RowSelection> {
        let rows = usize::try_from(footer.row_groups().get(group)?.num_rows()).ok()?;
        let all = RowSelection::from(vec![RowSelector::select(rows)]);
        let none = RowSelection::from(vec![RowSelector::skip(rows)]);
        let test = |field_id: i32, test: Test<'_>| {
            let (statistics, page_rows) = self.page_statistics(footer, group, field_id)?;
            let pages = statistics.may_fulfil(field_id, test)?;
            let selectors: Vec<RowSelector> = pages
                .iter()
                .zip(page_rows)
                .map(|(may, rows)| {
                    if may {
                        RowSelector::select(rows)
                    } else {
                        RowSelector::skip(rows)
                    }
                })
                .collect();
            let covered: usize = selectors.iter().map(|selector| selector.row_count).sum();
            (covered == rows).then(|| RowSelection::from(selectors))
        };
        Some(may_match(self.predicate, &all, &none, &test))
    }

    fn page_statistics(
        &self,
        footer: &ParquetMetaData,
        group: usize,
        field_id: i32,
    ) -> Option<(ColumnStatistics, Vec<usize>)> {
        let converter = self.converter(footer, field_id)?;
        let leaf = converter.parquet_column_index()?;
        let (column_index, offset_index) = (footer.column_index()?, footer.offset_index()?);
        // An index may be there for some columns only.
        column_index.get(group)?.get(leaf)?;
        let pages = offset_index.get(group)?.get(leaf)?.page_locations();
        let nulls = converter
            .data_page_null_counts(column_index, offset_index, &[group])
            .ok()?;
        let minimums = converter
            .data_page_mins(column_index, offset_index, &[group])
            .ok()?;
        let maximums = converter
            .data_page_maxes(column_index, offset_index, &[group])
            .ok()?;
        let of_each = [nulls.len(), minimums.len(), maximums.len()];
        if pages.is_empty() || of_each.iter().any(|count| *count != pages.len()) {
            return None;
        }
        let end = footer.row_groups().get(group)?.num_rows();
        let starts = pages.iter().map(|page| page.first_row_index);
        let ends = starts.clone().skip(1).chain([end]);
        let rows = starts
            .zip(ends)
            .map(|(start, end)| usize::try_from(end.checked_sub(start)?).ok())
            .collect::<Option<Vec<_>>>()?;
        let statistics = ColumnStatistics {
            minimums,
            maximums,
            nulls,
        };
        Some((statistics, rows))
    }

    /// Fields whose Bloom filters may show that a row group holds nothing of use, with the numbers of their leaves.
    pub(super) fn looked_up(&self, footer: &ParquetMetaData, group: usize) -> Vec<(i32, usize)> {
        let mut fields = BTreeSet::new();
        equalities(self.predicate, &mut fields);
        fields
            .into_iter()
            .filter_map(|field_id| {
                let (leaf, _) = self.column(field_id)?;
                let chunk = footer.row_groups().get(group)?.columns().get(leaf)?;
                chunk.bloom_filter_offset().map(|_| (field_id, leaf))
            })
            .collect()
    }

    /// Whether a row group with these Bloom filters may hold a row of use.
    pub(super) fn may_hold(&self, filters: &HashMap<i32, Sbbf>) -> bool {
        let test = |field_id: i32, test: Test<'_>| {
            let filter = filters.get(&field_id)?;
            let physical = self.columns.physical(self.column(field_id)?.0)?;
            match test {
                Test::Compare(Comparison::Eq, literal) => may_hold(filter, physical, literal),
                Test::In(values) if values.len() <= VALUES_TO_LOOK_UP => {
                    values.iter().try_fold(false, |found, value| {
                        Some(found || may_hold(filter, physical, value)?)
                    })
                }
                Test::Compare(..) | Test::In(_) | Test::IsNull => None,
            }
        };
        may_match(self.predicate, &true, &false, &test)
    }
}

fn equalities(predicate: &Predicate, fields: &mut BTreeSet<i32>) {
    match predicate {
        Predicate::Compare {
            comparison: Comparison::Eq | Comparison::NotEq,
            field,
            ..
        }
        | Predicate::In { field, .. } => {
            fields.insert(*field);
        }
        Predicate::Not(child) => equalities(child, fields),
        Predicate::And(children) | Predicate::Or(children) => {
            for child in children {
                equalities(child, fields);
            }
        }
        Predicate::Compare { .. }
        | Predicate::Constant(_)
        | Predicate::IsNull { .. }
        | Predicate::NotNull { .. } => {}
    }
}

/// Whether a column may hold a value; `None` where its bytes in the filter are not known.
fn may_hold(filter: &Sbbf, physical: PhysicalType, literal: &Literal) -> Option<bool> {
    match (literal, physical) {
        (Literal::Int(value) | Literal::Date(value), PhysicalType::INT32) => Some(filter.check(value)),
        (Literal::Long(value) | Literal::Time(value) | Literal::Timestamp(value), PhysicalType::INT64) => {
            Some(filter.check(value))
        }
        (Literal::String(value), PhysicalType::BYTE_ARRAY) => Some(filter.check(value.as_str())),
        _ => None,
    }
}

/// The rows of a row group that are not deleted; `None` when all are there. `first` is the position of its first row in
/// the file, `deleted` are positions in the whole file.
pub(crate) fn not_deleted(deleted: &RoaringTreemap, first: u64, rows: usize) -> Option<RowSelection> {
    let end = first.saturating_add(u64::try_from(rows).unwrap_or(u64::MAX));
    let mut positions = deleted.iter();
    positions.advance_to(first);
    let mut here = positions.take_while(|position| *position < end).peekable();
    here.peek()?;
    let mut selectors: Vec<RowSelector> = Vec::new();
    let mut next = 0;
    for position in here {
        let at = usize::try_from(position - first).unwrap_or(rows);
        match selectors.last_mut() {
            // Deleted rows often lie side by side.
            Some(last) if last.skip && at == next => last.row_count += 1,
            _ => {
                if at > next {
                    selectors.push(RowSelector::select(at - next));
                }
                selectors.push(RowSelector::skip(1));
            }
        }
        next = at + 1;
    }
    if rows > next {
        selectors.push(RowSelector::select(rows - next));
    }
    Some(RowSelection::from(selectors))
}
