//! The techniques of UHCAF (Ge, Eachempati, Khaldi, Chapman: An Evaluation of Anticipated Extensions for Fortran
//! Coarrays, PGAS 2015, section IV) as delays of messages.

use crate::costs::{Costs, Link};

/// Which of them are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques {
    /// Buffers are known to be free when an operation begins.
    pub double_buffering: bool,
    /// Several packets may be on their way to a partner.
    pub work_buffers: bool,
    /// A packet is announced by its last word.
    pub canary: bool,
    /// Images of a host combine first.
    pub two_level: bool,
}

impl Techniques {
    /// All of them: what is done unless switched off.
    pub const ALL: Techniques =
        Techniques { double_buffering: true, work_buffers: true, canary: true, two_level: true };

    /// The ladder of UHCAF's figure 6: each rung has one technique more.
    pub const LADDER: [(&'static str, Techniques); 4] = [
        (
            "baseline",
            Techniques { work_buffers: false, two_level: false, canary: false, ..Techniques::ALL },
        ),
        ("+work buffers", Techniques { two_level: false, canary: false, ..Techniques::ALL }),
        ("+2-level", Techniques { canary: false, ..Techniques::ALL }),
        ("+canary", Techniques::ALL),
    ];

    /// What a message of this many packets loses by techniques that are not used.
    pub(super) fn delays(self, link: &Link, costs: &Costs, local: bool, packets: f64) -> Delays {
        let round_trip = 2.0 * (link.latency + link.overhead);
        // Each packet waits until the one before it was taken.
        let windows = if self.work_buffers { 0.0 } else { (packets - 1.0) * round_trip };
        // A flag follows the data: between hosts once the data is known to be there, on a host in a line of its own.
        let flag = match (self.canary, local) {
            (true, _) => 0.0,
            (false, true) => costs.sharing.line,
            (false, false) => round_trip,
        };
        Delays {
            waits_for_receiver: !self.double_buffering,
            sender: windows + if local { 0.0 } else { flag },
            message: windows + flag,
        }
    }
}

/// What a message loses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Delays {
    /// It may not be sent before its receiver has come to the operation.
    pub waits_for_receiver: bool,
    /// The sender is kept.
    pub sender: f64,
    /// It arrives later.
    pub message: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_techniques_cost_nothing_and_each_saves() {
        let costs = Costs::default();
        let delays = |techniques: Techniques, packets| {
            techniques.delays(&costs.network, &costs, false, packets)
        };
        let none = Delays { waits_for_receiver: false, sender: 0.0, message: 0.0 };
        assert_eq!(delays(Techniques::ALL, 9.0), none);
        let [baseline, buffers, _, all] = Techniques::LADDER.map(|(_, rung)| delays(rung, 9.0));
        assert!(baseline.message > buffers.message && buffers.message > all.message);
    }
}
