//! Which algorithm: the table, and what `XMP_COLL` forces.
//!
//! The constants are measured (README.md, "Measured"). To add an algorithm: a file, a variant with its name
//! here, a line where the variant is executed, and the test that compares all of them finds it by itself.

use crate::host::reduce::{mirrored, sliced, slots};
use xmp_core::board::{SLOT_DATA, STAGING};
use xmp_core::settings::Settings;
use xmp_core::{Error, Image, Result};

/// An algorithm that a setting can name.
pub trait Named: Copy + 'static {
    /// All algorithms with their names.
    const ALL: &'static [(&'static str, Self)];
}

macro_rules! algorithms {
    ($(#[$doc:meta])* $type:ident { $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)*
        }

        impl Named for $type {
            const ALL: &'static [(&'static str, Self)] = &[$(($name, $type::$variant),)*];
        }
    };
}

algorithms! {
    /// How images of a host reduce ([`crate::host::reduce`]).
    HostReduce {
        /// In the step's cache line.
        Slots = "slots",
        /// Staged; everybody combines everything.
        Mirrored = "mirrored",
        /// Staged; everybody combines a slice for all.
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

/// What is forced for one collective, on the host and between leaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forced<H, L> {
    /// On the host.
    pub host: Option<H>,
    /// Between leaders.
    pub leaders: Option<L>,
}

impl<H, L> Default for Forced<H, L> {
    fn default() -> Self {
        Forced { host: None, leaders: None }
    }
}

impl<H: Named, L: Named> Forced<H, L> {
    /// Forces the algorithm with this name.
    fn force(&mut self, operation: &str, name: &str) -> Result<()> {
        let find = |known: &str| known == name;
        if let Some(&(_, algorithm)) = H::ALL.iter().find(|(known, _)| find(known)) {
            self.host = Some(algorithm);
        } else if let Some(&(_, algorithm)) = L::ALL.iter().find(|(known, _)| find(known)) {
            self.leaders = Some(algorithm);
        } else {
            let names = H::ALL.iter().map(|(known, _)| *known);
            let names: Vec<&str> = names.chain(L::ALL.iter().map(|(known, _)| *known)).collect();
            return Err(Error::Setting {
                name: "XMP_COLL",
                value: format!("{operation}:{name}"),
                expected: format!("{operation}: with one of {}", names.join(", ")),
            });
        }
        Ok(())
    }
}

/// The algorithms that are forced. One that cannot do what is asked for (a long element in slots, an operand
/// outside segments directly) is not used then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Reduce to one image.
    pub reduce: Forced<HostReduce, LeaderReduce>,
    /// Reduce to all images.
    pub allreduce: Forced<HostReduce, LeaderAllreduce>,
    /// Broadcast.
    pub broadcast: Forced<HostBroadcast, LeaderBroadcast>,
    /// Allgather.
    pub allgather: Forced<HostAllgather, LeaderAllgather>,
}

impl Choices {
    /// What `XMP_COLL` says. (Its key `barrier` names the kind of a board's steps and is read by the core.)
    ///
    /// # Errors
    /// [`Error::Setting`] for an operation or an algorithm that does not exist.
    #[inline]
    pub fn from_settings(settings: &Settings) -> Result<Choices> {
        if settings.collectives.is_empty() {
            return Ok(Choices::default());
        }
        Choices::parse(&settings.collectives)
    }

    #[inline(never)]
    fn parse(pairs: &[(String, String)]) -> Result<Choices> {
        let mut choices = Choices::default();
        for (operation, name) in pairs {
            match operation.as_str() {
                "barrier" => {}
                "reduce" => choices.reduce.force(operation, name)?,
                "allreduce" => choices.allreduce.force(operation, name)?,
                "broadcast" => choices.broadcast.force(operation, name)?,
                "allgather" => choices.allgather.force(operation, name)?,
                _ => {
                    return Err(Error::Setting {
                        name: "XMP_COLL",
                        value: format!("{operation}:{name}"),
                        expected: "for barrier, reduce, allreduce, broadcast or allgather".into(),
                    });
                }
            }
        }
        Ok(choices)
    }
}

