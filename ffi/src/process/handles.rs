//! Handles: numbers that programs keep for objects of this library, and that are checked when they come back.
//!
//! A variable of a program may be undefined or out of date, so what it holds is never taken for an address. A handle
//! is the place of the object in a table, with a generation that tells objects apart which have had the same place.

/// The upper 16 bits of a handle. No pointer of a program on x86-64 has them, even with addresses of 57 bits.
const TAG: u64 = 0x7ea3 << 48;
const INDEX_BITS: u32 = 24;
const INDEX: u64 = (1 << INDEX_BITS) - 1;
const LAST_GENERATION: u32 = (1 << 24) - 1;

/// A handle that no object has.
pub const NOTHING: u64 = handle(INDEX as usize, LAST_GENERATION);

/// Objects with handles.
#[derive(Debug)]
pub struct Handles<T> {
    slots: Vec<Slot<T>>,
    /// Places that are free.
    free: Vec<usize>,
}

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

impl<T> Default for Handles<T> {
    fn default() -> Handles<T> {
        Handles::new()
    }
}

impl<T> Handles<T> {
    /// No objects.
    pub const fn new() -> Handles<T> {
        Handles { slots: Vec::new(), free: Vec::new() }
    }

    /// Keeps an object and returns its handle, which is never 0.
    ///
    /// # Panics
    /// When 16 million objects are kept.
    pub fn insert(&mut self, value: T) -> u64 {
        let index = self.free.pop().unwrap_or_else(|| {
            assert!((self.slots.len() as u64) < INDEX, "more than {INDEX} handles are in use");
            self.slots.push(Slot { generation: 0, value: None });
            self.slots.len() - 1
        });
        self.slots[index].value = Some(value);
        handle(index, self.slots[index].generation)
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| slot.value.is_none())
    }

    /// The object with this handle; `None` for any number that is not the handle of an object kept now.
    pub fn get(&self, handle: u64) -> Option<&T> {
        self.slots[self.index(handle)?].value.as_ref()
    }

    /// The object with this handle, to change it.
    pub fn get_mut(&mut self, handle: u64) -> Option<&mut T> {
        let index = self.index(handle)?;
        self.slots[index].value.as_mut()
    }

    /// Forgets the object with this handle.
    pub fn remove(&mut self, handle: u64) -> Option<T> {
        let index = self.index(handle)?;
        let slot = &mut self.slots[index];
        let value = slot.value.take()?;
        // A place whose generations are used up is not used again.
        if slot.generation < LAST_GENERATION {
            slot.generation += 1;
            self.free.push(index);
        }
        Some(value)
    }

    /// The handle of the first object of which this is true.
    pub fn find(&self, is_it: impl Fn(&T) -> bool) -> Option<u64> {
        let index = self.slots.iter().position(|slot| slot.value.as_ref().is_some_and(&is_it))?;
        Some(handle(index, self.slots[index].generation))
    }

    /// The place that a handle says, if its generation is the present one there.
    fn index(&self, number: u64) -> Option<usize> {
        let index = usize::try_from(number & INDEX).ok()?;
        let slot = self.slots.get(index)?;
        (number == handle(index, slot.generation)).then_some(index)
    }
}

/// Whether a number looks like a handle; addresses do not.
pub fn is_handle(number: u64) -> bool {
    number & 0xffff << 48 == TAG
}

const fn handle(index: usize, generation: u32) -> u64 {
    TAG | (generation as u64) << INDEX_BITS | index as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_find_their_objects_and_nothing_else_does() {
        let mut handles = Handles::default();
        let all: Vec<u64> = (0..100).map(|number| handles.insert(number)).collect();
        for (number, &handle) in all.iter().enumerate() {
            assert!(is_handle(handle));
            assert_eq!(handles.get(handle), Some(&number));
            assert_eq!(handles.find(|&kept| kept == number), Some(handle));
        }
        for nothing in [NOTHING, 0, 1, 99, 0xffff_ffff, u64::MAX, TAG | 100, all[3] | 1 << 30] {
            assert_eq!(handles.get(nothing), None, "{nothing:#x}");
            assert_eq!(handles.remove(nothing), None, "{nothing:#x}");
        }
        assert!(is_handle(NOTHING));
        assert!(!is_handle(&raw const handles as u64));
    }

    #[test]
    fn a_place_that_is_used_again_has_another_handle() {
        let mut handles = Handles::default();
        let other = handles.insert('a');
        let mut before = handles.insert('b');
        for _ in 0..1000 {
            assert_eq!(handles.remove(before), Some('b'));
            assert_eq!(handles.remove(before), None);
            let now = handles.insert('b');
            assert_eq!((handles.get(before), handles.get(now)), (None, Some(&'b')));
            before = now;
        }
        assert_eq!(handles.get(other), Some(&'a'));
        assert_eq!(handles.slots.len(), 2);
    }

    #[test]
    fn generations_do_not_come_round() {
        let mut handles = Handles::default();
        let first = handles.insert(());
        handles.slots[0].generation = LAST_GENERATION;
        let last = handle(0, LAST_GENERATION);
        assert_eq!(handles.remove(last), Some(()));
        let next = handles.insert(());
        assert_eq!(handles.slots.len(), 2);
        assert_eq!([first, last].map(|old| handles.get(old)), [None, None]);
        assert!(handles.get(next).is_some());
    }
}
