//! The images that can end a wait, as the launcher learns it by a probe.

use crate::rank::Rank;
use smallvec::SmallVec;
use std::fmt;

/// What a wait is part of.
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitKind {
    /// Messages between images.
    #[default]
    Message = 0,
    /// A barrier, or another exchange through a collective area.
    Barrier = 1,
    /// SYNC IMAGES.
    SyncImages = 2,
    /// EVENT WAIT.
    Event = 3,
    /// A post with a tag (XcalableMP `wait`).
    Post = 4,
    /// LOCK.
    Lock = 5,
    /// CRITICAL.
    Critical = 6,
    /// The value of a word (`xmprt_wait_until64`).
    Value = 7,
    /// The end of operations that the image has begun.
    Background = 8,
}

impl WaitKind {
    /// From its number.
    pub fn from_u32(number: u32) -> WaitKind {
        use WaitKind::{
            Background, Barrier, Critical, Event, Lock, Message, Post, SyncImages, Value,
        };
        let all = [Message, Barrier, SyncImages, Event, Post, Lock, Critical, Value, Background];
        all.get(number as usize).copied().unwrap_or_default()
    }
}

/// The images whose action ends a wait.
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndedBy {
    /// Not known, or not by an image alone: data is in transit, another thread may act.
    #[default]
    Unknown = 0,
    /// Each of [`Need::images`] must act (the AND model of wait-for graphs).
    AllOf = 1,
    /// Any running image may act (the OR model of wait-for graphs).
    AnyImage = 2,
}

impl EndedBy {
    /// From its number.
    pub fn from_u32(number: u32) -> EndedBy {
        match number {
            1 => EndedBy::AllOf,
            2 => EndedBy::AnyImage,
            _ => EndedBy::Unknown,
        }
    }
}

/// What a wait needs before it can end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// What the wait is part of.
    pub kind: WaitKind,
    /// How the images below end it.
    pub by: EndedBy,
    /// The images that have not acted yet.
    pub images: SmallVec<[Rank; 8]>,
    /// Posts that are missing, of an event or of any image; 0 for other waits.
    pub posts: u64,
    /// The images by whose messages this image may advance an operation in the background: until they act it does nothing that
    /// another image could wait for.
    pub background: SmallVec<[Rank; 8]>,
    /// A barrier, by address and epoch: an image that waits in the same one has arrived, and is not needed. Zeros for
    /// other waits.
    pub barrier: [u64; 2],
}

impl Need {
    /// Each of `images` must act.
    pub fn all_of(kind: WaitKind, images: impl IntoIterator<Item = Rank>) -> Need {
        Need { kind, by: EndedBy::AllOf, images: images.into_iter().collect(), ..Need::default() }
    }

    /// Any running image may act.
    pub fn any_image(kind: WaitKind) -> Need {
        Need { kind, by: EndedBy::AnyImage, ..Need::default() }
    }
}

/// The answers of a wait to a probe: what it needs, and the variable that it waits for.
pub trait Describe {
    /// What the wait needs before it can end. Must not wait for other images.
    fn need(&self) -> Need;

    /// The variable that the image waits for, in the words of the program: `ready(3)`, `l[2]`. It may read files, so it is called
    /// only where the statement is asked for, too. Must not wait for other images.
    fn variable(&self) -> Option<String> {
        None
    }
}

impl<F: Fn() -> Need> Describe for F {
    fn need(&self) -> Need {
        self()
    }
}

/// The function that names a variable; `None` where nothing is known about it.
pub type VariableName<'a> = &'a dyn Fn() -> Option<String>;

/// The [`VariableName`] of a variable that has no name in the program.
pub fn unnamed() -> Option<String> {
    None
}

/// A wait for a variable.
pub struct ForVariable<'a, N> {
    /// The function that returns what the wait needs.
    pub need: N,
    /// The function that names the variable.
    pub variable: VariableName<'a>,
}

impl<N: Fn() -> Need> Describe for ForVariable<'_, N> {
    fn need(&self) -> Need {
        (self.need)()
    }

    fn variable(&self) -> Option<String> {
        (self.variable)()
    }
}

/// The description of a wait, if there is one.
#[derive(Clone, Copy, Default)]
pub(super) struct Description<'a>(pub(super) Option<&'a dyn Describe>);

impl fmt::Debug for Description<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Description").field(&self.0.is_some()).finish()
    }
}
