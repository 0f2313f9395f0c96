//! A plan as nests of loops or as runs of bytes: the forms in which a transport reaches the memory of another image.

use super::shape::{Dim, Plan, Step};
use smallvec::SmallVec;
use xmp_core::Result;
use xmp_core::nest::{Loop, Nest};
use xmp_core::transport::Run;

/// Longest nest that is divided into runs, in bytes; beside a longer one its own message costs little.
const SHORT: usize = 1 << 10;
/// Most runs that are collected for one call; the transport divides them into messages.
const MOST: usize = 1 << 10;

/// Which side of a plan lies in the segment of the other image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remote {
    /// The destination: a put.
    Destination,
    /// The source: a get.
    Source,
}

impl Plan<'_> {
    /// Whether the plan consists of several short nests, as vector subscripts make them. Their runs of bytes then travel
    /// together ([`Plan::for_each_batch`]).
    pub fn is_scattered(&self) -> bool {
        let is_grid =
            |dim: &&Dim<'_>| matches!((dim.dst, dim.src), (Step::Stride(_), Step::Stride(_)));
        if self.dims.iter().all(|dim| is_grid(&dim)) {
            return false;
        }
        let extents = self.dims.iter().filter(is_grid).map(|dim| dim.extent);
        extents.fold(self.dst.unit, usize::saturating_mul) <= SHORT
    }

    /// Calls `visit` with the runs of the plan in its order, up to 1024 at a time. `base` is the segment offset of the
    /// remote side.
    ///
    /// # Errors
    /// The first error of `visit`.
    ///
    /// # Panics
    /// For an element-wise plan with units of two sizes, as [`Plan::for_each_nest`].
    pub fn for_each_batch(
        &self,
        remote: Remote,
        base: u64,
        mut visit: impl FnMut(&[Run]) -> Result<()>,
    ) -> Result<()> {
        let mut runs = Vec::new();
        self.for_each_nest(remote, |remote_base, local_base, nest| {
            nest.try_for_each(|remote, local| {
                if runs.len() == MOST {
                    visit(&runs)?;
                    runs.clear();
                }
                let offset = base.wrapping_add_signed(remote_base + remote);
                runs.push(Run { offset, local: (local_base + local) as isize, len: nest.unit });
                Ok(())
            })
        })?;
        if runs.is_empty() { Ok(()) } else { visit(&runs) }
    }

    /// Calls `visit(remote, local, nest)` for nests that together are the plan: one, unless
    /// dimensions have vector subscripts, whose elements are visited one by one. `remote` and `local` are
    /// byte offsets from the bases of the two sides.
    ///
    /// # Errors
    /// The first error of `visit`.
    ///
    /// # Panics
    /// For an element-wise plan with units of two sizes: what changes elements goes through a buffer.
    pub fn for_each_nest(
        &self,
        remote: Remote,
        mut visit: impl FnMut(i64, i64, Nest<'_>) -> Result<()>,
    ) -> Result<()> {
        assert_eq!(self.dst.unit, self.src.unit, "a nest moves bytes, it does not change them");
        if self.elements == 0 {
            return Ok(());
        }
        let mut loops: SmallVec<[Loop; 4]> = SmallVec::new();
        let mut lists: SmallVec<[&Dim<'_>; 2]> = SmallVec::new();
        for dim in &self.dims {
            match (dim.dst, dim.src) {
                (Step::Stride(dst), Step::Stride(src)) => {
                    let (remote, local) = match remote {
                        Remote::Destination => (dst, src),
                        Remote::Source => (src, dst),
                    };
                    loops.push(Loop { extent: dim.extent, remote, local });
                }
                _ => lists.push(dim),
            }
        }
        let nest = Nest { unit: self.dst.unit, loops: &loops };
        each_index(&lists, self.dst.start, self.src.start, &mut |dst, src| match remote {
            Remote::Destination => visit(dst, src, nest),
            Remote::Source => visit(src, dst, nest),
        })
    }
}

/// Calls `visit` with the offsets of both sides for every combination of elements of `lists`.
fn each_index(
    lists: &[&Dim<'_>],
    dst: i64,
    src: i64,
    visit: &mut impl FnMut(i64, i64) -> Result<()>,
) -> Result<()> {
    let Some((outer, inner)) = lists.split_last() else { return visit(dst, src) };
    let at = |step: Step<'_>, i: usize| match step {
        Step::Stride(stride) => stride * i as i64,
        Step::Index(offsets) => offsets[i],
    };
    (0..outer.extent)
        .try_for_each(|i| each_index(inner, dst + at(outer.dst, i), src + at(outer.src, i), visit))
}
