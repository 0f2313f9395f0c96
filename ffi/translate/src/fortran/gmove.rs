//! `gmove`: the assignment after it, as two operands for the runtime.

use super::on::{self, between, list, single, whole};
use super::reduction::with_id;
use super::source::Statement;
use super::tokens::{assignment, closing, name_at, outside, split};
use super::unit::{TranslationResult, Unit, descriptor};
use super::writer::{Code, doing};
use crate::diagnostics::Diagnostic;
use crate::directive::{Directive, Mode, Text};
use crate::meaning::assignment::{expression, missing, no_distributed_side, no_left_side};
use crate::meaning::declare::check_count;
use crate::meaning::naming;
use std::ops::Range;

/// A name with subscripts, as parts of a statement.
#[derive(Debug)]
struct Designator {
    name: String,
    subscripts: Option<Vec<Range<usize>>>,
    all: Range<usize>,
}

impl Unit<'_> {
    /// Translates a `gmove` directive and the statement after it.
    ///
    /// # Errors
    /// When no assignment follows, or a side cannot be described.
    pub fn gmove(
        &mut self,
        item: usize,
        directive: &Directive,
        mode: Mode,
        id: Option<&Text>,
    ) -> TranslationResult {
        let scope = self.scope_of(item);
        let next = self.next_statement(item, &directive.keyword)?;
        let statement = self.statement(next);
        let equals =
            assignment(&statement.code).filter(|at| !statement.code[*at..].starts_with("=>"));
        let Some(equals) = equals else {
            return Err(missing(statement.whole(), "gmove"));
        };
        let left = designator(statement, 0..equals);
        let right = designator(statement, equals + 1..statement.code.len());
        let Some(left) = left else {
            return Err(no_left_side(statement.span(0..equals)));
        };
        let is_global = |of: &Designator| self.objects.array_at(&of.name, scope).is_some();
        if !is_global(&left) && !right.as_ref().is_some_and(is_global) {
            return Err(no_distributed_side(statement.whole()));
        }
        let left_side = self.side(statement, &left, scope)?;
        let right = right.filter(|right| is_global(right) || self.is_local(right, scope));
        let differ = right.as_ref().is_some_and(|right| {
            let classes = (self.class_of(&left, scope), self.class_of(right, scope));
            matches!(classes, (Some(left), Some(right)) if left != right)
        });
        if differ && (right.as_ref().is_some_and(is_global) || !is_global(&left)) {
            return Err(Diagnostic::new(
                statement.whole(),
                "`gmove` copies elements, but the two sides are of different types",
            )
            .help("move them to an array of the same type, and convert that"));
        }
        // Of a local value a conversion is moved.
        let right_side = match right.filter(|_| !differ) {
            Some(right) => self.side(statement, &right, scope)?,
            None => {
                let text = statement.text[equals + 1..].trim();
                self.check_local(statement, equals + 1, scope)?;
                GmoveOperand::variable(self.converted(&left, text, scope))
            }
        };
        let mode = match mode {
            Mode::Collective => 0,
            Mode::In => IN + MEET + MEET_FIRST,
            Mode::Out => OUT + MEET + MEET_FIRST,
        };
        let written = naming("gmove", &statement.text);
        let call = moved(&written, &left_side, &right_side, mode, &with_id(id));
        self.instead(item, Vec::new());
        self.output.replace(next, vec![call]);
        Ok(())
    }

    /// The class of the type of a variable, if a scope here declares it.
    fn class_of(&self, of: &Designator, scope: usize) -> Option<u8> {
        let class = |home: usize, of_type: &str| {
            super::objects::class(self.items, self.scopes, home, &of.name, of_type)
        };
        if let Some((_, array)) = self.objects.array_at(&of.name, scope) {
            let variable = array.variable.as_ref()?;
            return Some(class(array.home, &variable.type_code));
        }
        let mut at = Some(scope);
        while let Some(number) = at {
            let scope = &self.scopes.all[number];
            if let Some(variable) = super::declarations::variable(self.items, scope, &of.name) {
                return Some(class(number, &variable.type_code));
            }
            at = scope.parent;
        }
        None
    }

    /// Whether a designator is a variable, and no call of a function.
    fn is_local(&self, of: &Designator, scope: usize) -> bool {
        of.subscripts.is_none() || self.is_declared_array(&of.name, scope)
    }

    /// Whether a scope, or one around it, declares an array of that name.
    fn is_declared_array(&self, name: &str, scope: usize) -> bool {
        let mut at = Some(scope);
        while let Some(number) = at {
            let scope = &self.scopes.all[number];
            if let Some(variable) = super::declarations::variable(self.items, scope, name) {
                return !variable.dims.is_empty();
            }
            at = scope.parent;
        }
        false
    }

    /// A value that has distributed arrays in it cannot be computed by each image.
    fn check_local(&self, statement: &Statement, from: usize, scope: usize) -> TranslationResult {
        let code = &statement.code[from..];
        let mut at = 0;
        while at < code.len() {
            let name = name_at(&code[at..]);
            if !name.is_empty() && self.objects.array_at(name, scope).is_some() {
                let span = statement.span(from + at..from + at + name.len());
                return Err(expression(span));
            }
            at += name.len().max(1);
        }
        Ok(())
    }

    /// A value in the type of the left side.
    fn converted(&self, left: &Designator, text: &str, scope: usize) -> String {
        let Some((_, array)) = self.objects.array_at(&left.name, scope) else {
            return format!("({text})");
        };
        let Some(variable) = &array.variable else { return format!("({text})") };
        let function = match super::objects::class(
            self.items,
            self.scopes,
            array.home,
            &array.name,
            &variable.type_code,
        ) {
            1 => "int",
            2 => "logical",
            3 => "real",
            4 => return format!("cmplx({text}, kind=kind({}))", array.name),
            _ => return format!("({text})"),
        };
        format!("{function}({text}, kind({}))", array.name)
    }

    /// The arguments that describe a side.
    fn side(
        &self,
        statement: &Statement,
        of: &Designator,
        scope: usize,
    ) -> Result<GmoveOperand, Diagnostic> {
        let wrong = |title: String| Diagnostic::new(statement.span(of.all.clone()), title);
        let name = &of.name;
        if let Some((_, array)) = self.objects.array_at(name, scope) {
            let rank = array.dims.len();
            let Some(subscripts) = &of.subscripts else {
                return Ok(GmoveOperand::array(name, None));
            };
            let given = (subscripts.len(), "subscript");
            check_count(given, rank, name, &statement.span(of.all.clone()))?;
            let mut ranges = Vec::new();
            for (dim, subscript) in subscripts.iter().enumerate() {
                let bounds = array.variable.as_ref().and_then(|variable| variable.dims.get(dim));
                let known = bounds
                    .filter(|_| !array.is_deferred)
                    .and_then(|bounds| Some((bounds.lower.clone(), bounds.upper.clone()?)));
                ranges.push(range(statement, subscript, known).ok_or_else(|| {
                    wrong(format!("the bounds of this section of `{name}` are not known"))
                })?);
            }
            return Ok(GmoveOperand::array(name, Some(ranges)));
        }
        let Some(subscripts) = &of.subscripts else {
            return Ok(GmoveOperand::variable(name.clone()));
        };
        let mut ranges = Vec::new();
        for (dim, subscript) in subscripts.iter().enumerate() {
            let ends =
                (format!("lbound({name}, {})", dim + 1), format!("ubound({name}, {})", dim + 1));
            let picked = range(statement, subscript, Some(ends));
            ranges
                .push(picked.ok_or_else(|| wrong("this subscript is not understood".to_owned()))?);
        }
        Ok(GmoveOperand {
            object: name.clone(),
            is_array: false,
            lowers: Some(format!("lbound({name}, kind=4)")),
            ranges: Some(list(&ranges)),
        })
    }
}

