// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is wrong with a file of policies, and where.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_saphyr::Spanned;

/// A place in a file that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Malformed {
    pub(crate) path: PathBuf,
    /// From 1; `None` when the whole file is meant.
    pub(crate) line: Option<u64>,
    pub(crate) problem: String,
}

impl Malformed {
    /// A file as a whole.
    pub(crate) fn file(path: &Path, problem: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: None,
            problem: problem.into(),
        }
    }

    /// The place of a value.
    pub(crate) fn at<T>(path: &Path, value: &Spanned<T>, problem: impl Into<String>) -> Self {
        let line = value.referenced.line();
        Self {
            line: (line > 0).then_some(line),
            ..Self::file(path, problem)
        }
    }

    /// What the YAML library found.
    pub(crate) fn yaml(path: &Path, error: &serde_saphyr::Error) -> Self {
        let text = error.without_snippet().to_string();
        // The line stands in front already.
        let problem = text
            .rsplit_once(" at line ")
            .map_or(text.as_str(), |(problem, _)| problem);
        // The library's words are for those who program with it.
        let is_several = matches!(
            error.without_snippet(),
            serde_saphyr::Error::MultipleDocuments { .. }
        );
        let problem = if is_several {
            "a file has one document, and this one has several"
        } else {
            problem
        };
        Self {
            line: error.location().map(|location| location.line()),
            ..Self::file(path, problem)
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Value;

    use crate::policy::tree::parse;

    #[test]
    fn several_documents_are_told_in_words_of_the_file() {
        let told = parse::<Value>(Path::new("a.yaml"), "a: 1\n---\nb: 2\n").unwrap_err();
        let told = told.to_string();
        assert!(
            told.contains("has several") && !told.contains("from_str"),
            "{told}"
        );
    }
}
