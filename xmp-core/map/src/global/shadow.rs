//! Shadow: room around the elements that a node owns, for elements of its neighbours (XcalableMP 1.4, 4.3.5).

use super::distribution::Axis;
use super::error::{MappingError, Result};

/// The shadow of an array dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shadow {
    /// This many elements before and after the owned ones.
    Widths {
        /// Before.
        lower: i64,
        /// Behind.
        upper: i64,
    },
    /// The whole dimension is stored on every node.
    Full,
}

impl Shadow {
    /// No shadow.
    pub const NONE: Shadow = Shadow::Widths { lower: 0, upper: 0 };

    /// Elements before and after the owned ones; 0 for a full shadow.
    pub fn widths(self) -> (i64, i64) {
        match self {
            Shadow::Widths { lower, upper } => (lower, upper),
            Shadow::Full => (0, 0),
        }
    }

    /// Checks that the array dimension number `dim` (from 1) can have this shadow; `axis` is the template dimension
    /// that it is aligned with.
    ///
    /// # Errors
    /// [`MappingError::Dimension`] for a negative width, and for widths where nodes have more than one block.
    pub fn check(self, dim: usize, axis: Option<&Axis>) -> Result<()> {
        let (lower, upper) = self.widths();
        let wrong = |why: String| Err(MappingError::Dimension { dim, why });
        if lower < 0 || upper < 0 {
            return wrong(format!("a shadow of {lower}:{upper}"));
        }
        if self == Shadow::NONE || axis.is_none_or(Axis::is_blocked) {
            return Ok(());
        }
        match self {
            Shadow::Full => Ok(()),
            Shadow::Widths { .. } => wrong(format!(
                "a shadow of {lower}:{upper} around cyclic blocks; only a full shadow can be there"
            )),
        }
    }
}
