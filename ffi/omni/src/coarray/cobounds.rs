//! Cobounds: cosubscripts and image indices. Pure arithmetic. (Fortran 2018, 9.6, 16.9.96, 16.9.190)

use xmp_core::counted::counted;
use xmp_core::{Error, Result};

/// Codimensions of a coarray, as far as they were declared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cobounds(Vec<Codim>);

/// One of them. The upper bound of the last one means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Codim {
    lower: i64,
    size: i64,
}

impl Cobounds {
    /// Makes `corank` codimensions of extent 1.
    pub fn new(corank: usize) -> Cobounds {
        Cobounds(vec![Codim { lower: 1, size: 1 }; corank])
    }

    /// Number of codimensions.
    pub fn corank(&self) -> usize {
        self.0.len()
    }

    /// Sets the bounds of a codimension, from 0, for a coarray of `images` images. The upper bound of the last one
    /// follows from their number.
    ///
    /// # Errors
    /// A codimension that there is not, and one without images.
    pub fn set(&mut self, codim: usize, lower: i64, upper: i64, images: usize) -> Result<()> {
        let corank = self.corank();
        if codim >= corank {
            return Err(no_codim(codim as i64 + 1, corank));
        }
        let size = if codim + 1 == corank {
            let before: i64 = self.0[..codim].iter().map(|codim| codim.size).product();
            (images as i64 + before - 1) / before
        } else {
            upper - lower + 1
        };
        if size < 1 {
            let text = format!("codimension {} has the bounds {lower}:{upper}", codim + 1);
            return Err(Error::Invalid(text));
        }
        self.0[codim] = Codim { lower, size };
        Ok(())
    }

    /// The lower bound of a codimension, from 1.
    pub fn lower(&self, dim: i64) -> Result<i64> {
        self.codim(dim).map(|codim| codim.lower)
    }

    /// The upper bound of a codimension, from 1.
    pub fn upper(&self, dim: i64) -> Result<i64> {
        self.codim(dim).map(|codim| codim.lower + codim.size - 1)
    }

    fn codim(&self, dim: i64) -> Result<Codim> {
        let at = dim.checked_sub(1).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.0.get(at)).copied().ok_or_else(|| no_codim(dim, self.corank()))
    }

    /// The image index of cosubscripts, from 1; not checked against the number of images.
    ///
    /// # Errors
    /// A cosubscript that is out of the bounds of its codimension (the last one has no upper bound), or their number.
    pub fn index(&self, cosubscripts: &[i64]) -> Result<i64> {
        if cosubscripts.len() != self.corank() {
            let (given, corank) = (counted(cosubscripts.len(), "cosubscript"), self.corank());
            return Err(Error::Invalid(format!("{given}, but the corank is {corank}")));
        }
        let (mut index, mut factor) = (1i64, 1i64);
        for (at, (&codim, &cosubscript)) in self.0.iter().zip(cosubscripts).enumerate() {
            let last = at + 1 == self.corank();
            let from = cosubscript - codim.lower;
            if from < 0 || (from >= codim.size && !last) {
                let (lower, upper) = (codim.lower, codim.lower + codim.size - 1);
                return Err(Error::Invalid(format!(
                    "cosubscript {} is {cosubscript}, which is not in {lower}:{upper}",
                    at + 1
                )));
            }
            index = index.saturating_add(from.saturating_mul(factor));
            factor = factor.saturating_mul(codim.size);
        }
        Ok(index)
    }

    /// The cosubscript of an image in a codimension, from 1.
    ///
    /// # Errors
    /// When there is no such codimension.
    pub fn cosubscript(&self, index: i64, dim: i64) -> Result<i64> {
        let codim = self.codim(dim)?;
        let before: i64 = self.0[..dim as usize - 1].iter().map(|codim| codim.size).product();
        let at = (index - 1) / before;
        let at = if dim as usize == self.corank() { at } else { at % codim.size };
        Ok(codim.lower + at)
    }
}

fn no_codim(dim: i64, corank: usize) -> Error {
    Error::Invalid(format!("there is no codimension {dim}: the corank is {corank}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosubscripts_count_the_images_in_order() {
        for images in [1, 2, 5, 8, 12] {
            let mut bounds = Cobounds::new(3);
            bounds.set(0, -1, 0, images).unwrap();
            bounds.set(1, 3, 5, images).unwrap();
            bounds.set(2, 10, -999, images).unwrap();
            for index in 1..=images as i64 {
                let subscripts = [1, 2, 3].map(|dim| bounds.cosubscript(index, dim).unwrap());
                assert_eq!(bounds.index(&subscripts), Ok(index));
                assert_eq!(subscripts[0], -1 + (index - 1) % 2);
                assert_eq!(subscripts[1], 3 + (index - 1) / 2 % 3);
                assert_eq!(subscripts[2], 10 + (index - 1) / 6);
            }
            let last = (images as i64 + 5) / 6;
            assert_eq!((bounds.lower(3), bounds.upper(3)), (Ok(10), Ok(9 + last)));
            assert_eq!((bounds.lower(1), bounds.upper(1)), (Ok(-1), Ok(0)));
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_named() {
        let mut bounds = Cobounds::new(2);
        bounds.set(0, 1, 2, 8).unwrap();
        bounds.set(1, 0, 0, 8).unwrap();
        let says = |cosubscripts: &[i64], text: &str| {
            let error = bounds.index(cosubscripts).unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        };
        says(&[3, 0], "cosubscript 1 is 3, which is not in 1:2");
        says(&[0, 0], "cosubscript 1 is 0");
        says(&[1, -1], "cosubscript 2 is -1, which is not in 0:3");
        says(&[1], "1 cosubscript, but the corank is 2");
        assert_eq!(
            bounds.index(&[1, 100]),
            Ok(201),
            "whether there is such an image is not known here"
        );
        assert!(
            bounds.lower(0).is_err()
                && bounds.upper(3).is_err()
                && bounds.cosubscript(1, 3).is_err()
        );
        let error = bounds.clone().set(0, 2, 1, 8).unwrap_err().to_string();
        assert!(error.contains("codimension 1 has the bounds 2:1"), "{error}");
        assert!(bounds.set(2, 1, 1, 8).is_err());
    }
}
