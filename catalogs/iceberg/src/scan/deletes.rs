// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which deletes apply to which data files, by the rules of the table specification ("Scan Planning").

use std::collections::HashMap;
use std::sync::Arc;

use iceberg::spec::{DataContentType, DataFileFormat, Datum, Literal, PrimitiveLiteral, Struct, StructType};
use serde_json::value::{RawValue, to_raw_value};

use super::content_file::content_file;
use super::known::{fields_of, is_unpartitioned};
use super::value::ScanValue;
use crate::manifest::{Doubt, Entry, Read};

/// The column of position deletes that names the data file.
const DELETED_FILE: i32 = 2_147_483_546;

/// A file of deletes.
#[derive(Debug)]
struct DeleteFile {
    json: Box<RawValue>,
    sequence: i64,
}

/// Every delete file of a snapshot that a scan may need.
#[derive(Debug, Default)]
pub(super) struct Deletes {
    files: Vec<DeleteFile>,
    /// Deletion vectors, by the data file that each is of.
    vectors: HashMap<String, usize>,
    /// Position deletes that name one data file.
    of_path: HashMap<String, Vec<usize>>,
    /// Other position deletes, by partition.
    positions: HashMap<String, Vec<usize>>,
    /// Equality deletes, by partition.
    equality: HashMap<String, Vec<usize>>,
    /// Equality deletes of no partition, which apply everywhere.
    everywhere: Vec<usize>,
}

impl Deletes {
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// The file at a position, as the protocol tells of it.
    pub(super) fn json(&self, position: usize) -> Option<&RawValue> {
        self.files.get(position).map(|file| &*file.json)
    }

    /// Adds the living files of a manifest.
    ///
    /// # Errors
    /// For files that cannot be followed: two deletion vectors of one data file, no sequence number.
    pub(super) fn add(&mut self, read: &Read) -> Result<(), Doubt> {
        let is_unpartitioned = is_unpartitioned(&fields_of(&read.spec));
        for entry in read.entries.iter().filter(|entry| entry.is_alive()) {
            let position = self.files.len();
            let file = &entry.file;
            let json = to_raw_value(&content_file(entry)?)
                .map_err(|error| Doubt::of(format!("`{}` cannot be told of: {error}", file.file_path())))?;
            self.files.push(DeleteFile {
                json,
                sequence: sequence(entry)?,
            });
            match file.content_type() {
                DataContentType::EqualityDeletes if is_unpartitioned => self.everywhere.push(position),
                DataContentType::EqualityDeletes => {
                    self.equality
                        .entry(partition_key(entry)?)
                        .or_default()
                        .push(position);
                }
                DataContentType::PositionDeletes if file.file_format() == DataFileFormat::Puffin => {
                    let path = file.referenced_data_file();
                    let path = path.ok_or_else(|| {
                        Doubt::of(format!(
                            "a deletion vector in `{}` names no data file",
                            file.file_path()
                        ))
                    })?;
                    if let Some(_other) = self.vectors.insert(path.clone(), position) {
                        return Err(Doubt::of(format!("`{path}` has two deletion vectors")));
                    }
                }
                DataContentType::PositionDeletes => match named_path(entry) {
                    Some(path) => self.of_path.entry(path).or_default().push(position),
                    None => self
                        .positions
                        .entry(partition_key(entry)?)
                        .or_default()
                        .push(position),
                },
                DataContentType::Data => {
                    return Err(Doubt::of(format!("`{}` is no file of deletes", file.file_path())));
                }
            }
        }
        Ok(())
    }

    /// The positions of the files that apply to a data file, in ascending order.
    ///
    /// # Errors
    /// For a data file without sequence number.
    pub(super) fn of(&self, entry: &Entry) -> Result<Vec<usize>, Doubt> {
        if self.files.is_empty() {
            return Ok(Vec::new());
        }
        let data = sequence(entry)?;
        let path = entry.file.file_path();
        let partition = partition_key(entry)?;
        // Rows that were added together with equality deletes are not deleted by them; positions are.
        let is_younger =
            |position: &usize, than: i64| self.files.get(*position).is_some_and(|file| file.sequence > than);
        let before = data.saturating_sub(1);
        let mut found: Vec<usize> = self
            .everywhere
            .iter()
            .chain(self.equality.get(&partition).into_iter().flatten())
            .filter(|position| is_younger(position, data))
            .copied()
            .collect();
        match self
            .vectors
            .get(path)
            .filter(|position| is_younger(position, before))
        {
            // It holds what older position deletes say.
            Some(vector) => found.push(*vector),
            None => found.extend(
                self.of_path
                    .get(path)
                    .into_iter()
                    .chain(self.positions.get(&partition))
                    .flatten()
                    .filter(|position| is_younger(position, before)),
            ),
        }
        found.sort_unstable();
        Ok(found)
    }
}

fn sequence(entry: &Entry) -> Result<i64, Doubt> {
    entry
        .sequence
        .ok_or_else(|| Doubt::of(format!("`{}` has no sequence number", entry.file.file_path())))
}

/// The one data file that position deletes are of, where they say so.
fn named_path(entry: &Entry) -> Option<String> {
    let text = |datum: &Datum| {
        let PrimitiveLiteral::String(text) = datum.literal() else {
            return None;
        };
        Some(text.clone())
    };
    let file = &entry.file;
    file.referenced_data_file().or_else(|| {
        let least = file.lower_bounds().get(&DELETED_FILE).and_then(text)?;
        let greatest = file.upper_bounds().get(&DELETED_FILE).and_then(text)?;
        (least == greatest).then_some(least)
    })
}

/// A text that two files have in common just when they lie in the same partition of the same spec, whichever width their
/// values were written in.
fn partition_key(entry: &Entry) -> Result<String, Doubt> {
    let of: &Arc<StructType> = &entry.partition_type;
    let values: &Struct = entry.file.partition();
    let value = |(value, field): (Option<&Literal>, &iceberg::spec::NestedFieldRef)| match value {
        None => Ok("null".to_owned()),
        Some(Literal::Primitive(literal)) => {
            let of = field.field_type.as_primitive_type();
            let value = of.and_then(|of| ScanValue::new(literal, of));
            // NaN is a partition too.
            Ok(value.map_or_else(|| "no value".to_owned(), |value| format!("{value:?}")))
        }
        Some(_) => Err(Doubt::of(format!(
            "the partition of `{}` is not one of its spec",
            entry.file.file_path()
        ))),
    };
    let values: Vec<String> = values
        .iter()
        .zip(of.fields())
        .map(value)
        .collect::<Result<_, _>>()?;
    Ok(format!("{} {values:?}", entry.spec))
}