/// Bytes from which it is worth saying whether operands are in segments.
const DIRECT_FROM: usize = 64 << 10;

/// What an algorithm is chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bytes that each member brings.
    pub bytes: usize,
    /// Members that share this host.
    pub members: usize,
    /// Whether images share cores, so that a step costs microseconds.
    pub crowded: bool,
}

impl Shape {
    /// The shape of an operation of `members` on the host of `image`.
    #[inline]
    pub fn new(image: &Image, bytes: usize, members: usize) -> Shape {
        Shape { bytes, members, crowded: image.job().page().waiting.crowded != 0 }
    }

    /// How a reduction of elements of `element` bytes is made, for all members or for one of them.
    pub fn reduce(
        self,
        element: usize,
        for_all: bool,
        forced: Option<HostReduce>,
    ) -> Choice<HostReduce> {
        let fits = |algorithm: &HostReduce| match algorithm {
            HostReduce::Slots => element <= slots::LONGEST,
            HostReduce::Mirrored => element <= mirrored::LONGEST,
            HostReduce::Sliced => element <= sliced::MOST,
            HostReduce::Direct | HostReduce::Messages => true,
        };
        // From where the work that `mirrored` repeats costs more than the step that `sliced` adds.
        let mirrored_up_to = match (self.members, self.crowded) {
            (2, _) if for_all => 2 << 20,
            (2, _) => usize::MAX,
            (members, true) => (96 << 10) / members,
            (members, false) => (32 << 10) / members,
        };
        let staged = match self.bytes {
            0..=SLOT_DATA => HostReduce::Slots,
            bytes if bytes <= mirrored_up_to => HostReduce::Mirrored,
            _ => HostReduce::Sliced,
        };
        let staged = if fits(&staged) { staged } else { HostReduce::Messages };
        let direct = self.bytes >= DIRECT_FROM;
        choice(forced.filter(fits), HostReduce::Direct, direct, staged)
    }

    /// How data is broadcast.
    pub fn broadcast(self, forced: Option<HostBroadcast>) -> Choice<HostBroadcast> {
        let staged = match self.bytes {
            0..=SLOT_DATA => HostBroadcast::Slots,
            _ => HostBroadcast::Staged,
        };
        // Of long messages the root's copying is hidden behind that of the others, and staging stays in caches.
        let direct = (DIRECT_FROM..=4 << 20).contains(&self.bytes);
        choice(forced, HostBroadcast::Direct, direct, staged)
    }

    /// How contributions are gathered.
    pub fn allgather(self, forced: Option<HostAllgather>) -> Choice<HostAllgather> {
        let staged = match self.bytes {
            0..=SLOT_DATA => HostAllgather::Slots,
            _ => HostAllgather::Staged,
        };
        let direct = self.bytes >= DIRECT_FROM;
        choice(forced, HostAllgather::Direct, direct, staged)
    }

    /// Bytes of a chunk where nothing is gained by working on two at a time: few steps.
    pub fn chunk(self) -> usize {
        if self.crowded { STAGING } else { 256 << 10 }
    }

    /// Bytes of a chunk where a member writes one while others read another.
    pub fn pipelined_chunk(self) -> usize {
        if self.crowded { STAGING / 2 } else { 64 << 10 }
    }
}

fn choice<A: PartialEq + Copy>(forced: Option<A>, direct: A, may: bool, table: A) -> Choice<A> {
    match forced {
        Some(forced) if forced == direct => Choice { direct: true, otherwise: table },
        Some(forced) => Choice { direct: false, otherwise: forced },
        None => Choice { direct: may, otherwise: table },
    }
}

/// What was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<A> {
    /// Whether to try first to do it straight from segments.
    pub direct: bool,
    /// The algorithm to use otherwise.
    pub otherwise: A,
}
