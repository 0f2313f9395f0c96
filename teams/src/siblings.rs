//! The teams that one FORM TEAM has made, as sets of images.

use crate::split::{Part, Split};
use std::rc::Rc;
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::{Image, Rank, Result};

/// All teams of one FORM TEAM.
#[derive(Debug)]
pub(crate) struct Siblings {
    parent: Rc<ImageSet>,
    split: Split,
}

impl Siblings {
    pub fn new(parent: Rc<ImageSet>, split: Split) -> Siblings {
        Siblings { parent, split }
    }

    /// The images of the team with this number.
    pub fn set(&self, image: &Image, number: i64) -> Result<Option<Rc<ImageSet>>> {
        let Some(part) = self.split.part(number) else { return Ok(None) };
        image.set(self.members(&part)?).map(Some)
    }

    fn members(&self, part: &Part<'_>) -> Result<Members> {
        let rank = |position: u32| self.parent.rank_at(position as usize).expect("of the parent");
        match (part, self.parent.members().stride()) {
            (&Part::Every { start, stride, len }, Some(parent_stride)) => {
                // Both ends are members of the parent, so nothing overflows; a single member has no stride.
                let stride = if len == 1 { 1 } else { parent_stride * stride };
                Members::range(rank(start), stride, len)
            }
            (part, _) => Members::from_list(&part.positions().map(rank).collect::<Vec<Rank>>()),
        }
    }
}
