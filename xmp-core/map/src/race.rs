//! Two accesses to the same memory that nothing orders, in the words of the user.

use crate::rank::Rank;
use std::fmt;

/// A race that an image has found when it executed the later one of the two statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The image whose memory it is.
    pub of: Rank,
    /// Where the memory begins that both access: an offset in the segment.
    pub offset: u64,
    /// The name of the variable, if it is known: `x(3)[2]`.
    pub object: Option<String>,
    /// The image that has executed the earlier statement.
    pub other: Rank,
    /// What that statement does: it "reads" or "writes".
    pub verb: &'static str,
    /// Where that statement is, if it is known: `heat.f90:21`.
    pub statement: Option<String>,
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Race { of, object, other, verb, statement, .. } = self;
        write!(f, "{other} {verb} ")?;
        match object {
            Some(object) => f.write_str(object)?,
            None => write!(f, "the same memory of {of}")?,
        }
        match statement {
            Some(place) => write!(f, " at {place}")?,
            None => f.write_str(" in a statement that is not remembered")?,
        }
        f.write_str(
            ", and nothing orders the two statements: synchronise the two images between them",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_names_image_access_variable_and_statement() {
        let race = Race {
            of: Rank::new(1),
            offset: 0,
            object: Some("x(3)[2]".into()),
            other: Rank::new(2),
            verb: "writes",
            statement: Some("a.f90:7".into()),
        };
        let rest = "nothing orders the two statements: synchronise the two images between them";
        assert_eq!(race.to_string(), format!("image 3 writes x(3)[2] at a.f90:7, and {rest}"));
        let unknown = Race { object: None, statement: None, verb: "reads", ..race };
        assert_eq!(
            unknown.to_string(),
            format!(
                "image 3 reads the same memory of image 2 in a statement that is not remembered, and {rest}"
            )
        );
    }
}
