//! `allocate` and `deallocate` of distributed arrays.

use super::declarations::{self, Bounds};
use super::make::{ended, part_bounds, placed};
use super::objects::ArrayObject;
use super::part::announced;
use super::pointers::are_alike;
use super::source::Statement;
use super::tokens::{action, after, closing, split, trimmed};
use super::unit::{TranslationResult, Unit, descriptor};
use super::writer::Code;
use crate::diagnostics::{Diagnostic, refuse};
use crate::meaning::assignment::differ;
use crate::meaning::declare::wrong_count;
use std::ops::Range;

/// The specifiers of an `allocate` statement.
struct Specifiers {
    /// Those that each `allocate` has.
    texts: Vec<String>,
    /// The variable of `stat=`.
    status: Option<String>,
    /// A source that may call a function, which is assigned: it may allocate other memory before the array gets its own.
    computed: Option<String>,
}

impl Specifiers {
    fn of(mut texts: Vec<String>) -> Self {
        let value = |word: &str| {
            let mut values = texts.iter().filter_map(|of| of.split_once('='));
            let found = values.find(|(name, _)| name.trim().eq_ignore_ascii_case(word));
            found.map(|(_, value)| value.trim().to_owned())
        };
        let status = value("stat");
        let computed = value("source").filter(|source| source.contains('('));
        if computed.is_some() {
            texts.retain(|of| !of.trim_start().to_ascii_lowercase().starts_with("source"));
        }
        Self { texts, status, computed }
    }

    fn allocate(&self, object: &str) -> Code {
        let texts = self.texts.iter().map(String::as_str);
        let list: Vec<&str> = std::iter::once(object).chain(texts).collect();
        format!("allocate({})", list.join(", ")).into()
    }

    /// Statements that follow a successful `allocate`.
    fn if_done(&self, code: Vec<Code>) -> Vec<Code> {
        let Some(status) = &self.status else { return code };
        let first = Code::from(format!("if ({status} == 0) then"));
        std::iter::once(first).chain(code).chain(["end if".into()]).collect()
    }
}

