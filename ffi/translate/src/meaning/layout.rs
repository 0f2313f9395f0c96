//! The layout of the elements of an array on the images.

use crate::directive::Format;

/// The layout of the elements of a dimension on an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// All of them.
    Whole,
    /// One piece.
    Piece,
    /// Blocks in turn; whether each is one element.
    Cyclic(bool),
}

impl Layout {
    /// The layout of a format.
    pub fn of(format: &Format) -> Self {
        match format {
            Format::Star(_) => Self::Whole,
            Format::Block(..) | Format::Gblock(..) => Self::Piece,
            Format::Cyclic(width, _) => {
                Self::Cyclic(width.as_ref().is_none_or(|width| width.text == "1"))
            }
        }
    }

    /// Whether an image has blocks in turn.
    pub fn is_cyclic(self) -> bool {
        matches!(self, Self::Cyclic(_))
    }
}

/// A dimension of a distributed array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The dimension of the template from 0, the fastest first, and the number that is added to an index.
    pub with: Option<(usize, String)>,
    /// The layout of the elements on an image.
    pub layout: Layout,
}
