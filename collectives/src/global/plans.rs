//! The plans of an image, which are kept so that an operation in a loop is planned once.

use super::Storage;
use super::plan::Shape;
use super::plan::{ArraySection, Gmove, Moves, Reflect, Width};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;
use xmp_core::global::{Array, Section, error::Result};
use xmp_core::{Rank, hash};

/// Most plans of one kind that are kept.
const MAX_CACHED_PLANS: usize = 512;
/// Number of plans, those used last, that are found without a hash of their key.
const RECENT: usize = 8;

/// The part of one image in an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The transfers of the image.
    pub moves: Moves,
    /// A hash of the operation and of the arguments that all its images give alike: mappings and sections.
    pub mapping: u64,
}

/// The plans of an image, by the arguments of the operations.
#[derive(Debug, Default)]
pub struct Plans {
    reflects: RefCell<PlanCache<ReflectKey>>,
    gmoves: RefCell<PlanCache<GmoveKey>>,
}

/// Plans of one kind.
#[derive(Debug)]
struct PlanCache<K> {
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
    left: SideKey,
    right: SideKey,
    element: usize,
    transposed: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct SideKey {
    array: Rc<Array>,
    section: Section,
}

impl Plans {
    /// The plan of the image `me` for a reflect, or for a reduce_shadow, which is a reflect backwards.
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
            let mapping = hash::of(&("reflect", array, widths, element, orthogonal, backwards));
            Ok(Plan { moves, mapping })
        })
    }

    /// The plan of the image `me` for a gmove of elements of `element` bytes, to `left` from `right` or from its
    /// transpose.
    pub fn gmove(
        &self,
        me: Rank,
        left: ArraySection<'_>,
        right: ArraySection<'_>,
        element: usize,
        transposed: bool,
    ) -> Result<Rc<Plan>> {
        let is_it = |key: &GmoveKey| {
            key.left.is(left)
                && key.right.is(right)
                && (key.me, key.element, key.transposed) == (me, element, transposed)
        };
        let key = || {
            let [left, right] = [left, right].map(SideKey::of);
            GmoveKey { me, left, right, element, transposed }
        };
        self.gmoves.borrow_mut().find(is_it, key, || {
            let mapping = hash::of(&("gmove", left, right, element, transposed));
            let gmove = if transposed {
                Gmove::transposed(left, right, element)?
            } else {
                Gmove::new(left, right, element)?
            };
            Ok(Plan { moves: gmove.moves(me), mapping })
        })
    }
}

impl SideKey {
    fn of(side: ArraySection<'_>) -> SideKey {
        SideKey { array: side.array.clone(), section: side.section.clone() }
    }

    /// Whether this is the same section of the same array object.
    fn is(&self, side: ArraySection<'_>) -> bool {
        Rc::ptr_eq(&self.array, side.array) && self.section == *side.section
    }
}

impl<K: Hash + Eq> PlanCache<K> {
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
                if self.all.len() >= MAX_CACHED_PLANS {
                    // A program that makes ever new plans loses the old ones, and no more.
                    self.all.clear();
                }
                self.all.insert(key.clone(), plan.clone());
                plan
            }
        };
        if self.recent.len() == RECENT {
            self.recent.remove(0);
        }
        // With this key, because its array is the object of the next call.
        self.recent.push((key, plan.clone()));
        Ok(plan)
    }
}

impl<K> Default for PlanCache<K> {
    fn default() -> PlanCache<K> {
        PlanCache { all: HashMap::new(), recent: Vec::new() }
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
        // SAFETY: plans do not access the memory.
        unsafe { Storage::new(array, 8, std::ptr::null_mut()) }
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
        for extent in 40..40 + 2 * MAX_CACHED_PLANS as i64 {
            plan(&storage(extent), false);
        }
        let reflects = plans.reflects.borrow();
        assert!(reflects.all.len() <= MAX_CACHED_PLANS && reflects.recent.len() <= RECENT);
        drop(reflects);
        assert_eq!(plan(&one, false), first);
    }
}
