//! The items of data transfer statements that one node executes: variables of that node replace distributed arrays, and
//! all nodes get the values that it reads.

use super::control::implied_do;
use crate::diagnostics::Diagnostic;
use crate::fortran::gmove::{GmoveOperand, moved};
use crate::fortran::objects::{ArrayObject, class};
use crate::fortran::on::single;
use crate::fortran::source::Statement;
use crate::fortran::tokens::{closing, name_at, split, trimmed};
use crate::fortran::unit::{Unit, descriptor};
use crate::fortran::writer::{Code, doing};
use crate::meaning::declare::check_count;
use crate::meaning::naming;
use std::ops::Range;

/// The statements around a statement for its items.
#[derive(Debug, Default)]
pub struct Around {
    /// Before the statement.
    pub before: Vec<Code>,
    /// After it: all nodes get the values that the master has read.
    pub after: Vec<Code>,
    /// At the end.
    pub end: Vec<Code>,
    /// Other texts for items.
    pub changes: Vec<(Range<usize>, String)>,
}

/// The effect of a data transfer statement on its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Whether it reads.
    pub reads: bool,
    /// Whether items may stay as they are: null values of list-directed input.
    pub keeps: bool,
}

/// The statement by which all nodes get the value of the master.
pub fn spread(variable: &str) -> Code {
    doing("bcast", &format!("xmprt_fortran_broadcast({variable}, from=0_8, on=0_8)"))
}

