// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Statements as clients carry them about: in tickets and in handles of prepared statements. Whoever holds one can read
//! and change it; it is worth as much as sending the statement anew, and is run as whoever presents it.

use arrow_flight::FlightData;
use prost::Message;
use tonic::Status;
use uuid::Uuid;

/// The form of the bytes. Another number is refused: gateways of two versions may stand behind one balancer.
const VERSION: u32 = 1;

/// A statement with its parameters.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Statement {
    #[prost(uint32, tag = "1")]
    version: u32,
    /// The SQL text.
    #[prost(string, tag = "2")]
    pub(crate) sql: String,
    /// The parameters' values: the Arrow messages of one row; empty where none were given.
    #[prost(message, repeated, tag = "3")]
    pub(crate) parameters: Vec<FlightData>,
    /// Names one execution, so that it can be cancelled; empty in handles.
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) execution: Vec<u8>,
}

impl Statement {
    /// A statement without parameters.
    pub(crate) fn of(sql: String) -> Self {
        Self {
            version: VERSION,
            sql,
            parameters: Vec::new(),
            execution: Vec::new(),
        }
    }

    /// The same with a name for one execution.
    pub(crate) fn to_execute(&self) -> Self {
        Self {
            execution: Uuid::new_v4().as_bytes().to_vec(),
            ..self.clone()
        }
    }

    /// The name of the execution.
    pub(crate) fn execution_id(&self) -> Option<Uuid> {
        Uuid::from_slice(&self.execution).ok()
    }

    /// As a client keeps it.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.encode_to_vec()
    }

    /// As a client gave it back.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for bytes that are none of a gateway of this version.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Status> {
        Self::decode(bytes)
            .ok()
            .filter(|statement| statement.version == VERSION)
            .ok_or_else(|| {
                Status::invalid_argument(
                    "the ticket or handle is none of this gateway; prepare the statement again",
                )
            })
    }
}

#[cfg(test)]
mod tests {
    use arrow_flight::FlightData;

    use super::Statement;

    #[test]
    fn comes_back_whole_and_nothing_else_does() {
        let statement = Statement {
            parameters: vec![
                FlightData::default(),
                FlightData::new().with_data_body(vec![1, 2]),
            ],
            ..Statement::of("SELECT 1".to_owned())
        }
        .to_execute();
        assert_eq!(Statement::from_bytes(&statement.to_bytes()).unwrap(), statement);
        assert!(statement.execution_id().is_some());
        assert_ne!(statement.to_execute(), statement);
        let newer = Statement {
            version: 2,
            ..statement
        };
        for bytes in [&newer.to_bytes()[..], b"", b"SELECT 1", &[0xff; 40]] {
            assert!(Statement::from_bytes(bytes).is_err());
        }
    }
}
