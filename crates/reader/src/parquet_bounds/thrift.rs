// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Walking the compact encoding of Thrift, in which Parquet's metadata is written, without allocating anything.
//!
//! The Parquet library reads a field by its number and trusts that it has the type of that number; a length it trusts
//! too. Here a field of another type is refused, and a length that the rest of the bytes cannot hold.

use super::Problem;

/// Structures within each other.
const MOST_DEPTH: usize = 32;
/// Bytes of the longest number.
const LONGEST_NUMBER: u32 = 10;

/// How a value is written.
#[derive(Debug)]
pub(super) enum Kind {
    /// One byte in lists, none in structures.
    Bool,
    /// One byte.
    Byte,
    /// A number of this many bits.
    Int(u32),
    /// Eight bytes.
    Double,
    /// Length and bytes.
    Binary,
    /// Fields.
    Struct(&'static Shape),
    /// Number and elements.
    List(&'static Kind),
    /// What this reader cannot use.
    Refused(&'static str),
}

/// A structure of the format.
#[derive(Debug)]
pub(super) struct Shape {
    /// Its name in the format.
    pub(super) name: &'static str,
    /// What one takes in the library's memory, in bytes, without what it points to; rounded up.
    pub(super) bytes: u64,
    /// Its fields by their numbers.
    pub(super) fields: &'static [(i16, Kind)],
}

impl Shape {
    fn field(&self, id: i16) -> Option<&'static Kind> {
        self.fields
            .iter()
            .find_map(|(known, kind)| (*known == id).then_some(kind))
    }
}

/// Types on the wire.
const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const INTS: [(u8, u32); 3] = [(4, 16), (5, 32), (6, 64)];
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

impl Kind {
    fn is_written_as(&self, wire: u8) -> bool {
        match self {
            Self::Bool => matches!(wire, TRUE | FALSE),
            Self::Byte => wire == BYTE,
            Self::Int(bits) => INTS.contains(&(wire, *bits)),
            Self::Double => wire == DOUBLE,
            Self::Binary => wire == BINARY,
            Self::Struct(_) => wire == STRUCT,
            Self::List(_) => wire == LIST,
            Self::Refused(_) => true,
        }
    }

    /// What an element of a list takes in memory, in bytes.
    fn bytes(&self) -> u64 {
        match self {
            Self::Bool | Self::Byte => 1,
            Self::Int(_) | Self::Double => 8,
            Self::Binary | Self::List(_) => 32,
            Self::Struct(shape) => shape.bytes,
            Self::Refused(_) => 0,
        }
    }
}

/// Who wants to know what is walked by.
pub(super) trait Watch {
    /// A number in a field of a structure; 1 for true, 0 for false.
    ///
    /// # Errors
    /// What is wrong with it.
    fn number(&mut self, shape: &'static str, field: i16, value: i64) -> Result<(), Problem>;

    /// Bytes in a field of a structure.
    ///
    /// # Errors
    /// What is wrong with them.
    fn bytes(&mut self, shape: &'static str, field: i16, length: u64) -> Result<(), Problem>;

    /// The end of a structure.
    ///
    /// # Errors
    /// What is wrong with it.
    fn end(&mut self, shape: &'static str) -> Result<(), Problem>;
}

/// A walk through bytes.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    rest: &'a [u8],
    depth: usize,
    decoded: u64,
    most_decoded: u64,
}

impl<'a> Walk<'a> {
    /// Begins; what is walked by takes no more than `most_decoded` bytes in memory.
    pub(super) fn new(bytes: &'a [u8], most_decoded: u64) -> Self {
        Self {
            rest: bytes,
            depth: 0,
            decoded: 0,
            most_decoded,
        }
    }

    /// What is not walked yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// An upper bound of the memory, in bytes, for what was walked by.
    pub(super) fn decoded(&self) -> u64 {
        self.decoded
    }

    fn byte(&mut self) -> Result<u8, Problem> {
        let (byte, rest) = self
            .rest
            .split_first()
            .ok_or_else(|| "its metadata is cut off".to_owned())?;
        self.rest = rest;
        Ok(*byte)
    }

    fn pass(&mut self, length: u64) -> Result<(), Problem> {
        let rest = usize::try_from(length)
            .ok()
            .and_then(|length| self.rest.get(length..));
        self.rest = rest
            .ok_or_else(|| "its metadata claims something longer than the bytes that are left".to_owned())?;
        Ok(())
    }

    fn unsigned(&mut self) -> Result<u64, Problem> {
        let mut number = 0_u64;
        for at in 0..LONGEST_NUMBER {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F).wrapping_shl(7 * at);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("its metadata has a number without an end".to_owned())
    }

    fn signed(&mut self, bits: u32) -> Result<i64, Problem> {
        let raw = self.unsigned()?;
        let half = i64::try_from(raw >> 1).map_err(|_| "its metadata has a number too large".to_owned())?;
        let number = if raw & 1 == 0 { half } else { -half - 1 };
        let most = i64::MAX >> (64 - bits);
        if (-most - 1..=most).contains(&number) {
            return Ok(number);
        }
        Err(format!("its metadata has a number too large for {bits} bits"))
    }

    fn take(&mut self, bytes: u64) -> Result<(), Problem> {
        self.decoded = self.decoded.saturating_add(bytes);
        if self.decoded <= self.most_decoded {
            return Ok(());
        }
        Err(format!(
            "its metadata takes more than {} MiB of memory",
            self.most_decoded / (1024 * 1024)
        ))
    }

    fn deeper(&mut self) -> Result<(), Problem> {
        self.depth += 1;
        if self.depth <= MOST_DEPTH {
            return Ok(());
        }
        Err(format!(
            "its metadata has more than {MOST_DEPTH} structures within each other"
        ))
    }

    /// Number and wire type of the elements of a list.
    fn list(&mut self) -> Result<(u64, u8), Problem> {
        let header = self.byte()?;
        let count = match header >> 4 {
            15 => self.unsigned()?,
            short => u64::from(short),
        };
        // Every element has a byte at least.
        if usize::try_from(count).is_ok_and(|count| count <= self.rest.len()) {
            return Ok((count, header & 0x0F));
        }
        Err("its metadata claims a list longer than the bytes that are left".to_owned())
    }

    /// The next field of a structure: number and wire type.
    fn field(&mut self, last: i16) -> Result<Option<(i16, u8)>, Problem> {
        let header = self.byte()?;
        let wire = header & 0x0F;
        if wire == STOP {
            return Ok(None);
        }
        let id = match header >> 4 {
            0 => i16::try_from(self.signed(16)?).ok(),
            delta => last.checked_add(i16::from(delta)),
        };
        let id = id.ok_or_else(|| "its metadata has a field number too large".to_owned())?;
        Ok(Some((id, wire)))
    }

    /// Walks by a structure.
    ///
    /// # Errors
    /// What the structure has that cannot be, or that is too large.
    pub(super) fn structure(&mut self, shape: &'static Shape, watch: &mut dyn Watch) -> Result<(), Problem> {
        self.deeper()?;
        let mut last = 0;
        while let Some((id, wire)) = self.field(last)? {
            last = id;
            let Some(kind) = shape.field(id) else {
                self.unknown(wire)?;
                continue;
            };
            if let Kind::Refused(problem) = kind {
                return Err((*problem).to_owned());
            }
            if !kind.is_written_as(wire) {
                return Err(format!(
                    "its metadata writes field {id} of `{}` with another type than the format says",
                    shape.name
                ));
            }
            match kind {
                // In the header.
                Kind::Bool => watch.number(shape.name, id, i64::from(wire == TRUE))?,
                Kind::Int(bits) => {
                    let number = self.signed(*bits)?;
                    watch.number(shape.name, id, number)?;
                }
                Kind::Binary => {
                    let length = self.binary()?;
                    watch.bytes(shape.name, id, length)?;
                }
                Kind::Byte | Kind::Double | Kind::Struct(_) | Kind::List(_) | Kind::Refused(_) => {
                    self.value(kind, watch)?;
                }
            }
        }
        self.depth -= 1;
        watch.end(shape.name)
    }

    fn binary(&mut self) -> Result<u64, Problem> {
        let length = self.unsigned()?;
        self.pass(length)?;
        self.take(length)?;
        Ok(length)
    }

    /// A value outside of a structure's own fields.
    fn value(&mut self, kind: &'static Kind, watch: &mut dyn Watch) -> Result<(), Problem> {
        match kind {
            Kind::Bool | Kind::Byte => self.byte().map(drop),
            Kind::Int(bits) => self.signed(*bits).map(drop),
            Kind::Double => self.pass(8),
            Kind::Binary => self.binary().map(drop),
            Kind::Struct(shape) => self.structure(shape, watch),
            Kind::List(element) => {
                let (count, wire) = self.list()?;
                if count > 0 && !element.is_written_as(wire) {
                    return Err("its metadata has a list of another type than the format says".to_owned());
                }
                self.take(count.saturating_mul(element.bytes()))?;
                for _ in 0..count {
                    self.value(element, watch)?;
                }
                Ok(())
            }
            Kind::Refused(problem) => Err((*problem).to_owned()),
        }
    }

    /// A value of a field that is not known, which the library skips.
    fn unknown(&mut self, wire: u8) -> Result<(), Problem> {
        match wire {
            TRUE | FALSE => Ok(()),
            BYTE => self.byte().map(drop),
            4..=6 => self.unsigned().map(drop),
            DOUBLE => self.pass(8),
            BINARY => {
                let length = self.unsigned()?;
                self.pass(length)
            }
            LIST => {
                self.deeper()?;
                let (count, wire) = self.list()?;
                if count > 0 && matches!(wire, TRUE | FALSE) {
                    // The library skips as many without passing over a byte.
                    return Err("its metadata has an unknown list that cannot be skipped".to_owned());
                }
                for _ in 0..count {
                    self.unknown(wire)?;
                }
                self.depth -= 1;
                Ok(())
            }
            STRUCT => {
                self.deeper()?;
                let mut last = 0;
                while let Some((id, wire)) = self.field(last)? {
                    last = id;
                    self.unknown(wire)?;
                }
                self.depth -= 1;
                Ok(())
            }
            _ => Err("its metadata has a field of a type that the format does not use".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Shape, Walk, Watch};

    static INNER: Shape = Shape {
        name: "Inner",
        bytes: 100,
        fields: &[(1, Kind::Int(32)), (2, Kind::Struct(&INNER))],
    };
    static OUTER: Shape = Shape {
        name: "Outer",
        bytes: 100,
        fields: &[
            (1, Kind::Int(32)),
            (2, Kind::List(&Kind::Struct(&INNER))),
            (3, Kind::Binary),
            (4, Kind::List(&Kind::Bool)),
            (5, Kind::Refused("no")),
        ],
    };

    #[derive(Default)]
    struct Seen(Vec<(i16, i64)>);

    impl Watch for Seen {
        fn number(&mut self, _: &'static str, field: i16, value: i64) -> Result<(), String> {
            self.0.push((field, value));
            Ok(())
        }

        fn bytes(&mut self, _: &'static str, field: i16, length: u64) -> Result<(), String> {
            self.0.push((field, i64::try_from(length).unwrap()));
            Ok(())
        }

        fn end(&mut self, _: &'static str) -> Result<(), String> {
            Ok(())
        }
    }

    fn walk(bytes: &[u8]) -> Result<(Vec<(i16, i64)>, u64), String> {
        let mut seen = Seen::default();
        let mut walk = Walk::new(bytes, 1000);
        walk.structure(&OUTER, &mut seen)?;
        assert!(walk.rest().is_empty());
        Ok((seen.0, walk.decoded()))
    }

    #[test]
    fn what_the_format_says_is_walked_by() {
        // 1: -2, 2: two structures with 1: 5 each, 3: "ab", 4: [true, false], 9: unknown text.
        let bytes = [
            0x15, 3, 0x19, 0x2C, 0x15, 10, 0, 0x15, 10, 0, 0x18, 2, b'a', b'b', 0x19, 0x21, 1, 2, 0x58, 1,
            b'x', 0,
        ];
        assert_eq!(
            walk(&bytes).unwrap(),
            (vec![(1, -2), (1, 5), (1, 5), (3, 2)], 204)
        );
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let deep: Vec<u8> = [0x19, 0x1C].into_iter().chain([0x2C; 40]).collect();
        let many: Vec<u8> = [0x29, 0xBC].into_iter().chain([0; 11]).chain([0]).collect();
        for (bytes, problem) in [
            (vec![0x15], "cut off"),
            (vec![0x15, 0x80], "cut off"),
            (vec![0x15; 1], "cut off"),
            ([0x15].into_iter().chain([0x80; 11]).collect(), "without an end"),
            (
                vec![0x15, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0],
                "too large for 32 bits",
            ),
            (vec![0x18, 2, b'a', b'b', 0], "another type"),
            (
                vec![0x38, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0],
                "longer than the bytes",
            ),
            (vec![0x29, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0], "list longer"),
            (vec![0x29, 0x15, 0, 0], "list of another type"),
            (many, "MiB of memory"),
            (
                [0x29, 0x1C].into_iter().chain([0x2C; 40]).collect(),
                "within each other",
            ),
            (deep, "another type"),
            (vec![0x95 & 0x0F | 0x90, 0x80], "cut off"),
            (vec![0x99, 0x21, 1, 1, 0], "cannot be skipped"),
            (vec![0x9B, 0, 0], "does not use"),
            (vec![0x55, 0, 0], "no"),
            (
                [0x9C].into_iter().chain([0x1C; 40]).collect(),
                "within each other",
            ),
        ] {
            let told = walk(&bytes).unwrap_err();
            assert!(told.contains(problem), "{bytes:02X?}: {told}");
        }
    }
}
