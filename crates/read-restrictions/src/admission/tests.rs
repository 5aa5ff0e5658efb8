// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The outcome table.

use super::{Distrust, NotAdmitted, Trust, TrustedReader, Ungoverned, admit, check_admission};
use crate::capabilities::Capabilities;
use crate::predicate::Predicate;
use crate::restrictions::ReadRestrictions;

fn check(active: bool, header: &str, trusted: bool, expected: Result<bool, NotAdmitted>) {
    let filter = active.then_some(Predicate::Constant(false));
    let restrictions = ReadRestrictions::combine(filter, []).unwrap_or_default();
    let capabilities = Capabilities::parse(&[header.as_bytes()]);
    let trust = if trusted {
        Trust::Trusted(TrustedReader {
            name: "gateway".to_owned(),
            revision: 3,
        })
    } else {
        Trust::Untrusted
    };
    let checked = check_admission(&restrictions, &capabilities, &trust);
    assert_eq!(checked, expected.map(|_| ()));
    let admitted = admit(Ungoverned::new("metadata"), restrictions, &capabilities, &trust);
    assert_eq!(
        admitted.map(|governed| governed.restrictions().is_some()),
        expected,
        "active {active}, header {header}, trusted {trusted}"
    );
}

#[test]
fn five_outcomes() {
    for header in ["", "read-restrictions.v1"] {
        for trusted in [false, true] {
            check(false, header, trusted, Ok(false));
        }
    }
    for header in ["", "read-restrictions.v2", "Read-Restrictions.v1"] {
        for trusted in [false, true] {
            check(true, header, trusted, Err(NotAdmitted::NotAcceptable));
        }
    }
    check(
        true,
        "read-restrictions.v1",
        false,
        Err(NotAdmitted::UntrustedReader),
    );
    check(true, "read-restrictions.v1", true, Ok(true));
}

#[test]
fn a_known_reader_is_not_always_trusted() {
    let active = ReadRestrictions::combine(Some(Predicate::Constant(false)), []).unwrap_or_default();
    let capable = Capabilities::parse(&[b"read-restrictions.v1"]);
    for why in [Distrust::WithoutUser, Distrust::TwoReaders] {
        let trust = Trust::Refused(why);
        let refused = check_admission(&active, &capable, &trust);
        assert_eq!(refused, Err(NotAdmitted::Distrusted(why)));
        let incapable = check_admission(&active, &Capabilities::default(), &trust);
        assert_eq!(incapable, Err(NotAdmitted::NotAcceptable));
        assert!(check_admission(&ReadRestrictions::none(), &capable, &trust).is_ok());
    }
}

#[test]
fn another_form_keeps_the_restrictions() {
    let restrictions = ReadRestrictions::combine(Some(Predicate::Constant(false)), []).unwrap_or_default();
    let trust = Trust::Trusted(TrustedReader {
        name: "gateway".to_owned(),
        revision: 1,
    });
    let capabilities = Capabilities::parse(&[b"read-restrictions.v1"]);
    let loaded = Ungoverned::new(41).map(|number| number + 1);
    assert_eq!(loaded.map_ref(|number| number + 1), 43);
    let governed = admit(loaded, restrictions.clone(), &capabilities, &trust).ok();
    let form = governed.map(|governed| governed.map_ref(ToString::to_string).into_parts());
    assert_eq!(form, Some(("42".to_owned(), Some(restrictions))));
}
