//! Plans that have been made, so that an operation in a loop is planned once.

use super::plan::{Gmove, Moves, Reflect, Side, Width};
use super::{Shape, Storage};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;
use xmp_core::Rank;
use xmp_core::global::{Array, Section, error::Result};

/// Most plans of a kind that are kept.
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
    backwards: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct GmoveKey {
    me: Rank,
    left: (Rc<Array>, Section),
    right: (Rc<Array>, Section),
    element: usize,
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
    ) -> Result<Rc<Moves>> {
        let (element, orthogonal) = (storage.element, shape.orthogonal);
        let (array, widths) = (storage.array.clone(), shape.widths.into());
        let key = ReflectKey { me, array, element, widths, orthogonal, backwards };
        found(&self.reflects, key, |key| {
            let moves = Reflect::new(&key.array, &key.widths, orthogonal, element)?.moves(me);
            Ok(if backwards { moves.reversed() } else { moves })
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
            let left = Side { array: &key.left.0, section: &key.left.1 };
            let right = Side { array: &key.right.0, section: &key.right.1 };
            Ok(Gmove::new(left, right, element)?.moves(me))
        })
    }
}

fn found<K: Hash + Eq>(
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
        // A program that makes ever new ones loses what it had, and no more.
        plans.clear();
    }
    plans.insert(key, plan.clone());
    Ok(plan)
}
