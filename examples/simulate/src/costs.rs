//! The costs of operations in microseconds: LogGP (Alexandrov, Ionescu, Schauser, Scheiman: LogGP: Incorporating Long
//! Messages into the LogP Model, SPAA 1995) for messages, a few constants more for what a host does in shared memory.

use std::fmt;

/// What a message costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// From the sender to the receiver (L).
    pub latency: f64,
    /// Work of the sender, and of the receiver, for each packet (o).
    pub overhead: f64,
    /// Least time between two messages of a host (g).
    pub gap: f64,
    /// For each byte (G).
    pub per_byte: f64,
}

/// What images of a host cost each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharing {
    /// A cache line gets from one core to another: a collective area step of two images with a core each.
    pub line: f64,
    /// Every image of a core has had its turn, for each image of a core: a step where images share cores.
    pub turn: f64,
    /// A byte that another core wrote is copied.
    pub copy: f64,
    /// A byte is combined with another one, both in the cache.
    pub combine: f64,
    /// Messages.
    pub channel: Link,
}

/// All constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Within a host.
    pub sharing: Sharing,
    /// Between hosts.
    pub network: Link,
}

/// Rounded from the times of collectives of a few and of many bytes (README.md, "Measured"), on two cores of an AMD
/// EPYC (Zen 4) in a virtual machine. `examples/constants.rs` measures each on the host that it runs on; see
/// [`Costs::with_measured`].
const TYPICAL: Sharing = Sharing {
    line: 0.13,
    turn: 0.72,
    copy: 6.0e-5,
    combine: 3.0e-5,
    channel: Link { latency: 0.12, overhead: 0.10, gap: 0.0, per_byte: 9.0e-5 },
};

/// 4x FDR InfiniBand, the network of Stampede, where UHCAF was measured. Bandwidth: 4 lanes of 14.0625 Gb/s in the
/// coding 64/66 are 6.82 GB/s (InfiniBand Architecture Specification). Latency with overheads: 1 us, what a host
/// adapter of that time, the ConnectX-3, was announced with ("sub-microsecond latency": The Register, 6 June 2011,
/// "Mellanox ConnectX-3 chip"). That 0.2 us of it are work of each side, and that an adapter takes a message in 0.05
/// us, is assumed.
const FDR: Link = Link { latency: 0.6, overhead: 0.2, gap: 0.05, per_byte: 1.0 / 6820.0 };

/// Cray XT4, whose network the XT5 has too (SeaStar2+): Mudalige, Vernon, Jarvis: A Plug-and-Play Model for Evaluating
/// Wavefront Computations on Parallel Architectures (IPDPS 2008), parameters of messages between nodes. They are those
/// of MPI, so that the work of a side is more than a server needs that takes messages from Portals itself. A gap is not
/// given there; it is taken to be that of the shortest packet of 64 bytes.
///
/// What others published of that network agrees in kind: Portals itself takes less than 6 us one way for an empty
/// message on the XT3 (Brightwell, Hudson, Pedretti, Riesen, Underwood: Implementation and Performance of Portals 3.3
/// on the Cray XT3, Cluster 2005), a significant part of which is the host processor's interrupt (Brightwell, Pedretti,
/// Underwood: Initial Performance Evaluation of the Cray SeaStar Interconnect, Hot Interconnects 2005), so work of a
/// side and not its way; and version 2.1 of the adapter sustains 2.0 GB/s (Brightwell, Underwood, Vaughan: Performance
/// Impact of the Red Storm Upgrade, Cluster 2006), which is 0.0005 us a byte.
const XT: Link = Link { latency: 0.305, overhead: 3.92, gap: 0.0256, per_byte: 0.0004 };
/// Copies within a node of that machine: the same source.
const XT_COPY: f64 = 0.000_789;

impl Default for Costs {
    fn default() -> Self {
        Costs { sharing: TYPICAL, network: FDR }
    }
}

impl Costs {
    /// A machine like the Cray XT5. What is not published of its hosts is as elsewhere.
    pub fn xt() -> Costs {
        Costs { sharing: Sharing { copy: XT_COPY, ..TYPICAL }, network: XT }
    }

    /// These costs with the values of lines `name,value`, the output of `examples/constants.rs`; other lines are passed over.
    #[must_use]
    pub fn with_measured(mut self, lines: &str) -> Costs {
        for (name, value) in lines.lines().filter_map(|line| line.trim().split_once(',')) {
            let known = self.sharing.named().into_iter().find(|(known, _)| *known == name);
            if let (Some((_, place)), Ok(value)) = (known, value.trim().parse()) {
                *place = value;
            }
        }
        self
    }
}

impl Sharing {
    /// The constants by name.
    fn named(&mut self) -> [(&'static str, &mut f64); 7] {
        [
            ("line", &mut self.line),
            ("turn", &mut self.turn),
            ("copy", &mut self.copy),
            ("combine", &mut self.combine),
            ("channel latency", &mut self.channel.latency),
            ("channel overhead", &mut self.channel.overhead),
            ("channel per byte", &mut self.channel.per_byte),
        ]
    }

    /// A collective area step of this many members, with this many images on each core of the host.
    pub fn step(&self, members: usize, load: f64) -> f64 {
        match members {
            0 | 1 => 0.0,
            _ if load > 1.0 => self.turn * load,
            _ => self.line * f64::from(members.next_power_of_two().ilog2()),
        }
    }
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut copy = *self;
        copy.named().into_iter().try_for_each(|(name, value)| writeln!(f, "{name},{value:e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_results_can_be_parsed() {
        let mut other = TYPICAL;
        other.named().into_iter().for_each(|(_, value)| *value *= 1.5);
        let text = format!("something else\nline,x\nstranger,1.0\n{other}");
        assert_eq!(Costs::default().with_measured(&text).sharing, other);
    }

    #[test]
    fn a_step_grows_with_members_or_with_load() {
        let cost = |members, load| TYPICAL.step(members, load);
        assert_eq!(cost(1, 1.0), 0.0);
        assert_eq!(cost(16, 1.0), 4.0 * cost(2, 1.0));
        assert_eq!(cost(5, 4.0), 2.0 * cost(5, 2.0));
    }
}
