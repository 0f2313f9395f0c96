//! `master_io`, `global_io` and `file_sync_all`: the I/O statements after the directives.
//!
//! ```text
//! control.rs  the parts of an I/O statement
//! items.rs    the items of data transfer statements
//! master.rs   `master_io`: one node executes the statement
//! namelist.rs the variables of a namelist group
//! global.rs   `global_io`: all nodes take part
//! ```

mod control;
mod global;
mod items;
mod master;
mod namelist;

use super::classify::Kind as Statements;
use super::items::Item;
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Access, Directive, Kind};
use control::Statement;

/// The way in which the statements of a directive are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExecutionMode {
    Master,
    Global(Access),
}

/// The way of a directive that begins a block or applies to the next statement, and whether it begins a block.
fn way(kind: &Kind) -> Option<(ExecutionMode, bool)> {
    match kind {
        Kind::MasterIo { begins } => Some((ExecutionMode::Master, *begins)),
        Kind::GlobalIo { access, begins } => Some((ExecutionMode::Global(*access), *begins)),
        _ => None,
    }
}

impl Unit<'_> {
    /// Translates the statements of a directive.
    ///
    /// # Errors
    /// For statements that it cannot apply to.
    pub fn parallel_io(&mut self, item: usize, directive: &Directive) -> TranslationResult {
        let Some((way, begins)) = way(&directive.kind) else {
            return self.end_of_io(item, directive);
        };
        if !begins {
            let next = self.next_statement(item, &directive.keyword)?;
            return self.io_statement(next, way, directive);
        }
        let name = &directive.keyword.text;
        for next in item + 1..self.items.len() {
            match &self.items[next] {
                Item::Directive(inner) if matches!(inner.kind, Kind::EndIo { .. }) => return Ok(()),
                Item::Directive(inner) => {
                    let wrong = format!("`{}` is not allowed within `{name}`", inner.keyword.text);
                    return refuse(&inner.keyword.span, wrong);
                }
                // The program unit or the construct ends before the block.
                Item::Statement(
                    _,
                    Statements::UnitEnd
                    | Statements::Contains
                    | Statements::ConstructEnd
                    | Statements::EndDo,
                ) => break,
                Item::Statement(..) => self.io_statement(next, way, directive)?,
            }
        }
        let wrong = Diagnostic::new(directive.span.clone(), format!("this `{name}` has no end"));
        Err(wrong.help(format!("write `!$xmp end {name}`")))
    }

    /// Checks that there is a beginning to an end.
    fn end_of_io(&self, item: usize, directive: &Directive) -> TranslationResult {
        let Kind::EndIo { is_master } = directive.kind else { return Ok(()) };
        let before = self.items[..item].iter().rev().find_map(|item| match item {
            Item::Directive(directive) => Some(way(&directive.kind)),
            Item::Statement(..) => None,
        });
        match before.flatten() {
            Some((way, true)) if (way == ExecutionMode::Master) == is_master => Ok(()),
            _ => refuse(&directive.span, "there is no block that this directive could end"),
        }
    }

    /// Translates one statement.
    fn io_statement(
        &mut self,
        item: usize,
        way: ExecutionMode,
        directive: &Directive,
    ) -> TranslationResult {
        let statement = self.statement(item);
        let name = &directive.keyword.text;
        let Some(io) = Statement::of(&statement.code) else {
            let wrong = format!("this is no I/O statement that `{name}` could apply to");
            return Err(Diagnostic::new(statement.whole(), wrong).help(
                "these are OPEN, CLOSE, READ, WRITE, PRINT, BACKSPACE, ENDFILE, REWIND and INQUIRE, \
                 without a condition before them",
            ));
        };
        match way {
            ExecutionMode::Master => self.master_statement(item, &io),
            ExecutionMode::Global(access) => self.global_statement(item, &io, access),
        }
    }
}
