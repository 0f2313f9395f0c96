//! Cobounds: from cosubscripts to positions of images and back. (Fortran 2018, 9.6 and 16.9.97)

use smallvec::SmallVec;
use std::ffi::c_int;
use xmp_core::counted::counted;
use xmp_core::{Error, Result};

/// Most codimensions of a coarray.
const MAX_CORANK: usize = 15;

/// One number for each codimension.
pub type Codimensions = SmallVec<[i64; 4]>;

/// The cobounds of a coarray. The last upper one follows from the number of images.
#[derive(Clone, Debug)]
pub struct Cobounds {
    lower: Codimensions,
    /// Extents of all codimensions but the last.
    extents: Codimensions,
    /// Their product.
    images_before_last: i64,
}

impl Cobounds {
    /// Cobounds for this number of images, from the arguments of these names; `upper` may lack the last.
    ///
    /// # Errors
    /// No codimension, or more than 15; not as many upper cobounds as lower ones, or one less; an upper cobound below
    /// its lower one; cobounds that have no place for all images.
    pub fn new(
        lower_name: &str,
        lower: &[i64],
        upper_name: &str,
        upper: &[i64],
        images: usize,
    ) -> Result<Cobounds> {
        let corank = lower.len();
        let invalid = |text: String| Err(Error::Invalid(text));
        if !(1..=MAX_CORANK).contains(&corank) {
            return invalid(format!(
                "{lower_name} has {}, and not 1 to {MAX_CORANK}",
                counted(corank, "element")
            ));
        }
        if upper.len() != corank && upper.len() + 1 != corank {
            return invalid(format!(
                "{upper_name} has {}, and {lower_name} {corank}",
                counted(upper.len(), "element")
            ));
        }
        let mut extents = Codimensions::new();
        let mut places = 1i64;
        let mut images_before_last = 1;
        for (dim, (&low, &high)) in lower.iter().zip(upper).enumerate() {
            let extent = high.checked_sub(low).and_then(|distance| distance.checked_add(1));
            let Some(extent) = extent.filter(|&extent| extent > 0) else {
                return invalid(format!(
                    "{lower_name} and {upper_name}: codimension {} has the bounds {low} and {high}",
                    dim + 1
                ));
            };
            places = places.saturating_mul(extent);
            if dim + 1 < corank {
                extents.push(extent);
                images_before_last = places;
            }
        }
        if upper.len() == corank && places < images as i64 {
            return invalid(format!(
                "{lower_name} and {upper_name} have {} for {}",
                counted(places, "place"),
                counted(images, "image")
            ));
        }
        Ok(Cobounds { lower: lower.into(), extents, images_before_last })
    }

    /// A hash, by which images compare cobounds.
    pub fn hash(&self) -> u64 {
        // FNV-1a for words.
        let add = |hash: u64, bound: &i64| (hash ^ *bound as u64).wrapping_mul(0x0100_0000_01b3);
        self.lower.iter().chain(&self.extents).fold(0xcbf2_9ce4_8422_2325, add)
    }

    /// Number of codimensions.
    pub fn corank(&self) -> usize {
        self.lower.len()
    }

    /// The lower cobounds.
    pub fn lower(&self) -> &[i64] {
        &self.lower
    }

    /// The extents of all codimensions, for a team of this many images.
    pub fn shape(&self, images: usize) -> Codimensions {
        let last = (images as i64).div_euclid(self.images_before_last)
            + i64::from(images as i64 % self.images_before_last != 0);
        self.extents.iter().copied().chain([last]).collect()
    }

    /// The upper cobounds, for a team of this many images.
    pub fn upper(&self, images: usize) -> Codimensions {
        self.lower.iter().zip(self.shape(images)).map(|(low, extent)| low + extent - 1).collect()
    }

