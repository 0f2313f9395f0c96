//! Allocation and deallocation of coarrays, and of memory that one image allocates; aliases.

use super::agreement;
use super::arrays::Vector;
use super::coarray::{Coarray, Established, FinalProcedure, Role};
use super::coarrays;
use super::cobounds::Cobounds;
use super::dummies::{Address, Procedure};
use super::handle::Handle;
use super::static_coarrays::Memory;
use super::table::procedures;
use crate::process::{self, FrontEnd, Instance, OfImage, instance};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use xmp_coarray::front_end::allocation::Described;
use xmp_coarray::front_end::{Block, allocation, sync_all, sync_all_active};
use xmp_core::counted::counted;
use xmp_core::language::Language;
use xmp_core::{Error, Result, heap};

/// Blocks up to this size are zeros when they are allocated: coarrays of events, locks and critical constructs.
const ZEROED: usize = 4096;

/// The coarrays with memory of their own, by their offsets in the segment.
static COARRAYS: OfImage<RefCell<BTreeMap<u64, Handle>>> =
    OfImage::new(RefCell::new(BTreeMap::new()));

static FRONT_END: FrontEnd =
    FrontEnd { leaving, released, language: Language::Fortran, ..FrontEnd::IDLE };

procedures! {
    /// ALLOCATE of a coarray: all images of the current team call it. `ucobounds` may lack the last one. `final_proc`
    /// is called before the coarray is deallocated, if it is associated.
    entered fn allocate_coarray(
        lcobounds: &Vector<i64>,
        ucobounds: &Vector<i64>,
        size_in_bytes: &usize,
        final_proc: &Procedure<FinalProcedure>,
        coarray_handle: &Cell<Handle>,
        allocated_memory: Option<&Memory>,
    ) [outcome: statement] {
        process::register(&FRONT_END)?;
        let instance = instance();
        let Instance { image, registry, .. } = instance;
        let images = image.executing().len();
        let bounds = Cobounds::new("lcobounds", &lcobounds.values(), "ucobounds", &ucobounds.values(), images)?;
        let (block, failures) = if outcome.has_stat() {
            allocate_active(instance, *size_in_bytes, &bounds)?
        } else {
            let (size, zero) = (*size_in_bytes as u64, |start| zero(start, *size_in_bytes));
            let described = Described { cobounds: bounds.hash(), ..Described::default() };
            (allocation::make_described(image, size, heap::GRAIN as usize, described, zero)?, Ok(()))
        };
        let established = Established {
            block,
            id: registry.borrow_mut().insert(block),
            final_procedure: final_proc.0,
            entry: image.stack().top().serial(),
            context: Cell::new(std::ptr::null_mut()),
            aliases: RefCell::default(),
        };
        let everywhere = !image.memory().is_of_team(block.offset);
        let handle = coarrays::insert(|handle| Coarray {
            handle,
            start: block.offset,
            reach: block.size,
            everywhere,
            bounds,
            role: Role::Established(established),
        })?;
        COARRAYS.of(instance).borrow_mut().insert(block.offset, handle);
        coarray_handle.set(handle);
        if let Some(place) = allocated_memory {
            place.set(block.local(image));
        }
        failures
    }

    /// Allocates memory on this image only. Other images reach it by its address.
    entered fn allocate(size_in_bytes: &usize, allocated_memory: &Cell<Address>) [_: statement] {
        let image = &instance().image;
        let offset = image.memory().allocate_local((*size_in_bytes).max(1) as u64, heap::GRAIN)?;
        allocated_memory.set(Address(image.own_segment().wrapping_add(offset as usize)));
        Ok(())
    }

    /// DEALLOCATE of a coarray: all images of the team that allocated it call it.
    entered fn deallocate_coarray(coarray_handle: &Handle) [outcome: statement] {
        deallocate_all(instance(), &[*coarray_handle], "coarray_handle", outcome.has_stat())
    }

    /// DEALLOCATE of several coarrays, in this order.
    entered fn deallocate_coarrays(coarray_handles: &Vector<Handle>) [outcome: statement] {
        deallocate_all(instance(), &coarray_handles.values(), "coarray_handles", outcome.has_stat())
    }

    /// Deallocates memory of prif_allocate.
    entered fn deallocate(mem: &Address) [_: statement] {
        let image = &instance().image;
        let unknown = || Error::Invalid(format!("mem {:p} is no memory of prif_allocate on this image", mem.0));
        let offset = image.locate_of(image.rank(), mem.0).ok_or_else(unknown)?;
        // SAFETY: programs do not use memory after they have deallocated it (PRIF, prif_deallocate).
        unsafe { image.memory().free_local(offset) }.map_err(|_| unknown())
    }

    /// Makes another handle for a coarray: with other cobounds, and `data_pointer_offset` bytes further on.
    entered fn alias_create(
        source_handle: &Handle,
        alias_lcobounds: &Vector<i64>,
        alias_ucobounds: &Vector<i64>,
        data_pointer_offset: &usize,
        alias_handle: &Cell<Handle>,
    ) {
        let image = &instance().image;
        let source = source_handle.coarray("source_handle")?;
        let images = image.executing().len();
        let (lower, upper) = (alias_lcobounds.values(), alias_ucobounds.values());
        let bounds = Cobounds::new("alias_lcobounds", &lower, "alias_ucobounds", &upper, images)?;
        let distance = *data_pointer_offset as u64;
        let reach = source.reach.checked_sub(distance).ok_or_else(|| Error::Invalid(format!(
            "data_pointer_offset {distance} is beyond the {} of the coarray", counted(source.reach, "byte")
        )))?;
        let of = match source.role {
            Role::Established(_) => *source_handle,
            Role::Alias(of) => of,
        };
        let (start, everywhere) = (source.start + distance, source.everywhere);
        let alias = coarrays::insert(|handle| {
            Coarray { handle, start, reach, everywhere, bounds, role: Role::Alias(of) }
        })?;
        source.established().aliases.borrow_mut().push(alias);
        alias_handle.set(alias);
        Ok(())
    }

    /// Forgets an alias.
    entered fn alias_destroy(alias_handle: &Handle) {
        let alias = alias_handle.coarray("alias_handle")?;
        if let Role::Established(_) = alias.role {
            return Err(Error::Invalid("alias_handle is a coarray and no alias: deallocate it".into()));
        }
        alias.established().aliases.borrow_mut().retain(|other| other != alias_handle);
        coarrays::remove(*alias_handle);
        Ok(())
    }
}