/// Modes of `xmprt_gmove`.
const IN: u8 = 1;
const OUT: u8 = 2;
const MEET: u8 = 4;
const MEET_FIRST: u8 = 8;

/// An operand of a `gmove`.
pub struct GmoveOperand {
    /// The handle of a distributed array, or a variable or a value of the program.
    object: String,
    is_array: bool,
    /// The lower bounds of a variable.
    lowers: Option<String>,
    ranges: Option<String>,
}

impl GmoveOperand {
    /// A section of a distributed array, or all of it.
    pub fn array(name: &str, ranges: Option<Vec<on::Range>>) -> Self {
        let ranges = ranges.map(|ranges| list(&ranges));
        Self { object: descriptor(name), is_array: true, lowers: None, ranges }
    }

    /// All of a variable, or a value.
    pub fn variable(text: String) -> Self {
        Self { object: text, is_array: false, lowers: None, ranges: None }
    }

    /// Arguments by the names of the functions.
    fn arguments(&self, which: &str) -> String {
        let Self { object, is_array, lowers, ranges } = self;
        let prefix = if *is_array { format!("{which}_") } else { String::new() };
        let lowers = lowers.iter().map(|of| format!(", lowers={of}"));
        let ranges = ranges.iter().map(|of| format!(", {prefix}ranges={of}"));
        format!("{which}={object}") + &lowers.chain(ranges).collect::<String>()
    }
}

