//! The parts of directives: names, subscripts, references, formats, widths and reductions.

use std::ops::Range;

/// A place in the source file, in bytes.
pub type Span = Range<usize>;

/// A name or an expression, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text, with comments and line ends replaced by blanks.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// The brackets of subscripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brackets {
    /// `(..)`: the first dimension is the fastest, and `a:b` are bounds.
    Round,
    /// `[..]`: the last dimension is the fastest, and `a:b` is a first index and a length.
    Square,
}

/// One subscript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subscript {
    /// `*`
    Star(Span),
    /// `:` with nothing around it.
    All(Span),
    /// An expression.
    At(Text),
    /// `a:b` or `a:b:c`, where each may be left out.
    Range {
        /// Before the first colon.
        first: Option<Text>,
        /// Between the colons: a bound or a length.
        second: Option<Text>,
        /// Behind the second colon.
        step: Option<Text>,
        /// All of it.
        span: Span,
    },
}

impl Subscript {
    /// Its expressions.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        let texts = match self {
            Self::At(text) => [Some(text), None, None],
            Self::Range { first, second, step, .. } => {
                [first.as_ref(), second.as_ref(), step.as_ref()]
            }
            Self::Star(_) | Self::All(_) => [None; 3],
        };
        texts.into_iter().flatten()
    }

    /// Its place.
    pub fn span(&self) -> &Span {
        match self {
            Self::Star(span) | Self::All(span) | Self::Range { span, .. } => span,
            Self::At(text) => &text.span,
        }
    }
}

/// A name with subscripts: `t(i, *)`, `p[0:2]`, `a`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name.
    pub name: Text,
    /// The brackets of the subscripts; none without subscripts.
    pub brackets: Option<Brackets>,
    /// The subscripts, in the order of the source.
    pub subscripts: Vec<Subscript>,
    /// All of it.
    pub span: Span,
}

/// The set of which a node array consists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodesOf {
    /// All nodes of the program: without `=`, or `= **`.
    All,
    /// The executing nodes: `= *`.
    Executing,
    /// A part of another node array.
    Part(Reference),
}

/// The format of one dimension in `distribute`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// `*`
    Star(Span),
    /// `block` or `block(n)`
    Block(Option<Text>, Span),
    /// `cyclic` or `cyclic(n)`
    Cyclic(Option<Text>, Span),
    /// `gblock(map)`; `None` is `gblock(*)`.
    Gblock(Option<Text>, Span),
}

/// A width in `shadow`, `width` or `expand`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Width {
    /// `*`: the whole dimension.
    Full(Span),
    /// `w` or `lower:upper`.
    Widths {
        /// Below the part.
        lower: Text,
        /// Above the part.
        upper: Text,
        /// `/periodic/` or `/unbound/` is before it.
        flag: bool,
    },
}

/// An operator of `reduction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the specification")]
pub enum Operator {
    Sum,
    Minus,
    Product,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
    Eqv,
    Neqv,
    Max,
    Min,
    FirstMax,
    FirstMin,
    LastMax,
    LastMin,
}

impl Operator {
    /// The runtime's number of the operator (`xmprt_op`).
    pub fn number(self) -> u8 {
        match self {
            // `-` collects what was subtracted everywhere.
            Operator::Sum | Operator::Minus => 1,
            Operator::Min => 2,
            Operator::Max => 3,
            Operator::Product => 4,
            Operator::BitAnd => 5,
            Operator::BitOr => 6,
            Operator::BitXor => 7,
            Operator::And => 8,
            Operator::Or => 9,
            Operator::Eqv => 10,
            Operator::Neqv => 11,
            Operator::FirstMax => 12,
            Operator::FirstMin => 13,
            Operator::LastMax => 14,
            Operator::LastMin => 15,
        }
    }

    /// Whether the operator defines location variables.
    pub fn has_location(self) -> bool {
        use Operator::{FirstMax, FirstMin, LastMax, LastMin};
        matches!(self, FirstMax | FirstMin | LastMax | LastMin)
    }
}

/// `op: x, y` or `firstmax: x /i, j/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The operator.
    pub operator: Operator,
    /// Variables, each with its location variables.
    pub variables: Vec<(Reference, Vec<Reference>)>,
    /// All of it.
    pub span: Span,
}
