//! Statements and directives of a file in their order.

use super::classify::{Kind, kind};
use super::source::Statement;
use crate::directive::Directive;

/// A statement or a directive, in the order of the file.
#[derive(Debug)]
pub enum Item {
    /// A statement, and its kind.
    Statement(Statement, Kind),
    /// A directive.
    Directive(Directive),
}

impl Item {
    /// The statement, unless it is a directive.
    pub fn statement(&self) -> Option<&Statement> {
        match self {
            Self::Statement(statement, _) => Some(statement),
            Self::Directive(_) => None,
        }
    }

    /// The directive, unless it is a statement.
    pub fn directive(&self) -> Option<&Directive> {
        match self {
            Self::Statement(..) => None,
            Self::Directive(directive) => Some(directive),
        }
    }

    /// The kind of the statement, unless it is a directive.
    pub fn kind(&self) -> Option<&Kind> {
        match self {
            Self::Statement(_, kind) => Some(kind),
            Self::Directive(_) => None,
        }
    }

    /// Its start in the file.
    pub fn start(&self) -> usize {
        match self {
            Self::Statement(statement, _) => statement.whole().start,
            Self::Directive(directive) => directive.span.start,
        }
    }
}

/// The items of a file in their order.
pub fn items(statements: Vec<Statement>, directives: Vec<Directive>) -> Vec<Item> {
    let statements = statements.into_iter().map(|statement| {
        let kind = kind(&statement.code);
        Item::Statement(statement, kind)
    });
    let mut items: Vec<Item> =
        statements.chain(directives.into_iter().map(Item::Directive)).collect();
    items.sort_by_key(Item::start);
    items
}
