//! Memory that the images of a team allocate together.

use super::argument::{Data, place};
use super::outcome::functions;
use crate::process::{self, Instance, instance};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::Range;
use xmp_coarray::registry::BlockId;
use xmp_coarray::together;
use xmp_core::{Error, heap};

/// The blocks that C programs have allocated, by their offsets in the segment.
#[derive(Debug, Default)]
pub struct Blocks(RefCell<BTreeMap<u64, BlockId>>);

impl Blocks {
    /// END TEAM has freed these: they are forgotten.
    pub fn released(&self, instance: &Instance, released: &[Range<u64>]) {
        let mut blocks = self.0.borrow_mut();
        for id in released.iter().filter_map(|block| blocks.remove(&block.start)) {
            instance.registry.borrow_mut().remove(id);
        }
    }
}

functions! {
    /// Allocates a block.
    fn xmprt_allocate(bytes: usize, block: Option<&Cell<*mut c_void>>) {
        let Instance { image, registry, c, .. } = instance();
        let block = place(block, "block")?;
        process::register(&super::FRONT_END)?;
        let made = together::make_zeroed(image, bytes as u64, heap::GRAIN as usize)?;
        let id = registry.borrow_mut().insert(made);
        c.blocks.0.borrow_mut().insert(made.offset, id);
        block.set(made.local(image).cast());
        Ok(())
    }

    /// Frees a block.
    fn xmprt_free(block: Data) {
        let Instance { image, registry, c, .. } = instance();
        let start = block.start();
        let mine = image.locate(start).filter(|(rank, _)| *rank == image.rank());
        let id = mine.and_then(|(_, offset)| c.blocks.0.borrow().get(&offset).copied());
        let id = id.ok_or_else(|| {
            Error::Invalid(format!("{start:p} is not the start of a block of xmprt_allocate"))
        })?;
        let known = *registry.borrow().get(id).expect("registered when it was made");
        together::give_back(image, known)?;
        registry.borrow_mut().remove(id);
        c.blocks.0.borrow_mut().remove(&known.offset);
        Ok(())
    }
}
