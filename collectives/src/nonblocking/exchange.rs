//! Messages to and from some images of a set, whose lengths both sides know.

use super::handle::Handle;
use super::program::{Memory, Program};
use super::raw::begin;
use super::steps;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Begins to give and get messages: `data` has those for the image at position 0, 1 and so on, one behind the other, of
/// the lengths `give`; what comes is in the same order, of the lengths `get`. An image that has nothing to exchange with
/// another one has the length 0 for it; all images of the set begin the operation.
///
/// # Errors
/// When there is not a length for each image, the lengths are not those of the data, or one for this image itself is
/// not 0.
///
/// # Panics
/// When this image is not in the set.
pub fn exchange<'i>(
    image: &'i Image,
    set: &ImageSet,
    mut data: Vec<u8>,
    give: &[usize],
    get: &[usize],
) -> Result<Handle<'i, Vec<u8>>> {
    let (n, me) = (set.len(), set.position().expect("a member of the set"));
    let given: usize = give.iter().sum();
    if give.len() != n || get.len() != n || given != data.len() || give[me] + get[me] > 0 {
        return Err(Error::Invalid(format!(
            "an exchange of {} bytes with {n} images: {given} bytes to {} images, from {}",
            data.len(),
            give.len(),
            get.len()
        )));
    }
    let mut offsets = Vec::with_capacity(2 * n + 1);
    let mut end = 0;
    offsets.push(end);
    for len in give.iter().chain(get) {
        end += len;
        offsets.push(end);
    }
    data.resize(end, 0);
    let has_bytes = |blocks: &std::ops::Range<usize>| offsets[blocks.start] < offsets[blocks.end];
    let steps = steps::alltoall(set)
        .into_iter()
        .map(|step| steps::Step {
            send: step.send.filter(|(_, blocks)| has_bytes(blocks)),
            receive: step.receive.filter(|(_, blocks, _)| has_bytes(blocks)),
        })
        .filter(|step| step.send.is_some() || step.receive.is_some())
        .collect();
    let memory = Memory::Parts(data.as_mut_ptr(), offsets.into());
    let program = Program { steps, memory, combine: None };
    // SAFETY: `data` goes to the operation, and is not touched there before its end.
    Ok(unsafe { begin(image, set, program, move || data.split_off(given)) })
}
