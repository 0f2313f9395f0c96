//! Plans that have been made, so that an operation in a loop is planned once.

use super::plan::{Gmove, Moves, Reflect, Side, Width};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use xmp_core::Rank;
use xmp_core::global::{Array, Section, error::Result};

/// Most plans that are kept.
const MOST: usize = 512;

/// The plans of an image, by what they are made from.
#[derive(Debug, Default)]
pub struct Plans {
    reflects: RefCell<HashMap<ReflectKey, Rc<Moves>>>,
    gmoves: RefCell<HashMap<GmoveKey, Rc<Moves>>>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ReflectKey {
    me: Rank,
    array: Rc<Array>,
    element: usize,
    widths: Box<[Width]>,
    orthogonal: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct GmoveKey {
    me: Rank,
    left: (Rc<Array>, Section),
    right: (Rc<Array>, Section),
    element: usize,
}

impl Plans {
    /// What the image `me` does in a reflect.
    ///
    /// # Errors
    /// As [`Reflect::new`].
    pub fn reflect(
        &self,
        me: Rank,
        array: &Rc<Array>,
        element: usize,
        (widths, orthogonal): (&[Width], bool),
    ) -> Result<Rc<Moves>> {
        let key =
            ReflectKey { me, array: array.clone(), element, widths: widths.into(), orthogonal };
        found(&self.reflects, key, |key| {
            Ok(Reflect::new(&key.array, &key.widths, orthogonal, element)?.moves(me))
        })
    }

    /// What the image `me` does in a gmove of elements of `element` bytes, to the left from the right.
    ///
    /// # Errors
    /// As [`Gmove::new`].
    pub fn gmove(
        &self,
        me: Rank,
        left: (&Rc<Array>, &Section),
        right: (&Rc<Array>, &Section),
        element: usize,
    ) -> Result<Rc<Moves>> {
        let owned = |(array, section): (&Rc<Array>, &Section)| (array.clone(), section.clone());
        let key = GmoveKey { me, left: owned(left), right: owned(right), element };
        found(&self.gmoves, key, |key| {
            let side =
                |(array, section): &'_ (Rc<Array>, Section)| (array.clone(), section.clone());
            let (left, right) = (side(&key.left), side(&key.right));
            let left = Side { array: &left.0, section: &left.1 };
            let right = Side { array: &right.0, section: &right.1 };
            Ok(Gmove::new(left, right, element)?.moves(me))
        })
    }
}

fn found<K: std::hash::Hash + Eq>(
    plans: &RefCell<HashMap<K, Rc<Moves>>>,
    key: K,
    make: impl FnOnce(&K) -> Result<Moves>,
) -> Result<Rc<Moves>> {
    if let Some(plan) = plans.borrow().get(&key) {
        return Ok(plan.clone());
    }
    let plan = Rc::new(make(&key)?);
    let mut plans = plans.borrow_mut();
    if plans.len() >= MOST {
        // A program that makes ever new ones: it loses what it had, and no more.
        plans.clear();
    }
    plans.insert(key, plan.clone());
    Ok(plan)
}