impl Unit<'_> {
    /// The distributed array whose name a text begins with, and the length of the name: `a`, or `c%a` of a component.
    pub(super) fn array_from(&self, code: &str, scope: usize) -> Option<(ArrayObject, usize)> {
        let (mut name, mut len) = (name_at(code).to_owned(), name_at(code).len());
        while !name.is_empty() {
            if let Some((_, array)) = self.objects.array_at(&name, scope) {
                return Some((array.clone(), len));
            }
            let rest = code[len..].trim_start().strip_prefix('%')?.trim_start();
            let member = name_at(rest);
            name += &format!("%{member}");
            len = code.len() - rest.len() + member.len();
            if member.is_empty() {
                break;
            }
        }
        None
    }

    /// The variable that a statement uses instead of an array or an element of it.
    fn temporary(&mut self, scope: usize, declaration: &str, dims: usize) -> String {
        let needs = &mut self.needs[scope];
        needs.counters += 1;
        let name = format!("xmpt_{}", needs.counters);
        let text = match dims {
            0 => format!("{declaration} :: {name}"),
            _ => format!("{declaration}, allocatable :: {name}({})", vec![":"; dims].join(", ")),
        };
        needs.variables.push(text);
        name
    }

    /// The type of an array, as a declaration begins.
    fn type_of(&self, array: &ArrayObject) -> Option<String> {
        let variable = array.variable.as_ref()?;
        let code = variable.type_code.as_str();
        if code.starts_with("character") && code.contains('*') && code.contains('(') {
            return Some(format!("character(len=len({}))", array.name));
        }
        Some(match code {
            "" => match class(self.items, self.scopes, array.home, &array.name, code) {
                1 => "integer".to_owned(),
                3 => "real".to_owned(),
                _ => return None,
            },
            code => code.to_owned(),
        })
    }

    /// Adds the statements for an item.
    ///
    /// # Errors
    /// For parts of distributed arrays that cannot be items.
    pub(super) fn item(
        &mut self,
        statement: &Statement,
        item: &Range<usize>,
        scope: usize,
        transfer: Transfer,
        around: &mut Around,
    ) -> Result<(), Diagnostic> {
        let code = &statement.code;
        let Some((array, len)) = self.array_from(&code[item.clone()], scope) else {
            return self.local_item(statement, item, scope, transfer, around);
        };
        let declaration = self.type_of(&array).ok_or_else(|| {
            let wrong = format!("the type of `{}` is not declared in this file", array.name);
            Diagnostic::new(statement.span(item.clone()), wrong)
                .help("put the statement into a procedure of the file that declares the array")
        })?;
        let rest = trimmed(code, item.start + len..item.end);
        if !rest.is_empty() {
            let element = self.temporary(scope, &declaration, 0);
            let change = (item.clone(), element.clone());
            self.element_item(statement, (item, rest), &array, element, transfer, around)?;
            around.changes.push(change);
            return Ok(());
        }
        let (name, of, dims) = (&array.name, descriptor(&array.name), array.dims.len());
        let whole = self.temporary(scope, &declaration, dims);
        let bound = |dim: usize, end| format!("xmprt_fortran_io_bound({of}, {dim}, {end})");
        let bounds: Vec<String> =
            (1..=dims).map(|dim| format!("{}:{}", bound(dim, 0), bound(dim, 1))).collect();
        around.before.push(format!("allocate({whole}({}))", bounds.join(", ")).into());
        let moving =
            |call: &str| doing(&naming("master_io", name), &format!("{call}({of}, {whole})"));
        if !transfer.reads || transfer.keeps {
            around.before.push(moving("xmprt_fortran_collect"));
        }
        if transfer.reads {
            around.after.push(moving("xmprt_fortran_spread"));
        }
        around.end.push(format!("deallocate({whole})").into());
        around.changes.push((item.clone(), whole));
        Ok(())
    }

    /// An item that is an element of a distributed array, with the subscripts there. This variable replaces it.
    fn element_item(
        &self,
        statement: &Statement,
        (item, rest): (&Range<usize>, Range<usize>),
        array: &ArrayObject,
        element: String,
        transfer: Transfer,
        around: &mut Around,
    ) -> Result<(), Diagnostic> {
        let (code, name) = (&statement.code, &array.name);
        let is_element = code[rest.clone()].starts_with('(')
            && closing(code, rest.start).is_some_and(|close| close + 1 == rest.end);
        let subscripts = split(code, rest.start + 1..rest.end.saturating_sub(1), b',');
        if !is_element || subscripts.iter().any(|span| code[span.clone()].contains(':')) {
            return Err(Diagnostic::new(
                statement.span(item.clone()),
                format!("an item of `master_io` with `{name}` is the array or an element of it"),
            )
            .help("sections, substrings and expressions of distributed arrays cannot be items"));
        }
        let given = (subscripts.len(), "subscript");
        check_count(given, array.dims.len(), name, &statement.span(item.clone()))?;
        let written = naming("master_io", &statement.text[item.clone()]);
        let ranges = subscripts.iter().map(|span| single(&statement.text[span.clone()])).collect();
        let part = GmoveOperand::array(name, Some(ranges));
        let local = GmoveOperand::variable(element.clone());
        if !transfer.reads || transfer.keeps {
            around.before.push(moved(&written, &local, &part, 0, ""));
        }
        if transfer.reads {
            around.after.push(spread(&element));
            around.after.push(moved(&written, &part, &local, 0, ""));
        }
        Ok(())
    }

    /// An item without a distributed array: all nodes get the value that is read.
    fn local_item(
        &mut self,
        statement: &Statement,
        item: &Range<usize>,
        scope: usize,
        transfer: Transfer,
        around: &mut Around,
    ) -> Result<(), Diagnostic> {
        let code = &statement.code;
        let mut at = item.start;
        while at < item.end {
            let is_member = code[..at].trim_end().ends_with('%');
            if let Some((array, len)) =
                self.array_from(&code[at..item.end], scope).filter(|_| !is_member)
            {
                let wrong =
                    format!("the distributed array `{}` cannot be a part of an item", array.name);
                return Err(Diagnostic::new(statement.span(at..at + len), wrong)
                    .help("neither expressions nor implied loops may have distributed arrays"));
            }
            at += name_at(&code[at..item.end]).len().max(1);
        }
        if !transfer.reads {
            return Ok(());
        }
        let Some(of) = implied_do(code, item.clone()) else {
            let text = statement.text[item.clone()].trim();
            around.after.push(spread(text));
            return Ok(());
        };
        around.after.push(format!("do {}", &statement.text[of.control]).into());
        for inner in &of.items {
            self.local_item(statement, inner, scope, transfer, around)?;
        }
        around.after.push("end do".into());
        Ok(())
    }
}
