//! xmprun.
fn main() {}
