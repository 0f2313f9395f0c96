//! Coarrays that were allocated in a CHANGE TEAM construct and that END TEAM deallocates (Fortran 2018, 11.1.5.2).
//!
//! gfortran 16 deregisters them before END TEAM. Up to version 15 the compiler does nothing: the variable seems to be
//! allocated still, its next ALLOCATE would be an error, and the end of its procedure deregisters it although its
//! memory is gone. So a token outlives END TEAM as a *dead* one, which every use refuses, and which a later
//! deregistration or the next ALLOCATE of the same variable buries.
//!
//! And the variable becomes unallocated where that can be done without guessing (`variable_location.rs`). Where the compiler has
//! kept the address in a register it does not notice, and deregisters the dead token.

use super::component;
use super::named_memory;
use super::shape;
use super::token::{Token, TokenHandle};
use crate::entry::decode;
use crate::process::{self, Instance, OfImage};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::ptr::{self, NonNull};
use xmp_coarray::front_end::Block;
use xmp_core::Result;

/// The tokens of coarrays that end with a team.
#[derive(Debug)]
struct InTeams {
    /// Those of coarrays that are allocated in a team now, by their offsets in the segment, with the depth of the team.
    live: BTreeMap<u64, (usize, NonNull<Token>)>,
    /// Those of coarrays that END TEAM has deallocated.
    dead: BTreeSet<NonNull<Token>>,
    /// Those of names that coarrays have in CHANGE TEAM constructs, with the number of constructs that were open.
    associated: Vec<(usize, NonNull<Token>)>,
    /// How many sets had been entered when a CHANGE TEAM failed and reported it by `stat=`: the compiler has END TEAM
    /// follow in any case.
    not_entered: Vec<usize>,
}

static IN_TEAMS: OfImage<RefCell<InTeams>> = OfImage::new(RefCell::new(InTeams {
    live: BTreeMap::new(),
    dead: BTreeSet::new(),
    associated: Vec::new(),
    not_entered: Vec::new(),
}));

/// A coarray is allocated, with this token. Remembers it if that is in a team.
#[inline]
pub fn allocated(instance: &Instance, token: NonNull<Token>) {
    let depth = instance.image.stack().depth();
    if depth > 1 {
        // SAFETY: the token was made just now.
        let offset = unsafe { token.as_ref() }.block.offset;
        IN_TEAMS.of(instance).borrow_mut().live.insert(offset, (depth, token));
    }
}

/// A coarray at this offset was deallocated.
#[inline]
pub fn deallocated(instance: &Instance, offset: u64) {
    IN_TEAMS.of(instance).borrow_mut().live.remove(&offset);
}

/// END TEAM is executed: the components of the coarrays that it will deallocate are looked for as long as there are
/// any.
pub fn leaving(instance: &Instance) {
    let stack = instance.image.stack();
    // The end of a task region is none of a team.
    if stack.top().owner().is_none() {
        return;
    }
    let depth = stack.depth();
    // SAFETY: they are live: deregistration takes tokens out of the table.
    let block = |token: &NonNull<Token>| unsafe { token.as_ref() }.block;
    let in_teams = IN_TEAMS.of(instance).borrow();
    let of_team = in_teams.live.values().filter(|live| live.0 == depth);
    let blocks: Vec<Block> = of_team.map(|(_, token)| block(token)).collect();
    drop(in_teams);
    for block in blocks {
        process::freeing(instance, &(block.offset..block.offset + block.size));
        component::leave_with(instance, block);
    }
}

/// END TEAM has freed these blocks: the coarrays that had them become unallocated.
pub fn released(instance: &Instance, blocks: &[Range<u64>]) -> Result<()> {
    component::give_back(instance)?;
    let InTeams { live, dead, .. } = &mut *IN_TEAMS.of(instance).borrow_mut();
    for (_, mut token) in blocks.iter().filter_map(|block| live.remove(&block.start)) {
        // SAFETY: it was live until now: deregistration takes tokens out of the table. There is no other reference to
        // it.
        let token_now = unsafe { token.as_mut() };
        instance.registry.borrow_mut().remove(token_now.id);
        shape::forget(instance, token_now);
        named_memory::deallocated(instance, token_now.block.offset);
        token_now.home.clear(token.cast(), token_now.block.local(&instance.image));
        token_now.die();
        dead.insert(token);
    }
    Ok(())
}

/// A coarray has another name, with this token, in the innermost construct. (gfortran 16 does not deregister it.)
pub fn associated(instance: &Instance, token: NonNull<Token>) {
    let open = open_constructs(instance);
    IN_TEAMS.of(instance).borrow_mut().associated.push((open, token));
}

/// A name of a coarray is given up before its construct ends.
pub fn dissociated(instance: &Instance, token: *const Token) {
    let associated = &mut IN_TEAMS.of(instance).borrow_mut().associated;
    associated.retain(|(_, known)| known.as_ptr().cast_const() != token);
}

/// The innermost construct has ended: gives up the names that coarrays have had in it.
pub fn end_names(instance: &Instance) {
    let open = open_constructs(instance);
    let associated = &mut IN_TEAMS.of(instance).borrow_mut().associated;
    while let Some((_, token)) = associated.pop_if(|(within, _)| *within > open) {
        give_up(instance, token);
    }
}

/// Frees a token that was taken out of its table.
fn give_up(instance: &Instance, token: NonNull<Token>) {
    // SAFETY: tokens in tables are those of `into_raw`, and nothing refers to one that is in no table any more: the coarray,
    // or the construct that had a name for it, has ended.
    unsafe { Token::give_up(token, instance) };
}

/// Number of constructs that this image is in, whether it could enter the teams or not.
fn open_constructs(instance: &Instance) -> usize {
    instance.image.stack().depth() + IN_TEAMS.of(instance).borrow().not_entered.len()
}

/// CHANGE TEAM has failed, so that END TEAM has nothing to leave.
pub fn note_not_entered(instance: &Instance) {
    IN_TEAMS.of(instance).borrow_mut().not_entered.push(instance.image.stack().depth());
}

/// END TEAM is executed: whether it is that of a CHANGE TEAM that has failed.
pub fn was_not_entered(instance: &Instance) -> bool {
    let depth = instance.image.stack().depth();
    let not_entered = &mut IN_TEAMS.of(instance).borrow_mut().not_entered;
    not_entered.pop_if(|failed_at| *failed_at == depth).is_some()
}

/// Gives up the token in a place that is going to have another one, or none, if it is that of a coarray which END TEAM
/// has deallocated. Whether it was. What the place holds may be anything.
#[inline]
pub fn bury(instance: &Instance, place: &Cell<TokenHandle>) -> bool {
    let InTeams { dead, .. } = &mut *IN_TEAMS.of(instance).borrow_mut();
    // Most programs stop here: there is nothing to look for.
    if dead.is_empty() {
        return false;
    }
    let address = NonNull::new(ptr::without_provenance_mut(decode::undefined(place) as usize));
    let token = address.and_then(|address| dead.take(&address));
    token.map(|token| give_up(instance, token)).is_some()
}