/// The statement that assigns the right side to the left one; one of them is a distributed array. Its name in messages is
/// `what`.
pub fn moved(what: &str, left: &GmoveOperand, right: &GmoveOperand, mode: u8, id: &str) -> Code {
    let function = match (left.is_array, right.is_array) {
        (true, true) => "xmprt_gmove",
        (true, false) => "xmprt_fortran_gmove_from",
        (false, _) => "xmprt_fortran_gmove_to",
    };
    let (left, right) = (left.arguments("to"), right.arguments("from"));
    doing(what, &format!("{function}({left}, {right}, mode={mode}{id})"))
}

/// A subscript of a section; `ends` are the bounds of the dimension, if known.
fn range(
    statement: &Statement,
    span: &Range<usize>,
    ends: Option<(String, String)>,
) -> Option<on::Range> {
    let parts = split(&statement.code, span.clone(), b':');
    let text = |span: &Range<usize>| {
        Some(statement.text[span.clone()].trim().to_owned()).filter(|text| !text.is_empty())
    };
    let (lower, upper) = ends.map_or((None, None), |(lower, upper)| (Some(lower), Some(upper)));
    match &parts[..] {
        [at] => Some(single(&text(at)?)),
        [first, last] if text(first).is_none() && text(last).is_none() => Some(whole()),
        [first, last, step @ ..] => Some(between(
            &text(first).or(lower)?,
            &text(last).or(upper)?,
            &step.first().and_then(text).unwrap_or_else(|| "1".into()),
        )),
        [] => None,
    }
}

/// A part of a statement as a name with subscripts; none if it is something else.
fn designator(statement: &Statement, span: Range<usize>) -> Option<Designator> {
    let code = &statement.code;
    let span = super::tokens::trimmed(code, span);
    let mut name = name_at(&code[span.clone()]).to_owned();
    if name.is_empty() {
        return None;
    }
    let mut rest = super::tokens::trimmed(code, span.start + name.len()..span.end);
    // A distributed component; its variable has no subscripts.
    while code[rest.clone()].starts_with('%') {
        let start = rest.end - code[rest.start + 1..rest.end].trim_start().len();
        let member = name_at(&code[start..rest.end]);
        name += &format!("%{member}");
        rest = super::tokens::trimmed(code, start + member.len()..rest.end);
    }
    if rest.is_empty() {
        return Some(Designator { name, subscripts: None, all: span });
    }
    if !code[rest.clone()].starts_with('(') || closing(code, rest.start)? + 1 != span.end {
        return None;
    }
    let inner = rest.start + 1..span.end - 1;
    // `f(x = 1)` is a call.
    if outside(&code[inner.clone()], |rest| rest.starts_with('=')).is_some() {
        return None;
    }
    Some(Designator { name, subscripts: Some(split(code, inner, b',')), all: span })
}
