//! Puts and gets by way of a local buffer: what is transferred at once. ("Coarrays in the context of XcalableMP", section 3.3.2,
//! table 1.)
//!
//! Where a network transfers only between registered memory, local data that is not registered goes through a buffer of B
//! bytes. How, follows from the contiguous lengths N_L of the local and N_R of the remote side:
//!
//! | case | when | at once |
//! |---|---|---|
//! | 1 | N_R <= B, N_R <= N_L | N_R, buffered as one piece |
//! | 2 | N_L < N_R <= B | N_R, buffered in pieces of N_L |
//! | 3 | N_L < B < N_R | as many times N_L as the buffer holds |
//! | 4 | B < N_R, B <= N_L | B, the last time less |
//!
//! Without a buffer (case 0) it is the lesser of both; [`crate::plan`] does that. No transport here needs registration, so the
//! buffer is for study.

use smallvec::SmallVec;
use xmp_core::{Error, Result};

/// One dimension of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Number of elements.
    pub extent: u64,
    /// Bytes from one element to the next on the remote side.
    pub remote: i64,
    /// The same on the local side.
    pub local: i64,
}

/// What is done with a section.
#[derive(Clone, Debug)]
pub struct Scheme {
    dims: SmallVec<[Dim; 7]>,
    local: Contiguous,
    remote: Contiguous,
    total: u64,
    unit: u64,
    case: u8,
}

/// How much of a side lies together: so many bytes, which are all of the first few dimensions.
#[derive(Clone, Copy, Debug)]
struct Contiguous {
    bytes: u64,
    dims: usize,
}

impl Contiguous {
    fn of(element: u64, dims: &[Dim], stride: impl Fn(&Dim) -> i64) -> Contiguous {
        let mut found = Contiguous { bytes: element, dims: 0 };
        for dim in dims {
            if dim.extent != 1 && stride(dim) != found.bytes as i64 {
                break;
            }
            found = Contiguous { bytes: found.bytes * dim.extent, dims: found.dims + 1 };
        }
        found
    }

    /// Where the byte `at` of the section, in array element order, is on this side.
    fn offset(&self, at: u64, dims: &[Dim], stride: impl Fn(&Dim) -> i64) -> i64 {
        let (mut rest, mut offset) = (at / self.bytes, (at % self.bytes) as i64);
        for dim in &dims[self.dims..] {
            offset += (rest % dim.extent) as i64 * stride(dim);
            rest /= dim.extent;
        }
        offset
    }
}

impl Scheme {
    /// The scheme for a section of elements of `element` bytes, with a buffer of `buffer` bytes.
    ///
    /// # Errors
    /// A section of more than 63 bits, and a buffer of nothing.
    pub fn new(element: u64, dims: &[Dim], buffer: u64) -> Result<Scheme> {
        let too_large = || Error::SizeOverflow("a section of more than 2^63 bytes".into());
        let total = dims.iter().try_fold(element, |bytes, dim| bytes.checked_mul(dim.extent));
        let total = total.filter(|&total| i64::try_from(total).is_ok()).ok_or_else(too_large)?;
        if buffer == 0 {
            return Err(Error::Invalid("a buffer of 0 bytes".into()));
        }
        let mut scheme = Scheme {
            dims: dims.into(),
            local: Contiguous { bytes: 1, dims: 0 },
            remote: Contiguous { bytes: 1, dims: 0 },
            total,
            unit: 0,
            case: 1,
        };
        if total > 0 {
            scheme.local = Contiguous::of(element, dims, |dim| dim.local);
            scheme.remote = Contiguous::of(element, dims, |dim| dim.remote);
            let (n_l, n_r) = (scheme.local.bytes, scheme.remote.bytes);
            (scheme.case, scheme.unit) = match () {
                () if n_r <= buffer && n_r <= n_l => (1, n_r),
                () if n_r <= buffer => (2, n_r),
                () if n_l < buffer => (3, buffer / n_l * n_l),
                () => (4, buffer),
            };
        }
        Ok(scheme)
    }

    /// Which of the four it is.
    pub fn case(&self) -> u8 {
        self.case
    }

    /// Bytes that are transferred at once, at most.
    pub fn unit(&self) -> u64 {
        self.unit
    }

    /// Calls `visit` for each transfer: where it is in the section, in array element order; where it is on the remote side;
    /// and how long it is.
    ///
    /// # Errors
    /// The first error of `visit`.
    pub fn for_each_unit(&self, mut visit: impl FnMut(u64, i64, u64) -> Result<()>) -> Result<()> {
        for run in (0..self.total).step_by(self.remote.bytes.max(1) as usize) {
            let offset = self.remote.offset(run, &self.dims, |dim| dim.remote);
            for from in (0..self.remote.bytes).step_by(self.unit as usize) {
                let len = self.unit.min(self.remote.bytes - from);
                visit(run + from, offset + from as i64, len)?;
            }
        }
        Ok(())
    }

