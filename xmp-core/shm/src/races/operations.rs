//! The beginning and the completion of operations in the background (`begun.rs`).

use super::access::Kind;
use super::begun::BegunOperation;
use super::bytes::Bytes;
use super::every_host::Races;
use std::sync::Arc;

impl Races<'_> {
    /// This image begins an operation, by the statement that it executes, which accesses this memory until it is complete.
    pub fn begin_operation(&self, accesses: &[(Bytes, Kind)]) -> Arc<BegunOperation> {
        // What is held back was before.
        self.flush();
        let (site, clock) = (self.this_site(), self.clock.all().collect());
        let operation = Arc::new(BegunOperation::new(site, clock, accesses));
        operation.accesses().for_each(|(bytes, kind)| self.access(site, bytes, kind));
        self.begun.change(|all| all.push(operation.clone()));
        operation
    }

    /// An operation of this image is complete.
    pub fn complete_operation(&self, operation: &Arc<BegunOperation>) {
        self.forget_operation(operation);
        for (bytes, kind) in operation.accesses() {
            self.complete_access(operation.site, bytes, kind, &operation.clock);
        }
    }

    /// Nothing waits for an operation any more.
    pub fn forget_operation(&self, operation: &Arc<BegunOperation>) {
        // What is held back was executed while the operation was in flight.
        self.flush();
        self.begun.change(|all| all.retain(|it| !Arc::ptr_eq(it, operation)));
    }
}
