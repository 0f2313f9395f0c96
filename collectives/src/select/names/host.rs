//! Algorithms between images that share a collective area.

use super::{Named, algorithms};

algorithms! {
    /// Reduction on a host ([`crate::host::reduce`]).
    HostReduce {
        /// Through the slots or the rings.
        Slots = "slots",
        /// Staged; each member combines everything.
        CopyIn = "copy-in",
        /// Staged; each member combines a slice for all.
        Sliced = "sliced",
        /// Straight from segments.
        Direct = "direct",
        /// In groups of members that are near to one another, and groups of groups.
        Grouped = "grouped",
        /// By messages, as between hosts.
        Messages = "messages",
    }
}

algorithms! {
    /// Broadcast, allgather, gather, scatter and alltoall on a host.
    HostMove {
        /// Through the slots or the rings.
        Slots = "slots",
        /// Through the staging buffers.
        Staged = "staged",
        /// Straight from segments.
        Direct = "direct",
        /// In groups of members that are near to one another, and groups of groups: broadcast and allgather.
        Grouped = "grouped",
        /// By messages, as between hosts.
        Messages = "messages",
    }
}

algorithms! {
    /// Scan on a host ([`crate::host::scan`]).
    HostScan {
        /// Through the rings.
        Slots = "slots",
        /// Staged; each member combines all up to itself.
        Staged = "staged",
        /// Staged; in each round from the member twice as far.
        Doubling = "doubling",
        /// Straight from segments.
        Direct = "direct",
        /// By messages, as between hosts.
        Messages = "messages",
    }
}
