//! Images that are processes: what their ends say to the system.

mod status;

pub use status::{ERROR_STATUS, START_STATUS, exit_status};
