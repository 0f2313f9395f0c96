//! Coarrays that MOVE_ALLOC has moved, compared at the end of the program.
//!
//! For MOVE_ALLOC the compiler only calls the SYNC ALL of the library. Then the program itself moves the descriptor, with its token. So two
//! images continue with wrong data if they move different coarrays, or if one of them executes SYNC ALL instead. A later DEALLOCATE of
//! the variables finds the difference, and so does the end of a procedure that declares the variables. Static variables need not be
//! deallocated. So each image searches its static variables for its coarrays when it ends: this memory lasts as long as the process. The
//! image compares its result with the results of images of its host that have ended before, so no image waits.

use super::designator;
use super::token::Token;
use super::variables;
use crate::process::{Instance, OfImage};
use std::cell::{Cell, RefCell};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering, fence};
use xmp_coarray::front_end::Block;
use xmp_core::{Error, Rank, Result, hash};

/// The coarrays of this image that are allocated, and whose variables are static.
struct Homes {
    /// A word that the images of a host compare; made with the first coarray. 0 until the image has ended.
    word: Cell<Option<Block>>,
    tokens: RefCell<Vec<NonNull<Token>>>,
}

static HOMES: OfImage<Homes> =
    OfImage::new(Homes { word: Cell::new(None), tokens: RefCell::new(Vec::new()) });

/// The most bytes of static variables that are searched for coarrays that have been moved.
const MAX_SEARCHED_BYTES: usize = 16 << 20;

/// Makes the word before the first coarray is allocated in the initial team, unless the image is alone.
///
/// # Errors
/// [`Error::OutOfMemory`].
#[inline]
pub fn prepare(instance: &Instance) -> Result<()> {
    let (word, image) = (&HOMES.of(instance).word, &instance.image);
    if word.get().is_none() && image.stack().depth() == 1 && image.job().images() > 1 {
        let block = Block::allocate(image, size_of::<AtomicU64>() as u64)?;
        // SAFETY: a new block of this image, aligned to a cache line; no other image reads it before the end of the statement.
        unsafe { block.local(image).cast::<AtomicU64>().write(AtomicU64::new(0)) };
        word.set(Some(block));
    }
    Ok(())
}

/// A coarray is allocated, with this token.
#[inline]
pub fn allocated(instance: &Instance, token: NonNull<Token>) {
    // SAFETY: the token was made just now.
    let home = unsafe { token.as_ref() }.home;
    if instance.image.stack().depth() == 1 && variables::is_static(home.token.cast()) {
        HOMES.of(instance).tokens.borrow_mut().push(token);
    }
}

/// A coarray is deallocated.
#[inline]
pub fn deallocated(instance: &Instance, token: &Token) {
    let mut tokens = HOMES.of(instance).tokens.borrow_mut();
    // Programs often deallocate the coarray first that they have allocated last.
    if let Some(at) = tokens.iter().rposition(|known| ptr::eq(known.as_ptr(), token)) {
        tokens.swap_remove(at);
    }
}

/// The image ends normally: compares the places of its coarrays with those of images of its host that have ended.
///
/// # Errors
/// When the places differ.
#[cold]
pub fn compare_at_end(instance: &Instance) -> Result<()> {
    let Some(block) = HOMES.of(instance).word.get() else { return Ok(()) };
    let Ok(tokens) = HOMES.of(instance).tokens.try_borrow() else { return Ok(()) };
    let image = &instance.image;
    // SAFETY: deregistration takes tokens out of the list.
    let all = tokens.iter().map(|token| unsafe { token.as_ref() });
    let moved: Vec<&Token> = all
        .filter(|token| {
            let base = token.block.local(image);
            !token.home.is_of(NonNull::from(*token).cast(), base)
        })
        .collect();
    let own = word_of(instance, &moved);
    let at = |rank: Rank| {
        let word = image.local_address(rank, block.offset)?;
        // SAFETY: all images of this host have the block, in which nothing but this word is.
        Some(unsafe { &*word.cast::<AtomicU64>() })
    };
    let me = image.rank();
    at(me).expect("memory of its own").store(own, Ordering::Release);
    // Each ending image executes this fence between its store and its loads of the other words. So at least one of two images sees both words.
    fence(Ordering::SeqCst);
    let differs = |&rank: &Rank| {
        let theirs = at(rank).map_or(0, |word| word.load(Ordering::Acquire));
        theirs != 0 && theirs != own && theirs >> PROGRAM == own >> PROGRAM
    };
    let Some(other) = (0..image.job().images() as u32).map(Rank::new).find(differs) else {
        return Ok(());
    };
    let names: Vec<String> = moved.iter().filter_map(|token| designator::declared(token)).collect();
    let what = match names.len() {
        0 if moved.is_empty() => "no coarray".into(),
        0 => "others".into(),
        _ => names.join(", "),
    };
    Err(Error::Invalid(format!(
        "{other} has not moved the same coarrays by MOVE_ALLOC as {me}, which has moved {what}: all images have to execute the same \
         MOVE_ALLOC statements"
    )))
}

/// The place of the number of the program in the word: images of different programs have other places.
const PROGRAM: u32 = 48;

/// The moved coarrays and their places, in a word that is not 0.
fn word_of(instance: &Instance, moved: &[&Token]) -> u64 {
    let places = places_of(instance, moved);
    let hash = moved.iter().zip(places).fold(0u64, |all, (token, place)| {
        // The order of the list is that of the allocations, which may differ between images.
        all.wrapping_add(hash::mixed_with(token.block.offset, place))
    });
    u64::from(variables::program_number()) << PROGRAM | hash >> (u64::BITS - PROGRAM) | 1
}

/// For each of these coarrays its place among the static variables of the program; 0 if it is in none.
fn places_of(instance: &Instance, moved: &[&Token]) -> Vec<u64> {
    let mut places = vec![0; moved.len()];
    let Some((base, words)) = variables::words(MAX_SEARCHED_BYTES).filter(|_| !moved.is_empty())
    else {
        return places;
    };
    let mut known: Vec<(usize, usize)> =
        moved.iter().enumerate().map(|(at, token)| (ptr::from_ref(*token).addr(), at)).collect();
    known.sort_unstable();
    for place in words {
        // SAFETY: a word of the program's static variables, which are mapped. Volatile: it may be any of them.
        let word = unsafe { place.read_volatile() };
        let Ok(found) = known.binary_search_by_key(&word, |(token, _)| *token) else { continue };
        let at = known[found].1;
        let token = moved[at];
        let home = token.home.moved_to(place.cast_mut().cast());
        if home.is_of(NonNull::from(token).cast(), token.block.local(&instance.image)) {
            places[at] = (place.addr() - base) as u64;
        }
    }
    places
}
