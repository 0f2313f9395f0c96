//! Memory that the images of a team allocate together.

use super::argument::{Data, place};
use super::outcome::functions;
use crate::process::{self, FrontEnd, Instance, OfImage, Selector, instance};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::Range;
use xmp_coarray::front_end::allocation;
use xmp_coarray::front_end::registry::BlockId;
use xmp_core::{Error, Rank, Result, heap};
use xmp_source::{Modules, Statement, innermost_callers};

/// The blocks that C programs have allocated, by their offsets in the segment.
static BLOCKS: OfImage<RefCell<BTreeMap<u64, Allocated>>> =
    OfImage::new(RefCell::new(BTreeMap::new()));

/// A block.
#[derive(Debug)]
struct Allocated {
    id: BlockId,
    bytes: u64,
    /// The calls that have allocated it, innermost first; none unless races are looked for.
    by: Vec<usize>,
}

/// The handlers of the C front end for events of the job.
static FRONT_END: FrontEnd = FrontEnd { released, name_of, start_of, ..FrontEnd::IDLE };

/// Calls that are kept of an allocation.
const CALLERS: usize = 8;

/// Forgets blocks that were freed with the team in which they were allocated.
fn released(instance: &Instance, freed: &[Range<u64>]) -> Result<()> {
    let mut blocks = BLOCKS.of(instance).borrow_mut();
    for block in freed.iter().filter_map(|block| blocks.remove(&block.start)) {
        instance.registry.borrow_mut().remove(block.id);
    }
    Ok(())
}

/// The blocks that were allocated since the executing set was entered, and are freed with it.
pub fn blocks_of_team(instance: &Instance) -> Vec<Range<u64>> {
    let image = &instance.image;
    let (memory, entry) = (image.memory(), image.stack().top().scope());
    // Blocks of the set of all images are in the symmetric heap of these, others in the teams heap.
    let is_of_all = image.executing().members() == image.stack().initial().members();
    let is_of_team = |offset: u64| {
        if memory.is_of_team(offset) {
            memory.is_of_team_since(offset, entry)
        } else {
            is_of_all && memory.check_free_symmetric(offset).is_ok()
        }
    };
    let blocks = BLOCKS.of(instance).borrow();
    let of_team = blocks.iter().filter(|(offset, _)| is_of_team(**offset));
    of_team.map(|(&offset, block)| offset..offset + block.bytes).collect()
}

/// The block that has this byte of the memory of an image, and where it begins. A block has the same offset on all images.
fn holding(blocks: &BTreeMap<u64, Allocated>, offset: u64) -> Option<(u64, &Allocated)> {
    let (&start, block) = blocks.range(..=offset).next_back()?;
    // A block without bytes has its first address.
    (offset - start < block.bytes.max(1)).then_some((start, block))
}

/// The byte of a block, in the words of messages: `byte 16 of the block allocated at main.c:9 on image 2`.
#[cold]
fn name_of(instance: &Instance, of: Rank, offset: u64, selector: Selector) -> Option<String> {
    let blocks = BLOCKS.of(instance).try_borrow().ok()?;
    let (start, block) = holding(&blocks, offset)?;
    let modules = Modules::of_this_process().ok()?;
    let (statement, _) = Statement::of_thread(&modules, &block.by);
    let image = match selector {
        Selector::Image => format!(" on {of}"),
        Selector::None => String::new(),
    };
    Some(format!("byte {} of the block allocated at {}{image}", offset - start, statement?))
}

#[cold]
fn start_of(instance: &Instance, offset: u64) -> Option<u64> {
    let blocks = BLOCKS.of(instance).try_borrow().ok()?;
    holding(&blocks, offset).map(|(start, _)| start)
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
        let by = image.races().map(|_| innermost_callers(CALLERS)).unwrap_or_default();
        let block_of = Allocated { id, bytes: bytes as u64, by };
        BLOCKS.of(instance).borrow_mut().insert(made.offset, block_of);
        block.set(made.local(image).cast());
        Ok(())
    }

    /// Frees a block; nothing at a null pointer.
    fn xmprt_free(block: Data) {
        if block.start().is_null() {
            return Ok(());
        }
        let instance = instance();
        let Instance { image, registry, .. } = instance;
        let start = block.start();
        let mine = image.locate(start).filter(|(rank, _)| *rank == image.rank());
        let id = mine.and_then(|(_, offset)| BLOCKS.of(instance).borrow().get(&offset).map(|it| it.id));
        let id = id.ok_or_else(|| {
            Error::Invalid(format!("{start:p} is not the start of a block of xmprt_allocate"))
        })?;
        let known = *registry.borrow().get(id).expect("registered when it was made");
        process::freeing(instance, &(known.offset..known.offset + known.size));
        // SAFETY: programs do not use a block after they have freed it (`xmprt.h`).
        unsafe { allocation::free(image, known)? };
        registry.borrow_mut().remove(id);
        BLOCKS.of(instance).borrow_mut().remove(&known.offset);
        Ok(())
    }
}
