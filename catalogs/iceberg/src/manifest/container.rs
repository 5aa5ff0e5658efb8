// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Avro files as everybody reads them, before the library reads them.
//!
//! The library finds fields by their names, other readers by their ids: a file in which the two contradict each other is
//! one file here and another one there. And a small file may unpack to more than there is memory.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::DeflateDecoder;
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;

use super::writer_schema;

/// How many bytes may be unpacked for one request.
const MAX_UNPACKED_BYTES: u64 = 512 * 1024 * 1024;
/// How many records may be read for one request.
const MAX_RECORDS: u64 = 1_000_000;
/// How many bytes the library may make room for at once, for a block, a text or, counted as one byte each, the items of a list.
const MAX_ALLOCATION: usize = 16 * 1024 * 1024;

/// Names and ids of the fields of a manifest's entry.
const ENTRY: &[(&str, i64)] = &[
    ("status", 0),
    ("snapshot_id", 1),
    ("data_file", 2),
    ("sequence_number", 3),
    ("file_sequence_number", 4),
];
/// Those of the file of an entry.
const FILE: &[(&str, i64)] = &[
    ("content", 134),
    ("file_path", 100),
    ("file_format", 101),
    ("partition", 102),
    ("record_count", 103),
    ("file_size_in_bytes", 104),
    ("block_size_in_bytes", 105),
    ("column_sizes", 108),
    ("value_counts", 109),
    ("null_value_counts", 110),
    ("nan_value_counts", 137),
    ("lower_bounds", 125),
    ("upper_bounds", 128),
    ("key_metadata", 131),
    ("split_offsets", 132),
    ("equality_ids", 135),
    ("sort_order_id", 140),
    ("first_row_id", 142),
    ("referenced_data_file", 143),
    ("content_offset", 144),
    ("content_size_in_bytes", 145),
];
/// Those of a manifest in a list. Numbers of files had other names once.
const LISTED: &[(&str, i64)] = &[
    ("manifest_path", 500),
    ("manifest_length", 501),
    ("partition_spec_id", 502),
    ("added_snapshot_id", 503),
    ("added_files_count", 504),
    ("added_data_files_count", 504),
    ("existing_files_count", 505),
    ("existing_data_files_count", 505),
    ("deleted_files_count", 506),
    ("deleted_data_files_count", 506),
    ("partitions", 507),
    ("added_rows_count", 512),
    ("existing_rows_count", 513),
    ("deleted_rows_count", 514),
    ("sequence_number", 515),
    ("min_sequence_number", 516),
    ("content", 517),
    ("key_metadata", 519),
    ("first_row_id", 520),
];

/// What may still be unpacked for a request.
#[derive(Debug)]
pub(crate) struct Room {
    bytes: AtomicU64,
    records: AtomicU64,
    /// Given back when the last work of the request has ended, which may go on when nobody waits for the answer any more.
    _turn: Option<OwnedSemaphorePermit>,
}

impl Room {
    pub(crate) const fn new() -> Self {
        Self {
            bytes: AtomicU64::new(MAX_UNPACKED_BYTES),
            records: AtomicU64::new(MAX_RECORDS),
            _turn: None,
        }
    }

    /// The room of a scan, which had to wait for its turn.
    pub(crate) fn for_scan(turn: OwnedSemaphorePermit) -> Self {
        Self {
            _turn: Some(turn),
            ..Self::new()
        }
    }

    fn take(of: &AtomicU64, wanted: u64) -> Result<(), String> {
        of.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(wanted)
        })
        .map(drop)
        .map_err(|_| "there is more in it than is read for one request".to_owned())
    }
}

/// An Avro file: what its head says, and its blocks.
pub(super) struct Container<'a> {
    schema: Value,
    codec: String,
    rest: &'a [u8],
    sync: &'a [u8],
}

