// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The header by which a client says how it wants to reach the data.

/// Name of the header.
pub const ACCESS_DELEGATION_HEADER: &str = "X-Iceberg-Access-Delegation";

/// What a client understands. It asks; the server decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct AccessDelegation {
    /// `vended-credentials`
    pub vended_credentials: bool,
    /// `remote-signing`
    pub remote_signing: bool,
}

impl AccessDelegation {
    /// Reads all lines of the header, comma-separated. What is not understood, non-ASCII bytes included, is passed
    /// over: it only means that less is delegated.
    pub fn parse(lines: &[&[u8]]) -> Self {
        let mut delegation = Self::default();
        for token in lines.iter().flat_map(|line| line.split(|byte| *byte == b',')) {
            match token.trim_ascii() {
                b"vended-credentials" => delegation.vended_credentials = true,
                b"remote-signing" => delegation.remote_signing = true,
                _ => {}
            }
        }
        delegation
    }

    /// One text per combination, a part of the representation in the cache identity.
    pub fn as_str(self) -> &'static str {
        match (self.vended_credentials, self.remote_signing) {
            (false, false) => "",
            (true, false) => "vended-credentials",
            (false, true) => "remote-signing",
            (true, true) => "vended-credentials,remote-signing",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AccessDelegation;

    fn check(lines: &[&[u8]], expected: &str) {
        assert_eq!(AccessDelegation::parse(lines).as_str(), expected);
    }

    #[test]
    fn reads_what_it_knows() {
        check(&[], "");
        check(&[b"vended-credentials"], "vended-credentials");
        check(
            &[b" remote-signing ,\tvended-credentials"],
            "vended-credentials,remote-signing",
        );
        check(
            &[b"vended-credentials", b"remote-signing"],
            "vended-credentials,remote-signing",
        );
        check(&[b" , ", b"\xff\xfe", b"Vended-Credentials", b""], "");
        check(&[b"vended-credentials,,\xff"], "vended-credentials");
    }
}
