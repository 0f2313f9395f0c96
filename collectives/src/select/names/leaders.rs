//! Algorithms between leaders, and between the images of a host that have no collective area. Each is a file in
//! [`crate::schedules`].

use super::{Named, algorithms};

algorithms! {
    /// Barrier between leaders.
    LeaderBarrier {
        /// All notify one, which then notifies all.
        Central = "central",
        /// In each round each participant notifies one that is twice as far away.
        Dissemination = "dissemination",
    }
}

algorithms! {
    /// Reduction to one leader.
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
    /// Reduction to all leaders.
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
    /// Broadcast between leaders.
    LeaderBroadcast {
        /// The root sends to all.
        Flat = "flat",
        /// A binomial tree.
        Binomial = "binomial",
        /// Chunk after chunk from each participant to the next.
        Chain = "chain",
        /// A tree scatters parts, which then go around a ring.
        ScatterAllgather = "scatter-allgather",
    }
}

algorithms! {
    /// Allgather between leaders.
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
    /// Gather to one participant and scatter from it.
    LeaderTree {
        /// A binomial tree.
        Binomial = "binomial",
        /// The root exchanges messages with one participant after the other.
        Linear = "linear",
    }
}

algorithms! {
    /// Alltoall between hosts.
    LeaderAlltoall {
        /// Through the leaders, after Bruck et al.
        Bruck = "bruck",
        /// Through the leaders, in pairs, one after the other.
        Pairwise = "pairwise",
        /// Without leaders: each image with those of other hosts, one after the other.
        Each = "each",
    }
}

algorithms! {
    /// Scan between hosts.
    LeaderScan {
        /// By doubling of distances.
        RecursiveDoubling = "recursive-doubling",
    }
}