impl<'a> Container<'a> {
    /// Reads the head, and looks whether the library may be given the schema.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn open(content: &'a [u8]) -> Result<Self, String> {
        let mut rest = content.strip_prefix(b"Obj\x01").ok_or("it is no Avro file")?;
        let mut head: HashMap<&[u8], &[u8]> = HashMap::new();
        loop {
            let count = match long(&mut rest)? {
                0 => break,
                // A negative count is followed by the size of the block.
                count if count < 0 => {
                    long(&mut rest)?;
                    count.unsigned_abs()
                }
                count => count.unsigned_abs(),
            };
            for _ in 0..count {
                let (key, value) = (bytes(&mut rest)?, bytes(&mut rest)?);
                if head.insert(key, value).is_some() {
                    return Err("its head says something twice".to_owned());
                }
            }
        }
        let sync = part(&mut rest, 16)?;
        let schema = head.get(&b"avro.schema"[..]).ok_or("it has no schema")?;
        let schema: Value =
            serde_json::from_slice(schema).map_err(|error| format!("its schema is no JSON: {error}"))?;
        writer_schema::check(&schema)?;
        // The first call counts, and nothing gets to the library without having been here.
        apache_avro::util::max_allocation_bytes(MAX_ALLOCATION);
        let codec = head.get(&b"avro.codec"[..]).copied().unwrap_or(b"null");
        let codec = String::from_utf8_lossy(codec).into_owned();
        Ok(Self {
            schema,
            codec,
            rest,
            sync,
        })
    }

    /// Checks that fields of a manifest have the ids of their names.
    ///
    /// # Errors
    /// What contradicts what.
    pub(super) fn check_manifest(&self, spec: &Value) -> Result<(), String> {
        check_fields(&self.schema, |name, id, _| agrees(ENTRY, name, id))?;
        let file = type_of(&self.schema, "data_file");
        check_fields(file, |name, id, _| agrees(FILE, name, id))?;
        let partition = type_of(file, "partition");
        check_fields(partition, |name, id, field| {
            let called = |by: &str| field.get("iceberg-field-name").and_then(Value::as_str) == Some(by);
            let known = spec
                .as_array()
                .into_iter()
                .flatten()
                .find(|known| known.get("field-id") == Some(&id.into()));
            let known = known.and_then(|known| known.get("name")).and_then(Value::as_str);
            known.is_some_and(|known| known == name || called(known))
        })
    }

    /// The same for a list of manifests.
    ///
    /// # Errors
    /// What contradicts what.
    pub(super) fn check_list(&self) -> Result<(), String> {
        check_fields(&self.schema, |name, id, _| agrees(LISTED, name, id))
    }

    /// Looks how much there is in it, and takes it from what is left.
    ///
    /// # Errors
    /// When that is too much, or the file is damaged.
    pub(super) fn take(&self, room: &Room) -> Result<(), String> {
        let mut rest = self.rest;
        while !rest.is_empty() {
            let records =
                u64::try_from(long(&mut rest)?).map_err(|_| "it has a negative number of records")?;
            let block = bytes(&mut rest)?;
            if part(&mut rest, 16)? != self.sync {
                return Err("its blocks are damaged".to_owned());
            }
            Room::take(&room.records, records)?;
            let unpacked = match self.codec.as_str() {
                "null" => u64::try_from(block.len()).unwrap_or(u64::MAX),
                "snappy" => varint(&mut &*block)?,
                "deflate" => {
                    let most = room.bytes.load(Ordering::Relaxed).saturating_add(1);
                    io::copy(&mut DeflateDecoder::new(block).take(most), &mut io::sink())
                        .map_err(|error| format!("it cannot be unpacked: {error}"))?
                }
                other => {
                    return Err(format!(
                        "it is packed with `{other}`; pack it with `deflate` or `snappy`"
                    ));
                }
            };
            Room::take(&room.bytes, unpacked)?;
        }
        Ok(())
    }
}

fn agrees(known: &[(&str, i64)], name: &str, id: i64) -> bool {
    let is_known = known.iter().any(|known| known.0 == name || known.1 == id);
    !is_known || known.contains(&(name, id))
}

/// Looks at the fields of a record, whose names and ids are all different.
fn check_fields(record: &Value, is_right: impl Fn(&str, i64, &Value) -> bool) -> Result<(), String> {
    let fields = record.get("fields").and_then(Value::as_array);
    let fields = fields.ok_or("its schema is not that of a manifest or of a list of them")?;
    let (mut names, mut ids) = (BTreeSet::new(), BTreeSet::new());
    for field in fields {
        let name = field.get("name").and_then(Value::as_str).unwrap_or_default();
        let id = field.get("field-id").and_then(Value::as_i64);
        let id = id.ok_or_else(|| format!("its field `{name}` has no id"))?;
        if !names.insert(name)
            || !ids.insert(id)
            || field.get("aliases").is_some()
            || !is_right(name, id, field)
        {
            return Err(format!(
                "its field `{name}` has the id {id}, which is that of another"
            ));
        }
    }
    Ok(())
}

/// The type of a field of a record; null where there is none.
fn type_of<'v>(record: &'v Value, name: &str) -> &'v Value {
    let fields = record.get("fields").and_then(Value::as_array);
    let field = fields
        .into_iter()
        .flatten()
        .find(|field| field.get("name").and_then(Value::as_str) == Some(name));
    field.and_then(|field| field.get("type")).unwrap_or(&Value::Null)
}

fn part<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8], String> {
    let (part, after) = rest.split_at_checked(length).ok_or("it ends too early")?;
    *rest = after;
    Ok(part)
}

fn bytes<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], String> {
    let length = usize::try_from(long(rest)?).map_err(|_| "a length in it is negative")?;
    part(rest, length)
}

/// A whole number as Avro writes it.
fn long(rest: &mut &[u8]) -> Result<i64, String> {
    let number = varint(rest)?;
    let half = i64::try_from(number >> 1).map_err(|_| "a number in it is too large")?;
    Ok(if number & 1 == 0 { half } else { !half })
}

