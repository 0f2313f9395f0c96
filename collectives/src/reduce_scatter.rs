//! Reduce-scatter: the vectors of all images are combined, and each image gets its part of the result (MPI_REDUCE_SCATTER_BLOCK: MPI 4.1,
//! 6.10.1).
//!
//! Each image sends the others their parts by an alltoall, and combines what it receives. That moves each operand once. The brackets
//! are those of a reduction, on each host first and then over the hosts, so the bits are those of the reduction, too.

use crate::alltoall::alltoall_of;
use crate::host_distribution::HostDistribution;
use crate::part_buffers::AlltoallBuffers;
use crate::parts::Parts;
use crate::reduction::Reduction;
use crate::select::Choices;
use crate::signature::{Kind, Signature};
use xmp_core::image_set::{ImageSet, Split};
use xmp_core::{Image, Result};

/// The operands of one image's part: one of each image of the set, in the order of the set.
pub struct Operands {
    /// Aligned for any element.
    memory: Vec<u128>,
    /// Bytes of an operand.
    len: usize,
    /// The positions of the images of each host.
    hosts: Vec<Vec<usize>>,
}

impl Operands {
    /// Room for operands of `len` bytes.
    pub fn new(image: &Image, set: &ImageSet, split: &Split, len: usize) -> Operands {
        let hosts = if split.single_host() {
            vec![(0..set.len()).collect()]
        } else {
            let spread = HostDistribution::new(image, set, split);
            (0..split.leaders().len()).map(|host| spread.positions(host)).collect()
        };
        Operands { memory: vec![0; (len * set.len()).div_ceil(16)], len, hosts }
    }

    /// The memory of all operands.
    pub fn start(&mut self) -> *mut u8 {
        self.memory.as_mut_ptr().cast()
    }

    /// Writes the combination of the operands, each of `count` elements, to `mine`.
    ///
    /// # Safety
    /// `mine` is valid for writes of `count` elements. An operand has as many.
    pub unsafe fn combine(mut self, mine: *mut u8, count: usize, reduction: &Reduction<'_>) {
        let start = self.start().cast_const();
        let operand = |position: &usize| start.wrapping_add(position * self.len);
        let of_host =
            |positions: &Vec<usize>| -> Vec<*const u8> { positions.iter().map(operand).collect() };
        // SAFETY: the operands have `count` elements, and so have `mine` and the results of hosts (contract above).
        unsafe {
            if let [all] = &self.hosts[..] {
                return reduction.combine(mine, &of_host(all), count);
            }
            let results: Vec<Vec<u128>> = self
                .hosts
                .iter()
                .map(|positions| {
                    let mut result = vec![0_u128; self.len.div_ceil(16)];
                    reduction.combine(result.as_mut_ptr().cast(), &of_host(positions), count);
                    result
                })
                .collect();
            let of_hosts: Vec<*const u8> =
                results.iter().map(|result| result.as_ptr().cast()).collect();
            reduction.combine(mine, &of_hosts, count);
        }
    }
}

/// The part of a call that has to be the same on all images.
pub fn signature(count: usize, reduction: &Reduction<'_>) -> Signature {
    Signature::combined(Kind::ReduceScatter, count, reduction)
}

/// Combines the vectors at `all`, and leaves this image's `count` elements of the result at `mine`.
///
/// # Errors
/// When an image of the set has stopped or failed before it took part.
///
/// # Safety
/// `all` is valid for reads of `count` elements for each image, `mine` for writes of `count`. They do not overlap, and nothing else
/// accesses them meanwhile.
pub unsafe fn reduce_scatter_with(
    image: &Image,
    set: &ImageSet,
    all: *const u8,
    mine: *mut u8,
    count: usize,
    reduction: &Reduction<'_>,
    choices: &Choices,
) -> Result<()> {
    let len = count * reduction.element();
    let parts = Parts::Equal(len);
    let mut operands = Operands::new(image, set, set.split(image), len);
    // SAFETY: both have a part for each image (contract above).
    let buffers = unsafe { AlltoallBuffers::new(all, parts, operands.start(), parts) };
    alltoall_of(image, set, &buffers, signature(count, reduction), choices)?;
    if count > 0 {
        // SAFETY: all operands have arrived, and `mine` has room (contract above).
        unsafe { operands.combine(mine, count, reduction) };
    }
    Ok(())
}
