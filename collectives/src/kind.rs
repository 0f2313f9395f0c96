//! The kinds of operations that images compare.

use crate::reduction::Op;

/// The operation that images call. The lowest two bits are those of the reduction, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A reduction.
    Reduction = 0,
    /// An inclusive scan.
    Scan = 1 << 2,
    /// An exclusive scan.
    Exscan = 2 << 2,
    /// A reduction of which each image gets a part.
    ReduceScatter = 3 << 2,
    /// A broadcast.
    Broadcast = 4 << 2,
    /// An allgather.
    Allgather = 5 << 2,
    /// A gather of parts of one length.
    Gather = 6 << 2,
    /// A gather of parts of different lengths.
    Gatherv = 7 << 2,
    /// A scatter of parts of one length.
    Scatter = 8 << 2,
    /// A scatter of parts of different lengths.
    Scatterv = 9 << 2,
    /// An alltoall of parts of one length.
    Alltoall = 10 << 2,
    /// An alltoall of parts of different lengths.
    Alltoallv = 11 << 2,
    /// A broadcast of what is not allocated.
    BroadcastOfNothing = 12 << 2,
}

/// The place of the kind, which is counted from 4 on, in the number of a call in a ring exchange.
pub(crate) const RING_CALL_PLACE: u32 = 26;

impl Kind {
    pub(crate) const ALL: [Kind; 13] = [
        Kind::Reduction,
        Kind::Scan,
        Kind::Exscan,
        Kind::ReduceScatter,
        Kind::Broadcast,
        Kind::Allgather,
        Kind::Gather,
        Kind::Gatherv,
        Kind::Scatter,
        Kind::Scatterv,
        Kind::Alltoall,
        Kind::Alltoallv,
        Kind::BroadcastOfNothing,
    ];

    /// The kind in the number of a call in a ring exchange, with the reduction; `None` for the number 0.
    pub(crate) fn in_ring_call(number: u32) -> Option<u8> {
        Some((number >> RING_CALL_PLACE).checked_sub(4)? as u8)
    }

    /// The kind in the number of a kind with a reduction.
    pub(crate) fn of(number: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|&kind| kind as u8 == number & !BY_PROGRAM)
    }

    /// The names of the operation and of the reduction, if it has one, of the number of a kind with a reduction.
    pub(crate) fn names(number: u8) -> (&'static str, &'static str) {
        let kind = Kind::of(number);
        let name = kind.map_or("collective", |kind| kind.name(true));
        let is_it = |op: &Op| kind == Some(Kind::Reduction) && *op as u8 == number & BY_PROGRAM;
        let reduction = [Op::Sum, Op::Min, Op::Max].into_iter().find(is_it);
        (name, reduction.map_or("", Op::name))
    }

    /// The name of the operation, with a root or without one.
    pub(crate) fn name(self, has_root: bool) -> &'static str {
        match self {
            Kind::Reduction if has_root => "reduce",
            Kind::Reduction => "allreduce",
            Kind::Scan => "scan",
            Kind::Exscan => "exscan",
            Kind::ReduceScatter => "reduce_scatter",
            Kind::Broadcast | Kind::BroadcastOfNothing => "broadcast",
            Kind::Allgather => "allgather",
            Kind::Gather => "gather",
            Kind::Gatherv => "gatherv",
            Kind::Scatter => "scatter",
            Kind::Scatterv => "scatterv",
            Kind::Alltoall => "alltoall",
            Kind::Alltoallv => "alltoallv",
        }
    }
}

/// The operation of the program, in the place of an [`Op`].
pub(crate) const BY_PROGRAM: u8 = 3;
