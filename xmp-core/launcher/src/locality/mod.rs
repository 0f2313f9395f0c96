//! The cores of this machine on which images can run, and the caches and memory that they share.

mod binding;
mod detect;

pub use binding::place_images;
pub use detect::detect;

use std::collections::BTreeSet;

/// A core that images may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// Its processors (hardware threads) that may be used, by the system's numbers; at least one.
    pub cpus: Vec<usize>,
    /// Group of cores that share a last-level cache, from 0.
    pub cache: u32,
    /// NUMA node whose memory is nearest, from 0.
    pub numa: u32,
    /// Package (socket), from 0.
    pub package: u32,
}

/// The part of the machine that images may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its cores, neighbours next to each other; the position is the number of the core.
    pub cores: Vec<Core>,
}

impl Machine {
    /// Number of packages.
    pub fn packages(&self) -> usize {
        self.distinct(|core| core.package)
    }

    /// Number of NUMA nodes.
    pub fn numa_nodes(&self) -> usize {
        self.distinct(|core| core.numa)
    }

    /// Number of groups of cores that share a last-level cache.
    pub fn cache_groups(&self) -> usize {
        self.distinct(|core| core.cache)
    }

    /// Number of processors (hardware threads).
    pub fn cpus(&self) -> usize {
        self.cores.iter().map(|core| core.cpus.len()).sum()
    }

    fn distinct(&self, number: impl Fn(&Core) -> u32) -> usize {
        self.cores.iter().map(number).collect::<BTreeSet<_>>().len()
    }
}
