//! Plans that have been made, so that an operation in a loop is planned once.

use super::Storage;
use super::plan::Shape;
use super::plan::{Gmove, Moves, Reflect, Side, Width};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use xmp_core::Rank;
use xmp_core::global::{Array, Section, error::Result};

/// Most plans of a kind that are kept.
const MOST: usize = 512;
/// As many of those used last are found without looking at what they are made from.
const RECENT: usize = 8;

/// What an image does in an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What it moves.
    pub moves: Moves,
    /// A hash of what the operation is and of all that its images give alike: mappings and what is moved.
    pub mapping: u64,
}

/// The plans of an image, by what they are made from.
#[derive(Debug, Default)]
pub struct Plans {
    reflects: RefCell<Kept<ReflectKey>>,
    gmoves: RefCell<Kept<GmoveKey>>,
}

/// Plans of one kind.
#[derive(Debug)]
struct Kept<K> {
    all: HashMap<Rc<K>, Rc<Plan>>,
    /// The newest last.
    recent: Vec<(Rc<K>, Rc<Plan>)>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ReflectKey {
    me: Rank,
    array: Rc<Array>,
    element: usize,
    widths: Box<[Width]>,
    orthogonal: bool,
    backwards: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct GmoveKey {
    me: Rank,
    left: (Rc<Array>, Section),
    right: (Rc<Array>, Section),
    element: usize,
    transposed: bool,
}

impl Plans {
    /// What the image `me` does in a reflect, or in a reduce_shadow, which is one backwards.
    ///
    /// # Errors
    /// As [`Reflect::new`].
    pub fn reflect(
        &self,
        me: Rank,
        storage: &Storage,
        shape: Shape<'_>,
        backwards: bool,
    ) -> Result<Rc<Plan>> {
        let (Storage { array, element, .. }, Shape { widths, orthogonal }) = (storage, shape);
        let is_it = |key: &ReflectKey| {
            Rc::ptr_eq(&key.array, array)
                && *key.widths == *widths
                && (key.me, key.element, key.orthogonal, key.backwards)
                    == (me, *element, orthogonal, backwards)
        };
        let key = || ReflectKey {
            me,
            array: array.clone(),
            element: *element,
            widths: widths.into(),
            orthogonal,
            backwards,
        };
        self.reflects.borrow_mut().find(is_it, key, || {
            let moves = Reflect::new(array, widths, orthogonal, *element)?.moves(me);
            let moves = if backwards { moves.reversed() } else { moves };
            let mapping = hash(("reflect", array, widths, element, orthogonal, backwards));
            Ok(Plan { moves, mapping })
        })
    }

    /// What the image `me` does in a gmove of elements of `element` bytes, to the left from the right, which is perhaps
    /// transposed.
    ///
    /// # Errors
    /// As [`Gmove::new`].
    pub fn gmove(
        &self,
        me: Rank,
        left: (&Rc<Array>, &Section),
        right: (&Rc<Array>, &Section),
        (element, transposed): (usize, bool),
    ) -> Result<Rc<Plan>> {
        let is_side = |known: &(Rc<Array>, Section), (array, section): (&Rc<Array>, &Section)| {
            Rc::ptr_eq(&known.0, array) && known.1 == *section
        };
        let is_it = |key: &GmoveKey| {
            is_side(&key.left, left)
                && is_side(&key.right, right)
                && (key.me, key.element, key.transposed) == (me, element, transposed)
        };
        let owned = |(array, section): (&Rc<Array>, &Section)| (array.clone(), section.clone());
        let key = || GmoveKey { me, left: owned(left), right: owned(right), element, transposed };
        self.gmoves.borrow_mut().find(is_it, key, || {
            let mapping = hash(("gmove", left, right, element, transposed));
            let side = |(array, section)| Side { array, section };
            let (left, right) = (side((&**left.0, left.1)), side((&**right.0, right.1)));
            let gmove = if transposed {
                Gmove::transposed(left, right, element)?
            } else {
                Gmove::new(left, right, element)?
            };
            Ok(Plan { moves: gmove.moves(me), mapping })
        })
    }
}

impl<K: Hash + Eq> Kept<K> {
    /// The plan that `is_it` recognises among the recent ones, else that of `key`, else the one that is made now.
    fn find(
        &mut self,
        is_it: impl Fn(&K) -> bool,
        key: impl FnOnce() -> K,
        make: impl FnOnce() -> Result<Plan>,
    ) -> Result<Rc<Plan>> {
        if let Some((_, plan)) = self.recent.iter().rev().find(|(key, _)| is_it(key)) {
            return Ok(plan.clone());
        }
        let key = Rc::new(key());
        let plan = match self.all.get(&key) {
            Some(plan) => plan.clone(),
            None => {
                let plan = Rc::new(make()?);
                if self.all.len() >= MOST {
                    // A program that makes ever new ones loses what it had, and no more.
                    self.all.clear();
                }
                self.all.insert(key.clone(), plan.clone());
                plan
            }
        };
        if self.recent.len() == RECENT {
            self.recent.remove(0);
        }
        // With this key: its mapping is the object that will be asked for again.
        self.recent.push((key, plan.clone()));
        Ok(plan)
    }
}

/// A hash that is the same on all images.
fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

impl<K> Default for Kept<K> {
    fn default() -> Kept<K> {
        Kept { all: HashMap::new(), recent: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::global::{Align, Format, Kind, Nodes, Order, Shadow, Template};
    use xmp_core::image_set::Members;

    fn storage(extent: i64) -> Storage {
        let nodes = Nodes::row(&Members::all(3), Order::C, Kind::Entire);
        let mut template = Template::fixed(&[(0, extent - 1)]).unwrap();
        template.distribute(vec![Format::Block], Rc::new(nodes)).unwrap();
        let shadow = Shadow::Widths { lower: 1, upper: 1 };
        let align = Align::with(0, extent - 1, 0, 0).shadow(shadow);
        let distribution = template.distribution().unwrap().clone();
        let array = Rc::new(Array::new(distribution, &[align], &[], Order::C).unwrap());
        Storage { array, element: 8, base: std::ptr::null_mut() }
    }

    #[test]
    fn equal_things_are_planned_once() {
        let plans = Plans::default();
        let me = Rank::new(1);
        let plan = |storage: &Storage, backwards| {
            let widths = Width::whole(&storage.array);
            let shape = Shape { widths: &widths, orthogonal: false };
            plans.reflect(me, storage, shape, backwards).unwrap()
        };
        let (one, same) = (storage(30), storage(30));
        let first = plan(&one, false);
        assert_eq!((first.moves.send.len(), first.moves.receive.len()), (2, 2));
        assert!(Rc::ptr_eq(&first, &plan(&one, false)));
        assert!(Rc::ptr_eq(&first, &plan(&same, false)), "another object, the same mapping");
        let backwards = plan(&one, true);
        assert_eq!(backwards.moves, first.moves.reversed());
        assert_ne!(backwards.mapping, first.mapping);
        assert!(!Rc::ptr_eq(&first, &plan(&storage(31), false)));
        for extent in 40..40 + 2 * MOST as i64 {
            plan(&storage(extent), false);
        }
        let reflects = plans.reflects.borrow();
        assert!(reflects.all.len() <= MOST && reflects.recent.len() <= RECENT);
        drop(reflects);
        assert_eq!(plan(&one, false), first);
    }
}
