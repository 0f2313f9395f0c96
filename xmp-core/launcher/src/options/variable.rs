//! Environment variables on the command line.

use std::ffi::OsString;

/// An environment variable of the images, as in `-x VAR=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value; `None` leaves it as it is in the environment.
    pub value: Option<OsString>,
}

impl Variable {
    /// Parses `VAR` or `VAR=VALUE`.
    ///
    /// # Errors
    /// When there is no name.
    pub fn parse(text: &str) -> Result<Variable, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.into())),
            None => (text, None),
        };
        match name {
            "" => Err("a name is needed before =".to_string()),
            name => Ok(Variable { name: name.to_string(), value }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_may_contain_anything() {
        let parsed = Variable::parse("A=b=c ").unwrap();
        assert_eq!((parsed.name.as_str(), parsed.value), ("A", Some("b=c ".into())));
        assert_eq!(Variable::parse("A=").unwrap().value, Some("".into()));
        assert_eq!(Variable::parse("PATH").unwrap().value, None);
        assert!(Variable::parse("=x").is_err() && Variable::parse("").is_err());
    }
}
