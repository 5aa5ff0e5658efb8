//! The command `lakeward`.
fn main() {}
