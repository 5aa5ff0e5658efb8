// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `capabilities.json`: what a header declares, and the status that follows.

use lakeward_read_restrictions::admission::{NotAdmitted, Trust, TrustedReader, check_admission};
use lakeward_read_restrictions::capabilities::Capabilities;
use lakeward_read_restrictions::predicate::Predicate;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use serde_json::{Value, json};

use super::fixture::{Fixtures, member, texts};

pub(super) fn run(_: &Fixtures, case: &Value) -> Result<Value, String> {
    let lines = if member(case, "headers")?.is_null() {
        Vec::new()
    } else {
        texts(case, "headers")?
    };
    let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
    let capabilities = Capabilities::parse(&lines);
    let active =
        ReadRestrictions::combine(Some(Predicate::Constant(false)), []).map_err(|error| error.to_string())?;
    let trusted = Trust::Trusted(TrustedReader {
        name: "reader".to_owned(),
        revision: 1,
    });
    let status = |restrictions: &ReadRestrictions, trust: &Trust| match check_admission(
        restrictions,
        &capabilities,
        trust,
    ) {
        Ok(()) => 200,
        Err(NotAdmitted::NotAcceptable) => 406,
        Err(NotAdmitted::UntrustedReader | NotAdmitted::Distrusted(_)) => 403,
    };
    Ok(json!({
        "declared": capabilities.declared().collect::<Vec<_>>(),
        "active_trusted": status(&active, &trusted),
        "active_untrusted": status(&active, &Trust::Untrusted),
        "inactive": status(&ReadRestrictions::none(), &Trust::Untrusted),
    }))
}
