//! Memory that the images of a team allocate together.

use super::outcome::{not_null, outcome};
use crate::process::{self, Instance, instance};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use xmp_coarray::registry::BlockId;
use xmp_coarray::together;
use xmp_core::{Error, Result, heap};

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

/// Allocates a block.
///
/// # Safety
/// `block` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_allocate(bytes: usize, block: *mut *mut c_void) -> c_int {
    let attempt = || -> Result<()> {
        let Instance { image, registry, c, .. } = instance();
        not_null(block, "block")?;
        process::register(&super::FRONT_END)?;
        let made = together::make_zeroed(image, bytes as u64, heap::GRAIN as usize)?;
        let id = registry.borrow_mut().insert(made);
        c.blocks.0.borrow_mut().insert(made.offset, id);
        // SAFETY: the caller's guarantee.
        unsafe { *block = made.local(image).cast() };
        Ok(())
    };
    outcome("xmprt_allocate", attempt)
}

/// Frees a block.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_free(block: *mut c_void) -> c_int {
    let attempt = || -> Result<()> {
        let Instance { image, registry, c, .. } = instance();
        let mine = image.locate(block.cast()).filter(|(rank, _)| *rank == image.rank());
        let id = mine.and_then(|(_, offset)| c.blocks.0.borrow().get(&offset).copied());
        let id = id.ok_or_else(|| {
            Error::Invalid(format!("{block:p} is not the start of a block of xmprt_allocate"))
        })?;
        let known = *registry.borrow().get(id).expect("registered when it was made");
        together::give_back(image, known)?;
        registry.borrow_mut().remove(id);
        c.blocks.0.borrow_mut().remove(&known.offset);
        Ok(())
    };
    outcome("xmprt_free", attempt)
}