fn varint(rest: &mut &[u8]) -> Result<u64, String> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = part(rest, 1)?.first().copied().unwrap_or_default();
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err("a number in it is too long".to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;

    /// A file with a schema, a codec and blocks of records.
    fn file(schema: &str, codec: &str, blocks: &[(i8, &[u8])]) -> Vec<u8> {
        let mut file = b"Obj\x01\x04".to_vec();
        for text in ["avro.schema", schema, "avro.codec", codec] {
            put(&mut file, text.as_bytes());
        }
        file.push(0);
        file.extend([7; 16]);
        for (records, block) in blocks {
            file.push(records.unsigned_abs() * 2);
            put(&mut file, block);
            file.extend([7; 16]);
        }
        file
    }

    fn put(file: &mut Vec<u8>, bytes: &[u8]) {
        let mut length = bytes.len() * 2;
        while length > 0x7f {
            file.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
            length >>= 7;
        }
        file.push(u8::try_from(length).unwrap());
        file.extend(bytes);
    }

    fn take(file: &[u8], bytes: u64, records: u64) -> Result<(), String> {
        let room = Room {
            bytes: AtomicU64::new(bytes),
            records: AtomicU64::new(records),
            _turn: None,
        };
        Container::open(file)?.take(&room)
    }

    #[test]
    fn what_unpacks_to_too_much_is_not_unpacked() {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&[0; 100_000]).unwrap();
        let packed = packed.finish().unwrap();
        assert!(packed.len() < 1000);
        let deflated = file("\"null\"", "deflate", &[(3, &packed), (2, &packed)]);
        assert_eq!(take(&deflated, 200_000, 5), Ok(()));
        assert!(take(&deflated, 199_999, 5).is_err());
        assert!(take(&deflated, 99_999, 5).is_err());
        assert!(take(&deflated, 200_000, 4).is_err());
        let snapped = file("\"null\"", "snappy", &[(1, &[0xa0, 0x8d, 0x06, 0, 0, 0, 0])]);
        assert_eq!(take(&snapped, 100_000, 1), Ok(()));
        assert!(take(&snapped, 99_999, 1).is_err());
        assert!(take(&file("\"null\"", "zstandard", &[(1, b"x")]), 9, 9).is_err());
        assert_eq!(take(&file("\"null\"", "null", &[]), 0, 0), Ok(()));
    }

    #[test]
    fn what_is_cut_or_changed_is_an_error_and_no_panic() {
        let whole = file("\"null\"", "null", &[(1, b"abc")]);
        for length in 0..whole.len() {
            let part = whole.get(..length).unwrap();
            let is_before_the_block = length == whole.len() - 21;
            assert_eq!(take(part, 9, 9).is_ok(), is_before_the_block, "{length}");
        }
        let mut changed = whole;
        *changed.last_mut().unwrap() = 0;
        assert!(take(&changed, 9, 9).is_err());
        assert!(take(&[b"Obj\x01".as_slice(), &[0xff; 30]].concat(), 9, 9).is_err());
    }

    #[test]
    fn a_list_of_nothing_is_refused_before_the_library_makes_room_for_it() {
        let schema = r#"{"type":"record","name":"m","fields":[
            {"name":"a","field-id":1,"type":{"type":"array","items":"null"}}]}"#;
        // 500,000,000 items, and no more.
        let items = [0x80, 0x94, 0xeb, 0xdc, 0x03, 0];
        let refused = Container::open(&file(schema, "null", &[(1, &items)])).err();
        assert!(refused.is_some_and(|flaw| flaw.contains("nothing in them")));
        Container::open(&file("\"null\"", "null", &[])).unwrap();
        assert_eq!(
            apache_avro::util::max_allocation_bytes(MAX_ALLOCATION),
            MAX_ALLOCATION
        );
    }

    #[test]
    fn names_and_ids_of_fields_agree() {
        let check = |fields: &str, is_right: bool| {
            let schema = format!("{{\"type\":\"record\",\"name\":\"m\",\"fields\":[{fields}]}}");
            let file = file(&schema, "null", &[]);
            let checked = Container::open(&file).unwrap().check_list();
            assert_eq!(checked.is_ok(), is_right, "{fields}: {checked:?}");
        };
        let field =
            |name: &str, id: i64| format!("{{\"name\":\"{name}\",\"type\":\"long\",\"field-id\":{id}}}");
        let path = field("manifest_path", 500);
        check(&path, true);
        check(&format!("{path},{}", field("added_data_files_count", 504)), true);
        check(&format!("{path},{}", field("of_a_later_version", 9)), true);
        check(&format!("{path},{}", field("manifest_path", 500)), false);
        check(&format!("{path},{}", field("other_path", 500)), false);
        check(&field("other_path", 500), false);
        check(&field("manifest_path", 501), false);
        check("{\"name\":\"manifest_path\",\"type\":\"string\"}", false);
    }
}