    /// Calls `visit` for each piece that lies together on the local side, of the `len` bytes at `at`: where it is there, where
    /// it is in the buffer, and how long it is.
    pub fn for_each_piece(&self, at: u64, len: u64, mut visit: impl FnMut(i64, u64, u64)) {
        let mut done = 0;
        while done < len {
            let together = self.local.bytes - (at + done) % self.local.bytes;
            let piece = together.min(len - done);
            visit(self.local.offset(at + done, &self.dims, |dim| dim.local), done, piece);
            done += piece;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dims() -> impl Strategy<Value = (u64, Vec<Dim>)> {
        let dim = (1u64..5, 0u64..3, 0u64..3);
        (prop_oneof![Just(1u64), Just(4), Just(8)], prop::collection::vec(dim, 0..4)).prop_map(
            |(element, sizes)| {
                // Sections of arrays: each dimension beyond the one before.
                let (mut remote, mut local) = (element, element);
                let mut dims = Vec::new();
                for (extent, more_remote, more_local) in sizes {
                    dims.push(Dim { extent, remote: remote as i64, local: local as i64 });
                    remote *= extent + more_remote;
                    local *= extent + more_local;
                }
                (element, dims)
            },
        )
    }

    /// Where each element of a section is on both sides, in array element order.
    fn elements(dims: &[Dim]) -> Vec<(i64, i64)> {
        let Some((last, inner)) = dims.split_last() else { return vec![(0, 0)] };
        let inner = elements(inner);
        let along = |i: u64| (i as i64 * last.remote, i as i64 * last.local);
        (0..last.extent)
            .flat_map(|i| {
                let (remote, local) = along(i);
                inner.iter().map(move |at| (at.0 + remote, at.1 + local)).collect::<Vec<_>>()
            })
            .collect()
    }

    proptest! {
        #[test]
        fn every_byte_goes_once_to_its_place((element, dims) in dims(), buffer in 1u64..100) {
            let scheme = Scheme::new(element, &dims, buffer).unwrap();
            let (n_l, n_r) = (scheme.local.bytes, scheme.remote.bytes);
            let mut moved = Vec::new();
            scheme
                .for_each_unit(|at, remote, len| {
                    assert!(len <= buffer && len <= n_r, "a buffer and a run hold it");
                    let mut filled = 0;
                    scheme.for_each_piece(at, len, |local, into, piece| {
                        assert_eq!(into, filled);
                        assert!(piece <= n_l);
                        filled += piece;
                        moved.extend((0..piece as i64).map(|k| (remote + into as i64 + k, local + k)));
                    });
                    assert_eq!(filled, len);
                    Ok(())
                })
                .unwrap();
            let bytes = |&(remote, local): &(i64, i64)| {
                (0..element as i64).map(move |k| (remote + k, local + k))
            };
            let expected: Vec<_> = elements(&dims).iter().flat_map(bytes).collect();
            prop_assert_eq!(moved, expected);
            let case = match () {
                () if n_r <= buffer => if n_r <= n_l { (1, n_r) } else { (2, n_r) },
                () if n_l < buffer => (3, buffer - buffer % n_l),
                () => (4, buffer),
            };
            prop_assert_eq!((scheme.case(), scheme.unit()), case);
        }
    }

    #[test]
    fn the_cases_of_the_table() {
        let dims = |remote, local| {
            [Dim { extent: 10, remote: 8, local: 8 }, Dim { extent: 10, remote, local }]
        };
        for (remote, local, buffer, case, unit) in [
            (80, 80, 1000, 1, 800),
            (160, 80, 1000, 1, 80),
            (80, 160, 1000, 2, 800),
            (80, 160, 200, 3, 160),
            (80, 80, 200, 4, 200),
            (80, 160, 50, 4, 50),
        ] {
            let scheme = Scheme::new(8, &dims(remote, local), buffer).unwrap();
            assert_eq!((scheme.case(), scheme.unit()), (case, unit));
        }
        let nothing = Scheme::new(8, &[Dim { extent: 0, remote: 8, local: 8 }], 10).unwrap();
        nothing.for_each_unit(|_, _, _| panic!("there is nothing")).unwrap();
        assert!(Scheme::new(8, &[], 0).is_err());
        assert!(Scheme::new(8, &[Dim { extent: 1 << 62, remote: 8, local: 8 }], 10).is_err());
    }
}
