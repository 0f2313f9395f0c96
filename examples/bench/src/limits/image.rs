//! One process of the limits program, as it knows itself.

use super::region::Region;
use super::wait::Policy;

/// One of the processes.
pub struct Image {
    /// Its number, from 0.
    pub me: usize,
    /// How many there are.
    pub count: usize,
    /// The memory of all.
    pub region: Region,
    /// How it waits.
    pub policy: Policy,
    /// Dissemination barriers that this process has passed.
    pub rounds_passed: u32,
    /// Balls that this process has thrown.
    pub throws: u32,
}
