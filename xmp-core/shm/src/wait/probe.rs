//! The launcher's question to all waiting images what they wait for.

/// A probe: each waiting image of the region wakes up, evaluates its condition once more, and answers what it waits for.
/// (Chandy, Misra and Haas 1983 call the messages of distributed deadlock detection so.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probe(pub u32);

impl Probe {
    /// The probe after this one. `with_callers`: answers contain the return addresses of the waiting thread. `with_variable`: they
    /// also contain the name of the variable that it waits for.
    pub fn next(self, with_callers: bool, with_variable: bool) -> Probe {
        let flags = u32::from(with_callers) | u32::from(with_variable) << 1;
        Probe((self.0 / 4 + 1).wrapping_mul(4) | flags)
    }

    /// Whether answers contain the return addresses of the waiting thread.
    pub fn with_callers(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether answers contain the name of the variable that the thread waits for.
    pub fn with_variable(self) -> bool {
        self.0 & 2 != 0
    }
}
