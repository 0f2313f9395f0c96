//! `global_io`: all nodes take part in a statement, each with its own part.

use super::control::{Specifier, Statement, Word};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::Access;
use crate::fortran::source;
use crate::fortran::tokens::name_at;
use crate::fortran::unit::{TranslationResult, Unit, descriptor, integer};
use crate::fortran::writer::{Code, doing};
use crate::meaning::naming;

/// Specifiers of OPEN that are texts, with the numbers that the library knows them by.
const TEXTS: [(&str, u8); 6] =
    [("file", 1), ("status", 2), ("position", 3), ("action", 4), ("access", 5), ("form", 6)];

/// The number by which the library knows an access.
fn number(access: Access) -> u8 {
    match access {
        Access::Collective => 0,
        Access::Atomic => 1,
        Access::Direct => 2,
    }
}

/// The specifiers that a statement may have (XcalableMP 1.4, appendix on I/O); none for other statements.
fn available(word: Word, access: Access) -> Option<&'static [&'static str]> {
    match (word, access == Access::Direct) {
        (Word::Open, false) => {
            Some(&["unit", "iostat", "file", "status", "position", "action", "access", "form"])
        }
        (Word::Open, true) => {
            Some(&["unit", "iostat", "file", "status", "recl", "action", "access", "form"])
        }
        (Word::Close, _) => Some(&["unit", "iostat", "status"]),
        (Word::Read | Word::Write, false) => Some(&["unit", "iostat"]),
        (Word::Read | Word::Write, true) => Some(&["unit", "rec", "iostat"]),
        _ => None,
    }
}

/// The specifiers that a statement must have.
fn needed(word: Word, access: Access) -> &'static [&'static str] {
    match (word, access == Access::Direct) {
        (Word::Open, false) => &["unit", "file", "form"],
        (Word::Open, true) => &["unit", "file", "access", "recl"],
        (Word::Read | Word::Write, true) => &["unit", "rec"],
        _ => &["unit"],
    }
}

impl Unit<'_> {
    /// Translates a statement.
    ///
    /// # Errors
    /// For statements, specifiers and items that it cannot be or have.
    pub(super) fn global_statement(
        &mut self,
        item: usize,
        io: &Statement,
        access: Access,
    ) -> TranslationResult {
        let statement = self.statement(item);
        check(statement, io, access)?;
        let value = |name: &str| {
            io.specifier(name).map(|each| statement.text[each.value.clone()].trim().to_owned())
        };
        let (way, unit) = (number(access), integer(&value("unit").unwrap_or_default()));
        let told = u8::from(value("iostat").is_some());
        let long =
            |name: &str| value(name).map_or("0_8".to_owned(), |text| format!("int({text}, 8)"));
        let mut code: Vec<Code> = Vec::new();
        for (name, which) in TEXTS {
            if let Some(text) = value(name).filter(|_| matches!(io.word, Word::Open | Word::Close))
            {
                code.push(format!("call xmprt_fortran_file_option({which}, {text})").into());
            }
        }
        match io.word {
            Word::Open => {
                let record = long("recl");
                let call = format!("xmprt_fortran_file_open({way}, {unit}, {record}, {told})");
                code.push(doing("global_io: OPEN", &call));
            }
            Word::Close => {
                let call = format!("xmprt_fortran_file_close({way}, {unit}, {told})");
                code.push(doing("global_io: CLOSE", &call));
            }
            word => {
                let (record, writes) = (long("rec"), u8::from(word == Word::Write));
                let call = format!("xmprt_fortran_file_begin({way}, {unit}, {record}, {writes})");
                code.push(doing("global_io", &call));
                for each in &io.items {
                    code.push(self.global_item(item, each.clone(), access)?);
                }
                let call = format!("xmprt_fortran_file_finish({unit}, {told})");
                code.push(doing("global_io", &call));
            }
        }
        if let Some(variable) = value("iostat") {
            code.push(format!("{variable} = xmprt_fortran_file_iostat()").into());
        }
        self.instead_of(item, code);
        Ok(())
    }

    /// The call for an item, which is the name of a variable.
    fn global_item(
        &self,
        item: usize,
        span: std::ops::Range<usize>,
        access: Access,
    ) -> Result<Code, Diagnostic> {
        let (statement, scope) = (self.statement(item), self.scope_of(item));
        let code = &statement.code[span.clone()];
        let array = self.array_from(code, scope);
        let len = array.as_ref().map_or(name_at(code).len(), |(_, len)| *len);
        if len == 0 || len != code.len() {
            return Err(Diagnostic::new(
                statement.span(span),
                "an item of `global_io` is the name of a variable",
            )
            .help("assign the value to a variable, and write that"));
        }
        let Some((array, _)) = array else {
            let call = format!("xmprt_fortran_file_item({code})");
            return Ok(doing(&naming("global_io", code), &call));
        };
        let name = &array.name;
        if access != Access::Collective {
            return Err(Diagnostic::new(
                statement.span(span),
                format!("`{name}` is distributed: `atomic` and `direct` transfer local variables"),
            )
            .help("use `global_io` without a clause, which all nodes execute together"));
        }
        let call = format!("xmprt_fortran_file_array({})", descriptor(name));
        Ok(doing(&naming("global_io", name), &call))
    }
}

/// Checks the statement and its specifiers.
fn check(statement: &source::Statement, io: &Statement, access: Access) -> TranslationResult {
    let Some(available) = available(io.word, access) else {
        return Err(Diagnostic::new(
            statement.whole(),
            "`global_io` applies to OPEN, CLOSE, READ and WRITE",
        )
        .help("use `master_io` for the other statements"));
    };
    // The unit may be given by its position; a second one is a format.
    let is_wrong = |(position, each): (usize, &Specifier)| match each.name.as_str() {
        "" => position > 0,
        name => !available.contains(&name),
    };
    let wrong = io.specifiers.iter().enumerate().find(|each| is_wrong(*each)).map(|(_, each)| each);
    if let Some(Specifier { name, whole, .. }) = wrong {
        let title = match name.as_str() {
            "" | "fmt" => "`global_io` is unformatted".to_owned(),
            name => format!("`{name}` is not allowed in this statement of `global_io`"),
        };
        let list = available.join(", ").to_uppercase();
        return Err(Diagnostic::new(statement.span(whole.clone()), title)
            .help(format!("the specifiers are {list}")));
    }
    match needed(io.word, access).iter().find(|name| io.specifier(name).is_none()) {
        Some(name) => refuse(
            statement.whole(),
            format!("`{name}=` is missing in this statement of `global_io`"),
        ),
        None => Ok(()),
    }
}
