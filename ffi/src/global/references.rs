//! The nodes that references to nodes and templates mean. Translated programs make a new descriptor at every execution
//! of a directive, so the last references are kept here.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// The number of references that are kept: enough for a loop around some directives.
const MAX_REFERENCES: usize = 16;

/// References and the nodes that they mean. `K` is how the program says a dimension, or a part of that.
pub struct References<T, K>(RefCell<ReferenceTable<T, K>>);

/// The references, of which the oldest one is replaced.
struct ReferenceTable<T, K> {
    meanings: Vec<Meaning<T, K>>,
    /// The place of the next one, once there are [`MAX_REFERENCES`]: the place of the oldest one.
    oldest: usize,
}

struct Meaning<T, K> {
    /// The nodes, or the distribution of the template, that was referred to. They are kept, so that no others have
    /// their address.
    of: Rc<dyn Any>,
    /// The subscripts of a reference, as the program writes them.
    subscripts: Box<[K]>,
    nodes: Rc<T>,
}

impl<T, K: PartialEq> Default for References<T, K> {
    fn default() -> References<T, K> {
        References::new()
    }
}

impl<T, K: PartialEq> References<T, K> {
    /// No references.
    pub const fn new() -> References<T, K> {
        References(RefCell::new(ReferenceTable { meanings: Vec::new(), oldest: 0 }))
    }

    /// The nodes of a reference to something, if it is remembered.
    #[inline]
    pub fn known<U>(&self, of: &U, subscripts: &[K]) -> Option<Rc<T>> {
        let is_it = |meaning: &&Meaning<T, K>| {
            std::ptr::addr_eq(Rc::as_ptr(&meaning.of), of)
                && are_equal(&meaning.subscripts, subscripts)
        };
        self.0.borrow().meanings.iter().find(is_it).map(|meaning| meaning.nodes.clone())
    }

    /// Keeps the meaning of a reference.
    pub fn keep(&self, of: Rc<dyn Any>, subscripts: Box<[K]>, nodes: Rc<T>) {
        let ReferenceTable { meanings, oldest } = &mut *self.0.borrow_mut();
        let meaning = Meaning { of, subscripts, nodes };
        if meanings.len() < MAX_REFERENCES {
            meanings.push(meaning);
        } else {
            meanings[*oldest] = meaning;
            *oldest = (*oldest + 1) % MAX_REFERENCES;
        }
    }
}

/// Whether two references are the same. They are so short that a call of the C library would take longer.
#[inline(always)]
pub fn are_equal<K: PartialEq>(one: &[K], other: &[K]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::global::Subscript;

    fn one(at: i64) -> Box<[Subscript]> {
        Box::new([Subscript::At(at), Subscript::Own])
    }

    #[test]
    fn a_reference_is_known_by_what_it_refers_to_and_by_its_subscripts() {
        let (known, of, other) = (References::new(), Rc::new(4), Rc::new(4));
        known.keep(of.clone(), one(1), Rc::new("first"));
        assert_eq!(known.known(&*of, &one(1)), Some(Rc::new("first")));
        assert_eq!(known.known(&*of, &one(2)), None);
        assert_eq!(known.known(&*of, &one(1)[..1]), None);
        assert_eq!(known.known(&*other, &one(1)), None, "equal, but another object");
    }

    #[test]
    fn the_oldest_are_forgotten_and_nothing_else() {
        let (known, of) = (References::new(), Rc::new(4));
        let all = 0..2 * MAX_REFERENCES as i64;
        all.clone().for_each(|at| known.keep(of.clone(), one(at), Rc::new(at)));
        let left: Vec<i64> = all.filter(|&at| known.known(&*of, &one(at)).is_some()).collect();
        assert_eq!(left, (MAX_REFERENCES as i64..2 * MAX_REFERENCES as i64).collect::<Vec<_>>());
        // A kept object stays alive, so that no other gets its address.
        assert_eq!(Rc::strong_count(&of), 1 + MAX_REFERENCES);
    }
}
