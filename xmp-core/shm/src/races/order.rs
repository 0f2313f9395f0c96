//! The memory of an image about its own image control statements, beside its clock.

/// Clocks and counts that image control statements of one image leave for later ones.
#[derive(Debug)]
pub struct Order {
    /// The clock at the beginning of the segment, which an atomic subroutine may publish.
    pub released: Vec<u64>,
    /// The clocks that atomic subroutines of this segment have read.
    pub observed: Vec<u64>,
    /// For each other image, the number of its joint synchronisations with this image.
    pub meetings: Vec<u64>,
    /// The number of changes of states of images up to which this image knows those that have failed.
    pub epoch: u32,
}

impl Order {
    /// For a job with this many images, at its start.
    pub fn new(images: usize) -> Order {
        let zeros = || vec![0; images];
        Order { released: zeros(), observed: zeros(), meetings: zeros(), epoch: 0 }
    }
}