impl Unit<'_> {
    /// Translates a statement that allocates or frees distributed arrays.
    ///
    /// # Errors
    /// For bounds that are missing.
    pub fn allocation(&mut self, item: usize) -> TranslationResult {
        let statement = self.statement(item);
        let start = action(&statement.code);
        let condition = (start > 0).then(|| statement.text[..start].trim_end().to_owned());
        let rest = &statement.code[start..];
        let code = if after(rest, &["allocate"]).is_some_and(|rest| rest.starts_with('(')) {
            self.allocated(item, statement, start)?
        } else if after(rest, &["deallocate"]).is_some_and(|rest| rest.starts_with('(')) {
            self.freed(item, statement, start)
        } else {
            return Ok(());
        };
        let Some(mut code) = code else { return Ok(()) };
        if let Some(condition) = condition {
            code.insert(0, format!("{condition} then").into());
            code.push("end if".into());
        }
        let scope = self.scope_of(item);
        self.needs[scope].interfaces = true;
        self.output.replace(item, code);
        Ok(())
    }

    /// The distributed arrays in the list of a statement, with their places.
    fn listed(
        &self,
        item: usize,
        statement: &Statement,
        start: usize,
    ) -> Vec<(Range<usize>, &ArrayObject)> {
        let scope = self.scope_of(item);
        let Some(open) = statement.code[start..].find('(').map(|at| start + at) else {
            return Vec::new();
        };
        let Some(close) = closing(&statement.code, open) else { return Vec::new() };
        let entries = split(&statement.code, open + 1..close, b',').into_iter();
        let array = |span: Range<usize>| {
            let entry = &statement.code[span.clone()];
            let name = entry.split('(').next().unwrap_or_default().replace(' ', "");
            let (_, array) = self.objects.array_at(&name, scope)?;
            Some((span, array))
        };
        entries.filter_map(array).collect()
    }

    fn allocated(
        &self,
        item: usize,
        statement: &Statement,
        start: usize,
    ) -> Result<Option<Vec<Code>>, Diagnostic> {
        let listed = self.listed(item, statement, start);
        let Some(open) = statement.code[start..].find('(').filter(|_| !listed.is_empty()) else {
            return Ok(None);
        };
        let open = start + open;
        let close = closing(&statement.code, open).unwrap_or(statement.code.len());
        let entries = split(&statement.code, open + 1..close, b',');
        let is_specifier = |span: &Range<usize>| is_specifier(&statement.code[span.clone()]);
        let (specifiers, objects): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_specifier);
        let text = |span: Range<usize>| statement.text[span].trim().to_owned();
        let specifiers: Vec<String> = specifiers.into_iter().map(text).collect();
        let specifiers = Specifiers::of(specifiers);
        let mut code: Vec<Code> = Vec::new();
        for (nth, span) in objects.iter().enumerate() {
            let found = listed.iter().find(|(of, _)| of == span).map(|(_, array)| *array);
            let array =
                found.map(|array| self.allocated_array(item, statement, start, span, array));
            let array = array.transpose()?;
            let mut of_object: Vec<Code> = Vec::new();
            let object = match &array {
                Some(array) => {
                    of_object.extend(self.make_array(array)?);
                    of_object.push(announced(array));
                    format!("{}({})", array.name, part_bounds(array))
                }
                None => text(span.clone()),
            };
            of_object.push(specifiers.allocate(&object));
            of_object.extend(array.as_ref().map(|array| placed(array, false)));
            if let Some(source) = &specifiers.computed {
                let name = object.split('(').next().unwrap_or_default();
                let all = match &array {
                    Some(array) => format!("({})", vec![":"; array.dims.len()].join(", ")),
                    None => String::new(),
                };
                let assign = vec![format!("{name}{all} = {source}").into()];
                of_object.extend(specifiers.if_done(assign));
            }
            code.extend(if nth > 0 { specifiers.if_done(of_object) } else { of_object });
        }
        Ok(Some(code))
    }

    /// A distributed array with the bounds that a statement gives it.
    fn allocated_array(
        &self,
        item: usize,
        statement: &Statement,
        start: usize,
        span: &Range<usize>,
        array: &ArrayObject,
    ) -> Result<ArrayObject, Diagnostic> {
        let open = statement.code[span.clone()].find('(').map(|at| span.start + at);
        self.check_source(item, statement, start, array)?;
        let model = open.is_none().then(|| self.model(item, statement, start)).flatten();
        if open.is_none() && model.is_none_or(|(_, model)| model.dims.len() != array.dims.len()) {
            return Err(Diagnostic::new(
                statement.span(span.clone()),
                "the bounds of a distributed array are missing",
            )
            .help("write them: `allocate(a(n))`, or those of an array: `allocate(a, source=b)`"));
        }
        let Some(variable) = &array.variable else {
            return Err(Diagnostic::new(
                statement.span(span.clone()),
                format!("`{}` is declared in another file", array.name),
            )
            .help("allocate it in a procedure of its module"));
        };
        let mut variable = variable.clone();
        variable.dims = match (model, open) {
            (Some((_, model)), _) => bounds_of(model),
            (None, Some(open)) => {
                let close = closing(&statement.code, open).unwrap_or(span.end - 1);
                declarations::bounds(statement, open + 1..close)
            }
            (None, None) => Vec::new(),
        };
        if variable.dims.len() != array.dims.len() {
            let (given, needed) = ((variable.dims.len(), "bound"), (array.dims.len(), "dimension"));
            let wrong = wrong_count(given, needed, &array.name);
            return refuse(statement.span(span.clone()), wrong);
        }
        Ok(ArrayObject { variable: Some(variable), ..array.clone() })
    }

    /// The model of an allocation: the word `source` or `mold`, and the place of the expression.
    fn origin<'s>(
        &self,
        statement: &'s Statement,
        start: usize,
    ) -> Option<(&'s str, Range<usize>)> {
        let code = &statement.code;
        let open = start + code[start..].find('(')?;
        let entries = split(code, open + 1..closing(code, open)?, b',').into_iter();
        entries.into_iter().find_map(|span| {
            let (word, _) = code[span.clone()].split_once('=')?;
            let value = trimmed(code, span.start + word.len() + 1..span.end);
            ["source", "mold"].contains(&word.trim()).then(|| (word.trim(), value))
        })
    }

    /// The distributed array that a statement allocates by, and whether it gives the values.
    fn model(
        &self,
        item: usize,
        statement: &Statement,
        start: usize,
    ) -> Option<(bool, &ArrayObject)> {
        let (word, value) = self.origin(statement, start)?;
        let name = statement.code[value].replace(' ', "");
        let (_, array) = self.objects.array_at(&name, self.scope_of(item))?;
        Some((word == "source", array))
    }

    /// Refuses values for the part of an array that are not its elements.
    fn check_source(
        &self,
        item: usize,
        statement: &Statement,
        start: usize,
        array: &ArrayObject,
    ) -> TranslationResult {
        let Some((word, value)) = self.origin(statement, start) else { return Ok(()) };
        let name = statement.code[value.clone()].trim();
        let title = match self.model(item, statement, start) {
            Some((true, model)) if !are_alike(array, model) => differ(&array.name, name),
            None if word == "source" && self.is_array(item, name) => {
                format!(
                    "`{name}` is not distributed, and has other elements than a part of `{}`",
                    array.name
                )
            }
            _ => return Ok(()),
        };
        Err(Diagnostic::new(statement.span(value), title)
            .help("allocate the array with bounds, and assign its values in a loop"))
    }

    /// Whether a name is one of an array that a scope around a statement declares.
    fn is_array(&self, item: usize, name: &str) -> bool {
        let around = |scope: &usize| self.scopes.all[*scope].parent;
        let mut scopes = std::iter::successors(Some(self.scope_of(item)), around);
        let declared =
            scopes.find_map(|of| declarations::variable(self.items, &self.scopes.all[of], name));
        declared.is_some_and(|of| !of.dims.is_empty())
    }

    fn freed(&self, item: usize, statement: &Statement, start: usize) -> Option<Vec<Code>> {
        let listed = self.listed(item, statement, start);
        let mut code: Vec<Code> = listed.iter().map(|(_, array)| ended(&array.name)).collect();
        if code.is_empty() {
            return None;
        }
        code.push(statement.text[start..].into());
        Some(code)
    }
}

/// Whether an entry of the list of a statement is a specifier: `stat = k`.
fn is_specifier(code: &str) -> bool {
    code.split_once('=').is_some_and(|(word, _)| {
        let word = word.trim();
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// The bounds that an array has when a statement is executed.
fn bounds_of(array: &ArrayObject) -> Vec<Bounds> {
    let bound = |upper: u8, dim: usize| {
        format!("xmprt_fortran_bound({}, {dim}, {upper})", descriptor(&array.name))
    };
    let dims = 1..=array.dims.len();
    dims.map(|dim| Bounds { lower: bound(0, dim), upper: Some(bound(1, dim)) }).collect()
}
