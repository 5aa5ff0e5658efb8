// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The fuzz targets of the folder `fuzz/` without a fuzzer: on what they begin with, on what once broke them, and on a fixed
//! sequence of changed inputs. They stand here since this crate sees all that they call.

#![expect(
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a target says by a panic what does not hold"
)]

#[path = "../../../fuzz/src/seeds.rs"]
#[expect(unreachable_pub, reason = "the fuzzer's own crate offers it to its targets")]
mod seeds;
#[path = "../../../fuzz/src/targets.rs"]
#[expect(unreachable_pub, reason = "the fuzzer's own crate offers it to its targets")]
mod targets;

use std::path::PathBuf;

use targets::{TARGETS, Target};

/// Changed inputs per target.
const CHANGED: usize = 10_000;

#[test]
fn the_seeds_hold() {
    for (name, target) in TARGETS {
        let seeds = seeds::of(name);
        assert!(seeds.len() > 30, "{name}: {} seeds", seeds.len());
        seeds.iter().for_each(|seed| target(seed));
    }
}

#[test]
fn what_once_broke_holds() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    for (name, target) in TARGETS {
        // A target that never broke has no folder.
        let Ok(entries) = std::fs::read_dir(folder.join(name)) else {
            continue;
        };
        for entry in entries {
            target(&std::fs::read(entry.unwrap().path()).unwrap());
        }
    }
}

#[test]
fn changed_seeds_hold() {
    for (name, target) in TARGETS {
        run_changed(&seeds::of(name), target);
    }
}

fn run_changed(seeds: &[Vec<u8>], target: Target) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..CHANGED {
        let mut input = seeds[random.below(seeds.len())].clone();
        let other = &seeds[random.below(seeds.len())];
        for _ in 0..=random.below(4) {
            change(&mut input, other, &mut random);
        }
        target(&input);
    }
}

fn change(input: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(input.len() + 1);
    match random.below(4) {
        0 => input.insert(at, (random.next() >> 8) as u8),
        1 => drop(input.drain(at..(at + random.below(8)).min(input.len()))),
        2 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        _ => {
            let from = random.below(other.len() + 1);
            let to = (from + random.below(24)).min(other.len());
            input.splice(at..at, other[from..to].iter().copied());
        }
    }
}

/// A fixed sequence (xorshift64*), so that a failure comes again.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 33).map_or(0, |number| number % end.max(1))
    }
}
