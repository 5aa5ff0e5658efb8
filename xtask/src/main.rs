//! The only task runner of the project.
fn main() {}
