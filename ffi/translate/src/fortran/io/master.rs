//! `master_io`: the master executes the statement; all nodes get the values that it reads, and branch alike.

use super::control::{Specifier, Statement, Word};
use super::items::{Around, Transfer, spread};
use crate::diagnostics::{Diagnostic, refuse};
use crate::fortran::declarations;
use crate::fortran::source;
use crate::fortran::tokens::name_at;
use crate::fortran::unit::{TranslationResult, Unit};
use crate::fortran::writer::Code;

/// Variables for IOSTAT= and IOMSG= of the statement that the master executes.
const STATUS: &str = "xmptio_stat";
const MESSAGE: &str = "xmptio_msg";

/// Specifiers whose conditions all nodes have alike.
const CONDITIONS: [&str; 4] = ["iostat", "err", "end", "eor"];

/// Specifiers of INQUIRE whose values are given.
const GIVEN: [&str; 5] = ["", "unit", "file", "id", "err"];

impl Unit<'_> {
    /// Translates a statement.
    ///
    /// # Errors
    /// For items that it cannot have, and for internal files.
    pub(super) fn master_statement(&mut self, item: usize, io: &Statement) -> TranslationResult {
        let statement = self.statement(item);
        let scope = self.scope_of(item);
        self.check_external(statement, io, scope)?;
        let text = |span: &std::ops::Range<usize>| statement.text[span.clone()].trim().to_owned();
        let mut around = Around::default();
        if io.word == Word::Inquire && io.specifiers.iter().any(|each| each.name == "iolength") {
            // It is about the items of each node.
            let transfer = Transfer { reads: false, keeps: false };
            for each in &io.items {
                if self.array_from(&statement.code[each.clone()], scope).is_some() {
                    let wrong = "a distributed array has no length of its own";
                    return refuse(statement.span(each.clone()), wrong);
                }
                self.item(statement, each, scope, transfer, &mut around)?;
            }
            return Ok(());
        }
        let format = io.specifier("fmt").map(|each| text(&each.value)).unwrap_or_default();
        let reads = io.word == Word::Read;
        let transfer = Transfer { reads, keeps: reads && format == "*" };
        if let Some(variables) = self.group(statement, io, scope)? {
            around.after.extend(variables.iter().filter(|_| reads).map(|name| spread(name)));
        }
        for each in &io.items {
            self.item(statement, each, scope, transfer, &mut around)?;
        }
        let conditions: Vec<&Specifier> =
            io.specifiers.iter().filter(|each| CONDITIONS.contains(&each.name.as_str())).collect();
        let mut code = std::mem::take(&mut around.before);
        let mut changes = std::mem::take(&mut around.changes);
        if let Some(list) = io.list.clone().filter(|_| !conditions.is_empty()) {
            let kept = io.specifiers.iter().filter(|each| !conditions.contains(each));
            let mut entries: Vec<String> = kept.map(|each| text(&each.whole)).collect();
            entries.push(format!("iostat={STATUS}"));
            let has_message = io.specifiers.iter().any(|each| each.name == "iomsg");
            if !has_message {
                entries.push(format!("iomsg={MESSAGE}"));
            }
            changes.push((list, entries.join(", ")));
            code.push(format!("{STATUS} = 0").into());
            code.push(format!("{MESSAGE} = ' '").into());
        }
        changes.sort_by_key(|(span, _)| span.start);
        let executed = statement.changed(changes).text;
        code.push(format!("if (xmprt_fortran_is_master() /= 0) {executed}").into());
        if !conditions.is_empty() {
            self.needs_status(scope);
            code.push(spread(STATUS));
        }
        for each in io.specifiers.iter().filter(|each| is_result(io.word, &each.name)) {
            code.push(spread(&text(&each.value)));
        }
        code.append(&mut around.after);
        code.append(&mut around.end);
        code.extend(branches(&conditions, text));
        self.instead_of(item, code);
        Ok(())
    }

    /// Puts statements in the place of one, in a scope that then needs the interfaces.
    pub(super) fn instead_of(&mut self, item: usize, code: Vec<Code>) {
        let scope = self.scope_of(item);
        self.needs[scope].interfaces = true;
        self.output.replace(item, code);
    }

    /// Declares the variables for conditions.
    fn needs_status(&mut self, scope: usize) {
        let variables = &mut self.needs[scope].variables;
        let status = format!("integer :: {STATUS}");
        if !variables.contains(&status) {
            variables.push(status);
            variables.push(format!("character(len=256) :: {MESSAGE}"));
        }
    }

    /// A statement on a character variable has no file.
    fn check_external(
        &self,
        of: &source::Statement,
        io: &Statement,
        scope: usize,
    ) -> TranslationResult {
        let Some(unit) = io.specifier("unit").filter(|_| io.word != Word::Print) else {
            return Ok(());
        };
        let name = name_at(&of.code[unit.value.clone()]);
        let mut at = Some(scope);
        while let Some(number) = at {
            let scope = &self.scopes.all[number];
            if let Some(variable) = declarations::variable(self.items, scope, name) {
                if !name.is_empty() && variable.type_code.starts_with("character") {
                    let wrong = format!("`{name}` is an internal file, which is on each node");
                    return Err(Diagnostic::new(of.span(unit.value.clone()), wrong)
                        .help("write the statement without the directive"));
                }
                return Ok(());
            }
            at = scope.parent;
        }
        Ok(())
    }

    /// The variables of the namelist group of a statement, if it has one.
    fn group(
        &self,
        of: &source::Statement,
        io: &Statement,
        scope: usize,
    ) -> Result<Option<Vec<String>>, Diagnostic> {
        let named = io.specifiers.iter().find(|each| each.name == "nml");
        let Some(specifier) = named.or_else(|| io.specifier("fmt")) else { return Ok(None) };
        let name = &of.code[specifier.value.clone()];
        let Some(variables) = self.namelist(name, scope) else {
            return match named {
                None => Ok(None),
                Some(_) => refuse(
                    of.span(specifier.value.clone()),
                    format!("the namelist group `{name}` is not declared in this file"),
                ),
            };
        };
        match variables.iter().find(|name| self.objects.array_at(name, scope).is_some()) {
            Some(array) => refuse(
                of.span(specifier.value.clone()),
                format!("the group `{name}` has the distributed array `{array}`"),
            ),
            None => Ok(Some(variables)),
        }
    }
}

