// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Writes what a target begins with into a folder: `seed TARGET FOLDER`.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, folder] = arguments.as_slice() else {
        return Err(std::io::Error::other("usage: seed TARGET FOLDER"));
    };
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder)?;
    for (number, seed) in lakeward_fuzz::seeds::of(target).iter().enumerate() {
        std::fs::write(folder.join(format!("fixture-{number:04}")), seed)?;
    }
    Ok(())
}
