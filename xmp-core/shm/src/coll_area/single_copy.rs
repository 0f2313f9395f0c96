//! The knowledge of the members of an area about single copies of private memory.

use super::CollArea;

/// An operation in which the system may copy private memory between the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SingleCopy {
    /// A broadcast.
    Broadcast,
    /// A reduction, to one member or to all.
    Reduction,
}

impl CollArea {
    /// From how many bytes on the members copy each other's private memory by the system in an operation, if they have
    /// found that out.
    #[inline(always)]
    pub fn single_copy_from(&self, operation: SingleCopy) -> Option<u64> {
        self.single_copy_from[operation as usize].get()
    }

    /// Notes from how many bytes on that is: the same for all members.
    pub fn set_single_copy_from(&self, operation: SingleCopy, bytes: u64) {
        let from = (bytes < u64::MAX).then_some(bytes);
        tracing::debug!(images = self.len(), ?operation, ?from, "single copy of private memory");
        self.single_copy_from[operation as usize].set(Some(bytes));
    }
}
