// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The body of every error answer.

use serde::{Deserialize, Serialize};

/// `{"error": {…}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorResponse {
    /// The error.
    pub error: ErrorModel,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorModel {
    /// Text for a person.
    pub message: String,
    /// Name of the error as clients tell it, for instance `NoSuchTableException`.
    pub r#type: String,
    /// The HTTP status.
    pub code: u16,
    /// Frames of the server; always empty in our answers, since they would tell how the server is made.
    #[serde(default)]
    pub stack: Vec<String>,
}

impl ErrorResponse {
    /// An error without frames.
    pub fn new(code: u16, r#type: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            error: ErrorModel {
                message: message.into(),
                r#type: r#type.into(),
                code,
                stack: Vec::new(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorResponse;

    #[test]
    fn has_the_recorded_members_in_order() {
        let error = ErrorResponse::new(404, "NoSuchTableException", "Table does not exist: n1.zz");
        let text = serde_json::to_string(&error).unwrap_or_default();
        let expected = r#"{"error":{"message":"Table does not exist: n1.zz","type":"NoSuchTableException","code":404,"stack":[]}}"#;
        assert_eq!(text, expected);
        let without_stack = r#"{"error":{"message":"m","type":"t","code":400}}"#;
        assert!(serde_json::from_str::<ErrorResponse>(without_stack).is_ok());
    }
}
