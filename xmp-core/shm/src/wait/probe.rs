//! The launcher's question to all waiting images what they wait for.

/// A probe: each waiting image of the region wakes up, evaluates its condition once more, and answers what it waits for.
/// (Chandy, Misra and Haas 1983 call the messages of distributed deadlock detection so.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probe(pub u32);

impl Probe {
    /// The probe after this one. `with_callers`: answers contain the return addresses of the waiting thread.
    pub fn next(self, with_callers: bool) -> Probe {
        Probe((self.0 / 2 + 1).wrapping_mul(2) | u32::from(with_callers))
    }

    /// Whether answers contain the return addresses of the waiting thread.
    pub fn with_callers(self) -> bool {
        !self.0.is_multiple_of(2)
    }
}
