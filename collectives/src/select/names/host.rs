//! Algorithms between images that share a collective area.

use super::{Named, algorithms};

algorithms! {
    /// How images of a host reduce ([`crate::host::reduce`]).
    HostReduce {
        /// In the step's cache line.
        Slots = "slots",
        /// Staged; each member combines everything.
        CopyIn = "copy-in",
        /// Staged; each member combines a slice for all.
        Sliced = "sliced",
        /// Straight from segments.
        Direct = "direct",
        /// By messages, as between hosts.
        Messages = "messages",
    }
}

algorithms! {
    /// How data gets from one image of a host to the others ([`crate::host::broadcast`]).
    HostBroadcast {
        /// In the step's cache line.
        Slots = "slots",
        /// Through staging.
        Staged = "staged",
        /// Straight from the root's segment.
        Direct = "direct",
        /// By messages, as between hosts.
        Messages = "messages",
    }
}

algorithms! {
    /// How images of a host gather ([`crate::host::allgather`]).
    HostAllgather {
        /// In the step's cache line.
        Slots = "slots",
        /// Through staging.
        Staged = "staged",
        /// Straight from segments.
        Direct = "direct",
        /// By messages, as between hosts.
        Messages = "messages",
    }
}

algorithms! {
    /// How images of a host gather to one of them ([`crate::host::gather`]).
    HostGather {
        /// In the step's cache line.
        Slots = "slots",
        /// Through staging.
        Staged = "staged",
        /// Straight from segments.
        Direct = "direct",
        /// By messages, as between hosts.
        Messages = "messages",
    }
}

algorithms! {
    /// How one image of a host scatters to the others ([`crate::host::scatter`]).
    HostScatter {
        /// In the step's cache line.
        Slots = "slots",
        /// Through staging.
        Staged = "staged",
        /// Straight from the root's segment.
        Direct = "direct",
        /// By messages, as between hosts.
        Messages = "messages",
    }
}

algorithms! {
    /// How images of a host exchange parts ([`crate::host::alltoall`]).
    HostAlltoall {
        /// In the step's cache line.
        Slots = "slots",
        /// Through staging.
        Staged = "staged",
        /// Straight from segments.
        Direct = "direct",
        /// By messages, as between hosts.
        Messages = "messages",
    }
}

algorithms! {
    /// How images of a host scan ([`crate::host::scan`]).
    HostScan {
        /// In the step's cache line.
        Slots = "slots",
        /// Staged; each member combines all up to itself.
        Staged = "staged",
        /// Staged; in each step from the member twice as far.
        Doubling = "doubling",
        /// Straight from segments.
        Direct = "direct",
        /// By messages, as between hosts.
        Messages = "messages",
    }
}
