//! Tests of planning and execution.

mod cases;
mod model;
