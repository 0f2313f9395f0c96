//! Memory that the images of a team allocate together.

use super::argument::{Data, place};
use super::outcome::functions;
use crate::process::{self, FrontEnd, Instance, OfImage, instance};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::Range;
use xmp_coarray::front_end::allocation;
use xmp_coarray::front_end::registry::BlockId;
use xmp_core::{Error, Result, heap};

/// The blocks that C programs have allocated, by their offsets in the segment.
static BLOCKS: OfImage<RefCell<BTreeMap<u64, BlockId>>> =
    OfImage::new(RefCell::new(BTreeMap::new()));

/// What the C front end does at events of the job.
static FRONT_END: FrontEnd = FrontEnd { released, ..FrontEnd::IDLE };

/// Forgets blocks that were freed with the team in which they were allocated.
fn released(instance: &Instance, freed: &[Range<u64>]) -> Result<()> {
    let mut blocks = BLOCKS.of(instance).borrow_mut();
    for id in freed.iter().filter_map(|block| blocks.remove(&block.start)) {
        instance.registry.borrow_mut().remove(id);
    }
    Ok(())
}

functions! {
    /// Allocates a block.
    fn xmprt_allocate(bytes: usize, block: Option<&Cell<*mut c_void>>) {
        let instance = instance();
        let Instance { image, registry, .. } = instance;
        let block = place(block, "block")?;
        process::register(&FRONT_END)?;
        let made = allocation::make_zeroed(image, bytes as u64, heap::GRAIN as usize)?;
        let id = registry.borrow_mut().insert(made);
        BLOCKS.of(instance).borrow_mut().insert(made.offset, id);
        block.set(made.local(image).cast());
        Ok(())
    }

    /// Frees a block.
    fn xmprt_free(block: Data) {
        let instance = instance();
        let Instance { image, registry, .. } = instance;
        let start = block.start();
        let mine = image.locate(start).filter(|(rank, _)| *rank == image.rank());
        let id = mine.and_then(|(_, offset)| BLOCKS.of(instance).borrow().get(&offset).copied());
        let id = id.ok_or_else(|| {
            Error::Invalid(format!("{start:p} is not the start of a block of xmprt_allocate"))
        })?;
        let known = *registry.borrow().get(id).expect("registered when it was made");
        // SAFETY: programs do not use a block after they have freed it (`xmprt.h`).
        unsafe { allocation::free(image, known)? };
        registry.borrow_mut().remove(id);
        BLOCKS.of(instance).borrow_mut().remove(&known.offset);
        Ok(())
    }
}