    /// The index of a codimension, from 0.
    ///
    /// # Errors
    /// A `dim` that is not in 1 to the corank.
    pub fn dim(&self, dim: c_int) -> Result<usize> {
        let corank = self.corank();
        let index = usize::try_from(dim).ok().filter(|dim| (1..=corank).contains(dim));
        index
            .map(|dim| dim - 1)
            .ok_or_else(|| Error::Invalid(format!("dim {dim} is not in 1:{corank}")))
    }

    /// The position, from 0, of the image with these cosubscripts in a team of this many images; `None` if there is none.
    ///
    /// # Errors
    /// Not as many cosubscripts as codimensions.
    pub fn position(&self, sub: &[i64], images: usize) -> Result<Option<usize>> {
        if sub.len() != self.corank() {
            return Err(Error::Invalid(format!(
                "sub has {} for {}",
                counted(sub.len(), "element"),
                counted(self.corank(), "codimension")
            )));
        }
        let mut position = Some(0i64);
        let mut factor = 1i64;
        for ((&sub, &low), extent) in sub.iter().zip(&self.lower).zip(self.shape(images)) {
            let within = sub.checked_sub(low).filter(|within| (0..extent).contains(within));
            position = position
                .zip(within)
                .and_then(|(sum, within)| sum.checked_add(within.checked_mul(factor)?));
            factor = factor.saturating_mul(extent);
        }
        Ok(position.and_then(|at| usize::try_from(at).ok()).filter(|&at| at < images))
    }

    /// The cosubscripts of the image at a position, from 0.
    pub fn subscripts(&self, position: usize) -> Codimensions {
        let mut rest = position as i64;
        let extents = self.extents.iter().copied().chain([i64::MAX]);
        let subscript = |(low, extent): (&i64, i64)| {
            let within = rest % extent;
            rest /= extent;
            low + within
        };
        self.lower.iter().zip(extents).map(subscript).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cobounds(lower: &[i64], upper: &[i64], images: usize) -> Result<Cobounds> {
        Cobounds::new("lcobounds", lower, "ucobounds", upper, images)
    }

    #[test]
    fn positions_and_cosubscripts_are_inverse() {
        for images in 1..=40 {
            for (lower, upper) in
                [(vec![1], vec![]), (vec![-3, 5], vec![-1]), (vec![0, 2, 7], vec![1, 4])]
            {
                let bounds = cobounds(&lower, &upper, images).unwrap();
                for position in 0..images {
                    let sub = bounds.subscripts(position);
                    assert_eq!(bounds.position(&sub, images), Ok(Some(position)));
                    assert!(sub.iter().zip(bounds.upper(images)).all(|(sub, high)| *sub <= high));
                }
                let mut beyond = bounds.subscripts(images - 1);
                *beyond.last_mut().unwrap() += 1;
                assert_eq!(bounds.position(&beyond, images), Ok(None));
            }
        }
    }

    #[test]
    fn cobounds_that_cannot_be_are_refused() {
        let text =
            |lower: &[i64], upper: &[i64]| cobounds(lower, upper, 6).unwrap_err().to_string();
        assert_eq!(text(&[], &[]), "lcobounds has 0 elements, and not 1 to 15");
        assert_eq!(text(&[1; 16], &[1; 15]), "lcobounds has 16 elements, and not 1 to 15");
        assert_eq!(text(&[1, 1], &[]), "ucobounds has 0 elements, and lcobounds 2");
        assert_eq!(
            text(&[1, 3], &[1, 2]),
            "lcobounds and ucobounds: codimension 2 has the bounds 3 and 2"
        );
        assert_eq!(
            text(&[i64::MIN], &[i64::MAX]),
            format!(
                "lcobounds and ucobounds: codimension 1 has the bounds {} and {}",
                i64::MIN,
                i64::MAX
            )
        );
        assert_eq!(text(&[1, 1], &[1, 5]), "lcobounds and ucobounds have 5 places for 6 images");
        assert!(cobounds(&[1, 1], &[1, 6], 6).is_ok());
    }
}
