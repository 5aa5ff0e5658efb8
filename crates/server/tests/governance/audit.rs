// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the audit log of this process says.

use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};

/// The lines of the target `audit` since the first test that asked for them.
#[derive(Clone, Default)]
pub(crate) struct Audit {
    text: Arc<Mutex<Vec<u8>>>,
}

impl Audit {
    /// Listens from now on. All tests of the process share one log, so they tell lines apart by the names in them.
    pub(crate) fn start() -> Self {
        static AUDIT: OnceLock<Audit> = OnceLock::new();
        AUDIT
            .get_or_init(|| {
                let audit = Self::default();
                let writer = audit.clone();
                tracing_subscriber::fmt()
                    .with_env_filter(tracing_subscriber::EnvFilter::new("audit=info"))
                    .with_ansi(false)
                    .with_writer(move || writer.clone())
                    .init();
                audit
            })
            .clone()
    }

    /// The lines that say that a policy whose name begins so was taken from something.
    pub(crate) fn widenings(&self, policy: &str) -> Vec<String> {
        let text = self.text.lock().unwrap();
        String::from_utf8_lossy(&text)
            .lines()
            .filter(|line| line.contains("widened") && line.contains(&format!("\"{policy}")))
            .map(str::to_owned)
            .collect()
    }
}

impl Write for Audit {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.text.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
