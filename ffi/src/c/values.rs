//! Waits for values of variables of this image, and looks at them.
//!
//! The contract of entries here: the variables are accessed atomically only, by signals and atomic operations.

use super::argument::{Data, List, OutputList, Shared, place};
use super::outcome::functions;
use super::shared::own_words;
use crate::process::{instance, name_of_own_place};
use std::cell::Cell;
use std::ffi::{c_int, c_uint};
use xmp_coarray::front_end::signal;
use xmp_core::transport::Width;
use xmp_core::{Error, Image, Result};

/// Variables of this image, one after the other, some of which count.
struct Variables {
    image: &'static Image,
    /// The offset of the first one in the segment.
    start: u64,
    count: usize,
    width: Width,
    skip: List<c_int>,
    compare: fn(i64, i64) -> bool,
    value: i64,
}

impl Variables {
    /// `count` variables; those do not count for which `skip`, if it is there, is not 0.
    fn new(
        at: Shared,
        [count, len]: [usize; 2],
        skip: List<c_int>,
        comparison: c_uint,
        value: i64,
    ) -> Result<Variables> {
        let compare = comparison_of(comparison)?;
        let width = if len == 4 { Width::W4 } else { Width::W8 };
        let start = match count {
            0 => 0,
            _ => own_words(at, count, len)?.offset,
        };
        Ok(Variables { image: &instance().image, start, count, width, skip, compare, value })
    }

    fn offset(&self, number: usize) -> u64 {
        self.start + number as u64 * self.width.bytes()
    }

    fn holds(&self, number: usize) -> bool {
        // SAFETY: an aligned word in a block of this image, as found; accessed atomically by the contract.
        let bits = unsafe { signal::value(self.image, self.offset(number), self.width) };
        let now = if self.width == Width::W4 { i64::from(bits as i32) } else { bits as i64 };
        (self.compare)(now, self.value)
    }

    /// The numbers of those that count.
    fn counting(&self) -> impl Iterator<Item = usize> {
        let skip = self.skip.get(self.count);
        (0..self.count).filter(move |&number| skip.is_none_or(|skip| skip[number] == 0))
    }

    /// Waits until `ready`; at once where no variable counts.
    fn wait(&self, ready: impl Fn() -> bool) -> Result<()> {
        match self.counting().next() {
            Some(_) => signal::wait_until_ready(self.image, &|| self.name(), ready),
            None => Ok(()),
        }
    }

    /// The name of the variables in tables of waits.
    fn name(&self) -> Option<String> {
        name_of_own_place(instance(), self.start, self.count as u64 * self.width.bytes())
    }

    /// Waits for all of them.
    fn all(&self) -> Result<()> {
        self.wait(|| self.counting().all(|number| self.holds(number)))?;
        signal::seen(self.image, self.counting().map(|number| self.offset(number)));
        Ok(())
    }

    /// Waits for one of them; `index` gets its number, or the number of all if none counts.
    fn any(&self, index: Option<&Cell<usize>>) -> Result<()> {
        let index = place(index, "index")?;
        let found = Cell::new(None);
        self.wait(|| {
            found.set(self.counting().find(|&number| self.holds(number)));
            found.get().is_some()
        })?;
        signal::seen(self.image, found.get().map(|number| self.offset(number)));
        index.set(found.get().unwrap_or(self.count));
        Ok(())
    }

    /// Waits for one of them, and finds all that compare so: `indices` gets their numbers, and `found` their count.
    fn some(&self, indices: &OutputList<usize>, found: Option<&Cell<usize>>) -> Result<()> {
        let found = place(found, "found")?;
        let indices = indices.of(self.count);
        let room = if self.count == 0 { &[] } else { place_of_list(indices)? };
        self.wait(|| self.counting().any(|number| self.holds(number)))?;
        let holding = self.counting().filter(|&number| self.holds(number));
        let number = room.iter().zip(holding).map(|(cell, number)| cell.set(number)).count();
        found.set(number);
        signal::seen(self.image, room[..number].iter().map(|cell| self.offset(cell.get())));
        Ok(())
    }

    /// Tells whether the only one compares so.
    fn test(&self, holds: Option<&Cell<c_int>>) -> Result<()> {
        let told = place(holds, "holds")?;
        self.image.polled();
        let holds = self.holds(0);
        if holds {
            signal::seen(self.image, [self.start]);
        }
        told.set(holds.into());
        Ok(())
    }
}

fn place_of_list(list: Option<&[Cell<usize>]>) -> Result<&[Cell<usize>]> {
    list.ok_or_else(|| super::argument::null("indices"))
}

/// Declares the functions of a type.
macro_rules! values {
    ($($type:ident $len:literal: $one:ident $all:ident $any:ident $some:ident $test:ident)+) => { functions! {$(
        /// Waits until a variable compares so.
        fn $one(variable: Data, comparison: c_uint, value: $type) {
            Variables::new(variable.called("variable"), [1, $len], List::none(), comparison, value.into())?.all()
        }

        /// Waits until all variables compare so.
        fn $all(variables: Data, count: usize, skip: List<c_int>, comparison: c_uint, value: $type) {
            Variables::new(variables.called("variables"), [count, $len], skip, comparison, value.into())?.all()
        }

        /// Waits until a variable compares so.
        fn $any(
            variables: Data, count: usize, skip: List<c_int>, comparison: c_uint, value: $type,
            index: Option<&Cell<usize>>,
        ) {
            Variables::new(variables.called("variables"), [count, $len], skip, comparison, value.into())?.any(index)
        }

        /// Waits until a variable compares so, and finds all that do.
        fn $some(
            variables: Data, count: usize, skip: List<c_int>, comparison: c_uint, value: $type, indices: OutputList<usize>,
            found: Option<&Cell<usize>>,
        ) {
            Variables::new(variables.called("variables"), [count, $len], skip, comparison, value.into())?.some(&indices, found)
        }

        /// Tells whether a variable compares so.
        fn $test(variable: Data, comparison: c_uint, value: $type, holds: Option<&Cell<c_int>>) {
            Variables::new(variable.called("variable"), [1, $len], List::none(), comparison, value.into())?.test(holds)
        }
    )+} };
}

values! {
    i32 4: xmprt_wait_until32 xmprt_wait_until_all32 xmprt_wait_until_any32 xmprt_wait_until_some32 xmprt_test32
    i64 8: xmprt_wait_until64 xmprt_wait_until_all64 xmprt_wait_until_any64 xmprt_wait_until_some64 xmprt_test64
}

/// The comparison of an `xmprt_comparison`.
fn comparison_of(code: c_uint) -> Result<fn(i64, i64) -> bool> {
    Ok(match code {
        1 => |now, value| now == value,
        2 => |now, value| now != value,
        3 => |now, value| now < value,
        4 => |now, value| now <= value,
        5 => |now, value| now > value,
        6 => |now, value| now >= value,
        _ => return Err(Error::Invalid(format!("comparison {code} is not an xmprt_comparison"))),
    })
}
