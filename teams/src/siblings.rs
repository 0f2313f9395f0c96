//! The teams that one FORM TEAM has made, as sets of images.

use crate::split::{Part, Split};
use crate::table::Table;
use std::rc::Rc;
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::{Image, Result};

/// All teams of one FORM TEAM.
#[derive(Debug)]
pub(crate) enum Siblings {
    /// The images of each team have one distance, in a parent whose images have one distance.
    Formula { parent: Rc<ImageSet>, stride: i32, split: Split },
    /// Any other split.
    Table(Table),
}

impl Siblings {
    /// The teams into which the images of `parent` split. Collective over the parent's images of this host.
    pub fn new(image: &Image, parent: Rc<ImageSet>, split: Split) -> Siblings {
        match parent.members().stride() {
            Some(stride) if split.is_regular() => Siblings::Formula { parent, stride, split },
            _ => Siblings::Table(Table::shared(image, &parent, &split)),
        }
    }

    /// Whether these are the same teams with the same numbers.
    pub fn equal(&self, other: &Siblings) -> bool {
        use Siblings::{Formula, Table};
        match (self, other) {
            (
                Formula { parent, split, .. },
                Formula { parent: other_parent, split: other_split, .. },
            ) => parent.members() == other_parent.members() && split == other_split,
            (Table(table), Table(other)) => table == other,
            _ => false,
        }
    }

    /// The images of the team with this number.
    ///
    /// # Errors
    /// Never, but for what [`Image::set`] may say.
    pub fn set(&self, image: &Image, number: i64) -> Result<Option<Rc<ImageSet>>> {
        let members = match self {
            Siblings::Formula { parent, stride, split } => match split.part(number) {
                Some(part) => Some(of_formula(parent, *stride, &part)?),
                None => None,
            },
            Siblings::Table(table) => table.members(number),
        };
        members.map(|members| image.set(members)).transpose()
    }
}

fn of_formula(parent: &ImageSet, parent_stride: i32, part: &Part<'_>) -> Result<Members> {
    let &Part::Every { start, stride, len } = part else { unreachable!("the split is regular") };
    let first = parent.rank_at(start as usize).expect("of the parent");
    // Both ends are members of the parent, so nothing overflows; the stride of a single member is not looked at.
    let stride = if len == 1 { 1 } else { parent_stride * stride };
    Members::range(first, stride, len)
}