/// Whether the statement gives a value to a specifier.
fn is_result(word: Word, name: &str) -> bool {
    match word {
        Word::Inquire => !GIVEN.contains(&name) && name != "iostat",
        Word::Open => name == "newunit" || name == "iomsg",
        _ => name == "size" || name == "iomsg",
    }
}

/// The statements of all nodes for the condition of a statement.
fn branches(
    conditions: &[&Specifier],
    text: impl Fn(&std::ops::Range<usize>) -> String,
) -> Vec<Code> {
    let value =
        |name: &str| conditions.iter().find(|each| each.name == name).map(|each| text(&each.value));
    let mut code: Vec<Code> = Vec::new();
    let iostat = value("iostat");
    if let Some(variable) = &iostat {
        code.push(format!("{variable} = {STATUS}").into());
    }
    let tests = [
        ("end", format!("is_iostat_end({STATUS})")),
        ("eor", format!("is_iostat_eor({STATUS})")),
        ("err", format!("{STATUS} > 0")),
    ];
    for (name, test) in tests {
        match value(name) {
            Some(label) => code.push(format!("if ({test}) goto {label}").into()),
            None if iostat.is_none() && !conditions.is_empty() => {
                code.push(
                    format!("if ({test}) call xmprt_fortran_io_failed({STATUS}, {MESSAGE})").into(),
                );
            }
            None => {}
        }
    }
    code
}
