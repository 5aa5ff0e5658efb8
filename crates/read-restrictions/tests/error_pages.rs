// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every stable code has a page with causes and a remedy, no page is for a code that is none, and the index has them all.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use lakeward_read_restrictions::code::RestrictionCode;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors")
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let pages: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    let expected: BTreeSet<String> = RestrictionCode::ALL
        .iter()
        .map(|code| format!("{code}.md"))
        .collect();
    assert_eq!(pages, expected);
}

#[test]
fn every_page_says_cause_and_remedy_and_links_to_what_is_there() {
    let index = fs::read_to_string(folder().join("README.md")).unwrap();
    for code in RestrictionCode::ALL {
        let page = fs::read_to_string(folder().join(format!("{code}.md"))).unwrap();
        assert!(page.starts_with(&format!("# {code}\n")), "{code}");
        for part in ["| Status |", "\n## Causes\n\n* ", "\n## Remedy\n\n"] {
            assert!(page.contains(part), "{code}: {part}");
        }
        assert!(
            index.contains(&format!("[`{code}`]({code}.md)")),
            "{code} is not in the index"
        );
        for link in page.split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap();
            assert!(folder().join(target).exists(), "{code} links to {target}");
        }
    }
}
