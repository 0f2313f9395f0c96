//! The other users of the core of an image that is about to wait.

/// Who else uses the core of an image, where there are more images than cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreUse {
    /// It seems to have it for itself at the moment.
    Own,
    /// Other images.
    Shared {
        /// Whether the image times its yields: something may compute there.
        timed: bool,
    },
    /// Something computes there: a yield would last for a time slice.
    Taken,
}

/// The policy of an image about cores that it shares with others.
pub trait SharedCores {
    /// The image is about to wait. Returns the use that its core seems to have at the moment. `asks`: for an answer of another host.
    /// Such a wait takes as long as a message at least, so its yields are always timed.
    fn begin_wait(&self, asks: bool) -> CoreUse;

    /// A yield that was timed has met something that computes.
    fn meets(&self);
}

xmp_map::debug_by_name!(SharedCores);
