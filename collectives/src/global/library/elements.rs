//! The elements of an array that an image owns, and the owner of an element.

use crate::global::Storage;
use smallvec::SmallVec;
use xmp_core::Rank;
use xmp_core::global::{Along, Array, Coords, Runs};
use xmp_core::image_set::ImageSet;

/// The elements of an array that an image owns: in each dimension the places of its indices, in their order.
#[derive(Debug)]
pub struct LocalElements {
    /// Offsets in bytes in the part that the image stores, by dimension and number of the index.
    places: Vec<Vec<i64>>,
    /// The dimensions, beginning with the one that varies fastest.
    dims: SmallVec<[usize; 4]>,
}

impl LocalElements {
    /// The elements that `rank` owns; none if it is none of the nodes.
    pub fn of(storage: &Storage, rank: Rank) -> LocalElements {
        let array = &storage.array;
        let dims = array.order().dims(array.dims().len()).collect();
        let coords = array.coords(rank).filter(|coords| array.has_elements(coords));
        let Some(coords) = coords else {
            return LocalElements { places: vec![Vec::new(); array.dims().len()], dims };
        };
        let strides = array.strides(&coords);
        let place = |dim: usize| {
            let part = array.part(dim, &coords);
            let mut indices: Vec<i64> =
                array.owned(dim, part).iter().flat_map(Runs::iter).collect();
            indices.sort_unstable();
            let stride = strides[dim] * storage.element as i64;
            indices.iter().map(|&i| array.local_of_owned(dim, part, i) * stride).collect()
        };
        LocalElements { places: (0..array.dims().len()).map(place).collect(), dims }
    }

    /// The places of the indices of a dimension.
    pub fn dim(&self, dim: usize) -> &[i64] {
        &self.places[dim]
    }

    /// The places of all elements, in the order of memory.
    pub fn each(&self) -> Vec<i64> {
        let mut all = vec![0];
        for &dim in self.dims.iter().rev() {
            let row = &self.places[dim];
            all = all.iter().flat_map(|start| row.iter().map(move |place| start + place)).collect();
        }
        all
    }
}

/// Whether an image gives the elements that several images have: it is the first along dimensions where all have them.
pub fn is_giver(array: &Array, rank: Rank) -> bool {
    array.coords(rank).is_some_and(|coords| {
        array.along().iter().zip(&coords).all(|(along, &at)| *along != Along::All || at == 0)
    })
}

/// Finds the images that have an element.
#[derive(Debug)]
pub struct Locator<'a> {
    storage: &'a Storage,
    set: &'a ImageSet,
    /// Strides in bytes of the part that the image at each position of the set stores.
    strides: Vec<SmallVec<[i64; 4]>>,
    /// The copy that this image gets of an element that several images have, by dimension of the nodes.
    chosen: Coords,
}

impl<'a> Locator<'a> {
    /// A locator on the image `me` for the elements of an array on images of the set.
    pub fn new(storage: &'a Storage, set: &'a ImageSet, me: Rank) -> Locator<'a> {
        let array = &storage.array;
        let strides = set
            .ranks()
            .map(|rank| match array.coords(rank) {
                Some(coords) => {
                    let strides = array.strides(&coords);
                    strides.iter().map(|stride| stride * storage.element as i64).collect()
                }
                None => SmallVec::new(),
            })
            .collect();
        let shape = array.nodes().shape();
        let chosen = match array.coords(me) {
            Some(coords) => coords,
            None => shape.iter().map(|&size| me.index() % size).collect(),
        };
        Locator { storage, set, strides, chosen }
    }

    /// Checks that the array has an element with this index.
    ///
    /// # Errors
    /// The first dimension that does not have its index.
    pub fn check(&self, index: &[i64]) -> Result<(), usize> {
        let dims = self.storage.array.dims().iter();
        match dims.zip(index).position(|(dim, index)| !(dim.lower..=dim.upper).contains(index)) {
            Some(dim) => Err(dim),
            None => Ok(()),
        }
    }

    /// The position in the set of an image that has the element, and the offset of the element there in bytes.
    pub fn one(&self, index: &[i64]) -> (usize, i64) {
        let coords = self.coords(index, |over| self.chosen[over]);
        self.at(&coords, index)
    }

    /// Calls `visit` with the position and offset of each image that has the element.
    pub fn all(&self, index: &[i64], mut visit: impl FnMut(usize, i64)) {
        let array = &self.storage.array;
        let mut coords = self.coords(index, |_| 0);
        loop {
            let (position, place) = self.at(&coords, index);
            visit(position, place);
            let next = array.along().iter().enumerate().find(|&(over, along)| {
                if *along != Along::All {
                    return false;
                }
                coords[over] = (coords[over] + 1) % array.nodes().shape()[over];
                coords[over] > 0
            });
            if next.is_none() {
                return;
            }
        }
    }

    fn coords(&self, index: &[i64], copy: impl Fn(usize) -> usize) -> Coords {
        let array = &self.storage.array;
        let along = array.along().iter().enumerate();
        along
            .map(|(over, along)| match *along {
                Along::All => copy(over),
                Along::At(part) => part,
                Along::Dim(dim) => array.owner_part(dim, index[dim]),
            })
            .collect()
    }

    fn at(&self, coords: &[usize], index: &[i64]) -> (usize, i64) {
        let array = &self.storage.array;
        let rank = array.nodes().rank(coords);
        let position = self.set.position_of(rank).expect("all owners are in the set");
        let dims = index.iter().enumerate();
        let place = dims.map(|(dim, &index)| {
            array.local_of_owned(dim, array.part(dim, coords), index) * self.strides[position][dim]
        });
        (position, place.sum())
    }
}
