// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Pages that would become larger than they say.
//!
//! The Parquet library gives most codecs a buffer of the size that the page says, and no more. Of gzip, Brotli and the
//! old LZ4 it takes all that comes and compares afterwards, so that a page of a megabyte can fill the memory before it
//! is refused. Those are uncompressed here first where they could become that large, without keeping anything.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use parquet::basic::Compression;

use super::{MOST_PAGE_BYTES, Problem};

/// How many times its size a block of LZ4 can have at most.
const LZ4: u64 = 255;
/// As much for gzip.
const GZIP: u64 = 1032;

/// Checks that `compressed` becomes no more than `uncompressed` bytes, or so few that it does not matter.
///
/// # Errors
/// What would become larger.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the other codecs fill a buffer of the size that the page says"
)]
pub(super) fn check(codec: Compression, compressed: &[u8], uncompressed: u64) -> Result<(), Problem> {
    let length = u64::try_from(compressed.len()).unwrap_or(u64::MAX);
    match codec {
        Compression::GZIP(_) if length.saturating_mul(GZIP) > MOST_PAGE_BYTES => {
            counted(MultiGzDecoder::new(compressed), uncompressed)
        }
        Compression::BROTLI(_) => counted(brotli::Decompressor::new(compressed, BUFFER), uncompressed),
        Compression::LZ4 if length.saturating_mul(LZ4) > MOST_PAGE_BYTES => Err(format!(
            "it has a page of {length} bytes in the old LZ4, and {} are the most; write it with another codec",
            MOST_PAGE_BYTES / LZ4
        )),
        _ => Ok(()),
    }
}

/// Bytes at a time.
const BUFFER: usize = 16 * 1024;

fn counted(mut decoder: impl Read, most: u64) -> Result<(), Problem> {
    let mut buffer = vec![0; BUFFER];
    let mut count = 0_u64;
    loop {
        let read = decoder
            .read(&mut buffer)
            .map_err(|_| "it has a page that cannot be uncompressed".to_owned())?;
        if read == 0 {
            return Ok(());
        }
        count = count.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        if count > most {
            return Err("it has a page that becomes larger than it says".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::GzEncoder;
    use parquet::basic::{BrotliLevel, Compression, GzipLevel};

    use super::{LZ4, MOST_PAGE_BYTES, check};

    #[test]
    fn pages_that_lie_about_their_size_are_refused() {
        let gzip = |bytes: usize| {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::none());
            encoder.write_all(&vec![7; bytes]).unwrap();
            encoder.finish().unwrap()
        };
        let codec = Compression::GZIP(GzipLevel::default());
        let page = gzip(1 << 20);
        assert!(check(codec, &page, 1 << 20).is_ok());
        assert!(check(codec, &page, (1 << 20) - 1).unwrap_err().contains("larger"));
        // Members after each other are one page.
        let twice = [page.clone(), page].concat();
        assert!(check(codec, &twice, 1 << 20).is_err());
        // What is small cannot become too large.
        assert!(check(codec, &gzip(1000), 1).is_ok());

        let codec = Compression::BROTLI(BrotliLevel::default());
        let mut page = Vec::new();
        brotli::CompressorWriter::new(&mut page, 4096, 5, 22)
            .write_all(&vec![7; 1 << 20])
            .unwrap();
        assert!(page.len() < 1000);
        assert!(check(codec, &page, 1 << 20).is_ok());
        assert!(check(codec, &page, 1 << 10).unwrap_err().contains("larger"));

        let length = usize::try_from(MOST_PAGE_BYTES / LZ4).unwrap();
        assert!(check(Compression::LZ4, &vec![0; length], 1).is_ok());
        assert!(check(Compression::LZ4, &vec![0; length + 1], 1).is_err());
    }
}