/// Clears this image's part of a small block.
fn zero(start: *mut u8, size: usize) {
    if size <= ZEROED {
        // SAFETY: this image's part of a new block of this many bytes, which no other image accesses yet.
        unsafe { start.write_bytes(0, size) };
    }
}

/// A block for all images of the current team that are left, and the failure of the others.
///
/// # Errors
/// No memory on one of them, other sizes or cobounds, or an image that has stopped: then none has the block.
fn allocate_active(
    instance: &Instance,
    size: usize,
    bounds: &Cobounds,
) -> Result<(Block, Result<()>)> {
    let image = &instance.image;
    image.threads().only_one()?;
    let block = coarrays::room().and_then(|()| Block::allocate(image, size as u64));
    if let Ok(block) = block {
        zero(block.local(image), size);
    }
    let error = match agreement::hindrance(image, size as u64, bounds, block.is_ok()) {
        Ok((None, failures)) => return Ok((block?, failures)),
        // An image that has no room says so itself.
        Ok((Some(hindrance), _)) => block.as_ref().err().cloned().unwrap_or(hindrance),
        Err(ended) => ended,
    };
    if let Ok(block) = block {
        // SAFETY: no program has got the block.
        unsafe { block.free(image)? };
    }
    Err(error)
}

/// Deallocates coarrays after all images of the team have met: final procedures first.
///
/// # Errors
/// A handle that is unknown, of an alias, or given twice, a coarray of another team; then nothing was done. Images that
/// have ended; with `has_stat` the coarrays are deallocated although images have failed.
fn deallocate_all(
    instance: &Instance,
    all: &[Handle],
    argument: &str,
    has_stat: bool,
) -> Result<()> {
    let Instance { image, .. } = instance;
    image.threads().only_one()?;
    let mut which = 0u64;
    for (at, handle) in all.iter().enumerate() {
        let coarray = handle.coarray(argument)?;
        let Role::Established(Established { block, .. }) = &coarray.role else {
            return Err(Error::Invalid(format!(
                "{argument} is an alias: destroy it by prif_alias_destroy"
            )));
        };
        if all[..at].contains(handle) {
            return Err(Error::Invalid(format!(
                "element {} of {argument} is there before",
                at + 1
            )));
        }
        image.memory().check_free_symmetric(block.offset)?;
        process::freeing(instance, &(block.offset..block.offset + block.size));
        which = which.wrapping_mul(31).wrapping_add(block.offset);
    }
    let failures = if has_stat {
        agreement::agree_to_free(image, which)?
    } else {
        Ok(allocation::agree_to_free(image, which)?)
    };
    if finalise(all) {
        // A final procedure of another image may still access its part of this one.
        let again = sync_all_active(image, &image.executing());
        if let Err(error) = again
            && !matches!(error, Error::FailedImage(_))
        {
            return Err(error);
        }
    }
    for &handle in all {
        // A final procedure may have deallocated another coarray.
        let block = handle.coarray(argument)?.established().block;
        // SAFETY: all images execute the deallocation, after which programs do not use the coarray.
        unsafe { block.free(image)? };
        forget(instance, block.offset);
    }
    failures
}

/// Calls the final procedures of coarrays; returns whether there was one.
fn finalise(all: &[Handle]) -> bool {
    let mut any = false;
    for &handle in all {
        let procedure = handle.find().and_then(|coarray| coarray.established().final_procedure);
        if let Some(procedure) = procedure {
            any = true;
            procedure(handle);
        }
    }
    any
}

/// Forgets the coarray at this offset and its aliases. Its memory was freed.
fn forget(instance: &Instance, offset: u64) {
    let Some(handle) = COARRAYS.of(instance).borrow_mut().remove(&offset) else { return };
    let Some(coarray) = handle.find() else { return };
    let Established { id, aliases, .. } = coarray.established();
    instance.registry.borrow_mut().remove(*id);
    aliases.take().into_iter().for_each(coarrays::remove);
    coarrays::remove(handle);
}

/// Calls the final procedures of what was allocated in the team that is about to be left, the last one first.
fn leaving(instance: &Instance) {
    let image = &instance.image;
    if image.stack().depth() == 1 {
        return;
    }
    let entry = image.stack().top().serial();
    let is_final = |handle: &Handle| {
        handle.find().is_some_and(|coarray| {
            let Established { final_procedure, entry: of, .. } = coarray.established();
            final_procedure.is_some() && *of == entry
        })
    };
    let mut all: Vec<Handle> =
        COARRAYS.of(instance).borrow().values().copied().filter(is_final).collect();
    if all.is_empty() {
        return;
    }
    all.reverse();
    // END TEAM reports the ends of images.
    let met = sync_all(image, &image.executing());
    tracing::debug!(?met, count = all.len(), "final procedures at the end of a team");
    finalise(&all);
}

/// Forgets coarrays that were freed with the team in which they were allocated.
fn released(instance: &Instance, freed: &[Range<u64>]) -> Result<()> {
    freed.iter().for_each(|block| forget(instance, block.start));
    Ok(())
}
