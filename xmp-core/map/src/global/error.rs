//! Errors of mappings.

use crate::counted::counted;
use crate::error::Error;

/// An invalid directive or reference, with the values that show the reason. [`MappingError::of`] adds the name of its
/// object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// A node array larger than the set that it is made of.
    #[error("{shape} needs {}, there are {available}", counted(.needed, "node"))]
    NodeCount {
        /// The shape as the program wrote it.
        shape: String,
        /// Nodes that it needs; of a shape with `*`, a multiple of what the other dimensions need.
        needed: String,
        /// Nodes of the set.
        available: usize,
    },
    /// A node array, template or array without dimensions or with an invalid dimension.
    #[error("dimension {dim}: {why}")]
    Dimension {
        /// From 1.
        dim: usize,
        /// The reason.
        why: String,
    },
    /// A wrong number of dimensions or subscripts.
    #[error("{} for {}", counted(.given, .what), counted(.needed, "dimension"))]
    Rank {
        /// What is counted, in the singular.
        what: &'static str,
        /// The given number.
        given: usize,
        /// The required number.
        needed: usize,
    },
    /// A template that is used before its shape is known.
    #[error("the template is not fixed: its {0} is not known yet")]
    NotFixed(&'static str),
    /// A template that is fixed or distributed a second time.
    #[error("the template is already {0}")]
    Again(&'static str),
    /// Blocks that do not cover a dimension.
    #[error("dimension {dim}: {} of {width} do not cover an extent of {extent}", counted(.nodes, "block"))]
    BlockTooSmall {
        /// Template dimension from 1.
        dim: usize,
        /// Width of a block.
        width: i64,
        /// Nodes in the dimension.
        nodes: usize,
        /// Indices of the template.
        extent: i64,
    },
    /// A mapping array whose blocks do not fit the dimension.
    #[error(
        "dimension {dim}: the sizes of gblock sum to {sum}, the extent of the dimension is {extent}"
    )]
    GblockSum {
        /// Template dimension from 1.
        dim: usize,
        /// Sum of the sizes.
        sum: i64,
        /// Indices of the template.
        extent: i64,
    },
    /// An array that reaches out of its template.
    #[error("dimension {dim}: indices {lower}:{upper} are aligned with {0}:{1} of a template dimension {2}:{3}", 
            .aligned.0, .aligned.1, .template.0, .template.1)]
    AlignOutside {
        /// Array dimension from 1.
        dim: usize,
        /// First index of the array.
        lower: i64,
        /// Its last index.
        upper: i64,
        /// Template indices that they are aligned with.
        aligned: (i64, i64),
        /// Bounds of the template.
        template: (i64, i64),
    },
    /// A subscript outside its dimension.
    #[error("dimension {dim}: {first}:{last} is not within {lower}:{upper}")]
    Outside {
        /// From 1.
        dim: usize,
        /// First requested index.
        first: i64,
        /// Last requested index.
        last: i64,
        /// First index of the dimension.
        lower: i64,
        /// Last index of the dimension.
        upper: i64,
    },
    /// A loop or subscript triplet with step 0.
    #[error("a step of 0")]
    ZeroStep,
    /// A shadow exchange wider than the shadow.
    #[error("dimension {dim}: width {asked} is more than the shadow of {shadow}")]
    WiderThanShadow {
        /// Array dimension from 1.
        dim: usize,
        /// The requested width.
        asked: i64,
        /// The width of the shadow on that side.
        shadow: i64,
    },
    /// Two sides of an assignment that have different shapes.
    #[error("shape {left} is assigned from shape {right}")]
    ShapeMismatch {
        /// Shape of the left side.
        left: String,
        /// Shape of the right side.
        right: String,
    },
    /// A needed image that does not take part: it owns elements or is named.
    #[error("{image} is needed, but is not among those that execute this")]
    NotExecuting {
        /// The image.
        image: crate::rank::Rank,
    },
}

/// A result about a mapping.
pub type Result<T, E = MappingError> = std::result::Result<T, E>;

impl MappingError {
    /// The error of the runtime about `what`, for instance `array a`.
    #[must_use]
    pub fn of(&self, what: &str) -> Error {
        Error::Invalid(format!("{what}: {self}"))
    }

    /// The error about an object of `ndims` dimensions, of which the first one runs fastest, as a program in C has written it: with
    /// the last one running fastest, and in square brackets.
    #[must_use]
    pub fn in_c(mut self, ndims: usize) -> MappingError {
        match &mut self {
            MappingError::NodeCount { shape, .. } => {
                let sizes = shape.trim_matches(['(', ')']).rsplit(',');
                *shape = sizes.map(|size| format!("[{size}]")).collect();
            }
            MappingError::Dimension { dim, .. }
            | MappingError::BlockTooSmall { dim, .. }
            | MappingError::GblockSum { dim, .. }
            | MappingError::Outside { dim, .. } => *dim = (ndims + 1).saturating_sub(*dim),
            _ => {}
        }
        self
    }

    /// The error about nodes, which count from 1, as a program has written it that counts them from 0.
    #[must_use]
    pub fn from_0(mut self) -> MappingError {
        if let MappingError::Outside { first, last, lower, upper, .. } = &mut self {
            for index in [first, last, lower, upper] {
                *index -= 1;
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::MappingError;

    #[test]
    fn errors_count_as_programs_in_c_do() {
        let outside = MappingError::Outside { dim: 1, first: 3, last: 3, lower: 1, upper: 2 };
        let text = outside.in_c(2).from_0().to_string();
        assert_eq!(text, "dimension 2: 2:2 is not within 0:1");
        let few = MappingError::NodeCount {
            shape: "(2,*)".into(),
            needed: "a multiple of 2".into(),
            available: 3,
        };
        assert_eq!(few.in_c(2).to_string(), "[*][2] needs a multiple of 2 nodes, there are 3");
    }
}
