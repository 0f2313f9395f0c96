//! Algorithms between leaders, and between the images of a host without a board.

use super::{Named, algorithms};

algorithms! {
    /// How leaders reduce to one of them.
    LeaderReduce {
        /// A binomial tree.
        Binomial = "binomial",
    }
}

algorithms! {
    /// How leaders reduce to all of them.
    LeaderAllreduce {
        /// Recursive doubling.
        RecursiveDoubling = "recursive-doubling",
    }
}

algorithms! {
    /// How data gets from one leader to the others.
    LeaderBroadcast {
        /// A binomial tree.
        Binomial = "binomial",
    }
}

algorithms! {
    /// How leaders gather.
    LeaderAllgather {
        /// After Bruck et al.
        Bruck = "bruck",
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
