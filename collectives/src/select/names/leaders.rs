//! Algorithms between leaders, and between the images of a host that have no collective area. Each is a file in
//! [`crate::schedules`].

use super::{Named, algorithms};

algorithms! {
    /// How leaders meet.
    LeaderBarrier {
        /// All tell one, which then tells all.
        Central = "central",
        /// In each round each participant notifies one that is twice as far away.
        Dissemination = "dissemination",
    }
}

algorithms! {
    /// How leaders reduce to one of them.
    LeaderReduce {
        /// All send to the root.
        Flat = "flat",
        /// A binomial tree.
        Binomial = "binomial",
        /// Each participant combines a slice for all, the root collects them.
        Slices = "slices",
        /// Recursive halving, then the parts are brought together on the root.
        Rabenseifner = "rabenseifner",
    }
}

algorithms! {
    /// How leaders reduce to all of them.
    LeaderAllreduce {
        /// All send to one, which sends the result to all.
        Flat = "flat",
        /// A binomial tree to one, and back.
        Binomial = "binomial",
        /// Recursive doubling.
        RecursiveDoubling = "recursive-doubling",
        /// Each participant combines a slice for all and sends it to all.
        Slices = "slices",
        /// Recursive halving, then recursive doubling.
        Rabenseifner = "rabenseifner",
        /// Each participant combines a slice for all; the slices go around a ring.
        Ring = "ring",
    }
}

algorithms! {
    /// How data gets from one leader to the others.
    LeaderBroadcast {
        /// The root sends to all.
        Flat = "flat",
        /// A binomial tree.
        Binomial = "binomial",
        /// Chunk after chunk from one to the next.
        Chain = "chain",
        /// A tree scatters parts, which then go around a ring.
        ScatterAllgather = "scatter-allgather",
    }
}

algorithms! {
    /// How leaders gather.
    LeaderAllgather {
        /// After Bruck et al.
        Bruck = "bruck",
        /// Around a ring.
        Ring = "ring",
        /// Recursive doubling.
        RecursiveDoubling = "recursive-doubling",
    }
}

algorithms! {
    /// How parts are gathered to one leader or scattered from it.
    LeaderTree {
        /// A binomial tree.
        Binomial = "binomial",
        /// The root meets one after the other.
        Linear = "linear",
    }
}

algorithms! {
    /// How parts are exchanged between hosts.
    LeaderAlltoall {
        /// Through the leaders, after Bruck et al.
        Bruck = "bruck",
        /// Through the leaders, who meet one after the other.
        Pairwise = "pairwise",
        /// Every image meets those of other hosts itself, one after the other.
        Each = "each",
    }
}

algorithms! {
    /// How a scan is made between hosts.
    LeaderScan {
        /// By doubling of distances.
        RecursiveDoubling = "recursive-doubling",
    }
}
