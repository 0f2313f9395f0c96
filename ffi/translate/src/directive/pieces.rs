//! Parts that several directives have: references, formats, widths, reductions.

use super::scan::{ScanResult, Scanner};
use super::terms::{Brackets, Format, Operator, Reduction, Reference, Subscript, Text, Width};
use crate::diagnostics::{Diagnostic, refuse};

/// Reads the opening bracket of subscripts if it comes next.
pub fn opening(scan: &mut Scanner) -> Option<Brackets> {
    if scan.accept("(") {
        Some(Brackets::Round)
    } else if scan.accept("[") {
        Some(Brackets::Square)
    } else {
        None
    }
}

/// Reads the contents of brackets: `(a, b)` or `[a][b]`, whose opening bracket has been read; `one` reads an item.
pub fn bracketed<T>(
    scan: &mut Scanner,
    brackets: Brackets,
    mut one: impl FnMut(&mut Scanner) -> ScanResult<T>,
) -> ScanResult<Vec<T>> {
    match brackets {
        Brackets::Round => {
            let items = scan.list(one)?;
            scan.expect(")", "after the last dimension")?;
            Ok(items)
        }
        Brackets::Square => {
            let mut items = Vec::new();
            loop {
                items.push(one(scan)?);
                scan.expect("]", "after the dimension")?;
                if !scan.accept("[") {
                    return Ok(items);
                }
            }
        }
    }
}

/// Reads one subscript.
pub fn subscript(scan: &mut Scanner) -> ScanResult<Subscript> {
    let start = scan.here();
    if scan.accept("*") {
        return match scan.peek() {
            Some(',' | ')' | ']') => Ok(Subscript::Star(start)),
            _ => Err(scan.missing("`,` or the closing bracket after `*`")),
        };
    }
    let delimiters = [',', ')', ']', ':'];
    let part = |scan: &mut Scanner| match scan.peek() {
        None | Some(',' | ')' | ']' | ':') => Ok(None),
        Some(_) => scan.expression(&delimiters, "a subscript").map(Some),
    };
    let first = part(scan)?;
    if !scan.accept(":") {
        return first.map(Subscript::At).ok_or_else(|| scan.missing("a subscript"));
    }
    let second = part(scan)?;
    let step = if scan.accept(":") { part(scan)? } else { None };
    let span = start.start..scan.end();
    Ok(match (&first, &second, &step) {
        (None, None, None) => Subscript::All(span),
        _ => Subscript::Range { first, second, step, span },
    })
}

/// Reads a name and its subscripts, if it has some.
pub fn reference(scan: &mut Scanner, what: &str) -> ScanResult<Reference> {
    let name = scan.name_with_members(what)?;
    let brackets = opening(scan);
    let subscripts = match brackets {
        Some(brackets) => bracketed(scan, brackets, subscript)?,
        None => Vec::new(),
    };
    let span = name.span.start..scan.end();
    Ok(Reference { name, brackets, subscripts, span })
}

/// Reads a format of `distribute`.
pub fn format(scan: &mut Scanner) -> ScanResult<Format> {
    let start = scan.here();
    if scan.accept("*") {
        return Ok(Format::Star(start));
    }
    let word = scan.name("`block`, `cyclic`, `gblock` or `*`")?;
    let mut argument = None;
    if scan.accept("(") {
        argument = if scan.accept("*") {
            Some(None)
        } else {
            Some(Some(scan.expression(&[','], "a width or a mapping array")?))
        };
        scan.expect(")", "after the argument of the format")?;
    }
    let span = word.span.start..scan.end();
    match (word.text.as_str(), argument) {
        ("block", None) => Ok(Format::Block(None, span)),
        ("block", Some(Some(width))) => Ok(Format::Block(Some(width), span)),
        ("cyclic", None) => Ok(Format::Cyclic(None, span)),
        ("cyclic", Some(Some(width))) => Ok(Format::Cyclic(Some(width), span)),
        // Fortran has constructors of arrays.
        ("gblock", Some(Some(map)))
            if map.text.starts_with('{') || !scan.folds_case() && map.text.starts_with("(/") =>
        {
            Err(Diagnostic::new(map.span, "the sizes of the blocks are no array with a name")
                .help("declare one, such as `int map[] = {2, 3};`, and write `gblock(map)`"))
        }
        ("gblock", Some(map)) => Ok(Format::Gblock(map, span)),
        ("gblock", None) => Err(Diagnostic::new(span, "`gblock` needs the sizes of the blocks")
            .help("write `gblock(map)`, where `map` has a size for each node, or `gblock(*)`")),
        ("block" | "cyclic", Some(None)) => refuse(span, "the width of blocks cannot be `*`"),
        _ => Err(Diagnostic::new(word.span, format!("unknown format `{}`", word.text))
            .help("formats are `block`, `block(n)`, `cyclic`, `cyclic(n)`, `gblock(map)` and `*`")),
    }
}

/// Reads a width: `w`, `lower:upper`, `*`, or one of these after `/word/`.
pub fn width(scan: &mut Scanner, word: Option<&str>) -> ScanResult<Width> {
    let mut flag = false;
    if let Some(word) = word
        && scan.accept("/")
    {
        let found = scan.name(&format!("`{word}`"))?;
        if found.text != word {
            return refuse(found.span, format!("expected `/{word}/`"));
        }
        scan.expect("/", &format!("after `{word}`"))?;
        flag = true;
    }
    let start = scan.here();
    if scan.accept("*") {
        return Ok(Width::Full(start));
    }
    let delimiters = [',', ')', ']', ':'];
    let lower = scan.expression(&delimiters, "a width")?;
    let upper = if scan.accept(":") {
        scan.expression(&delimiters, "an upper width")?
    } else {
        lower.clone()
    };
    Ok(Width::Widths { lower, upper, flag })
}

/// Reads `(id)` of `async`.
pub fn id(scan: &mut Scanner) -> ScanResult<Text> {
    scan.expect("(", "before the id of `async`")?;
    let id = scan.expression(&[','], "the id of the asynchronous operation")?;
    scan.expect(")", "after the id")?;
    Ok(id)
}

/// Operators that are no words, longer ones before those that they begin with.
const SYMBOLS: [(&str, Operator); 8] = [
    ("&&", Operator::And),
    ("||", Operator::Or),
    ("+", Operator::Sum),
    ("-", Operator::Minus),
    ("*", Operator::Product),
    ("&", Operator::BitAnd),
    ("|", Operator::BitOr),
    ("^", Operator::BitXor),
];

/// Operators that are words, in either case; Fortran's are between dots.
const WORDS: [(&str, Operator); 13] = [
    ("and", Operator::And),
    ("or", Operator::Or),
    ("eqv", Operator::Eqv),
    ("neqv", Operator::Neqv),
    ("max", Operator::Max),
    ("min", Operator::Min),
    ("firstmax", Operator::FirstMax),
    ("firstmin", Operator::FirstMin),
    ("lastmax", Operator::LastMax),
    ("lastmin", Operator::LastMin),
    ("iand", Operator::BitAnd),
    ("ior", Operator::BitOr),
    ("ieor", Operator::BitXor),
];

fn operator(scan: &mut Scanner) -> ScanResult<Operator> {
    for (text, operator) in SYMBOLS {
        if scan.accept(text) {
            return Ok(operator);
        }
    }
    let dotted = scan.accept(".");
    let word = scan.name("a reduction operator")?;
    if dotted {
        scan.expect(".", "after the operator")?;
    }
    let logical = |operator| {
        matches!(operator, Operator::And | Operator::Or | Operator::Eqv | Operator::Neqv)
    };
    let known = WORDS.iter().find(|(known, operator)| {
        word.text.eq_ignore_ascii_case(known) && logical(*operator) == dotted
    });
    known.map(|(_, operator)| *operator).ok_or_else(|| {
        Diagnostic::new(word.span.clone(), format!("unknown reduction operator `{}`", word.text))
    })
}

/// Reads `(op: x, y)`, or `(firstmax: x /i/)`.
pub fn reduction(scan: &mut Scanner) -> ScanResult<Reduction> {
    let start = scan.here().start;
    scan.expect("(", "before the operator of the reduction")?;
    let operator = operator(scan)?;
    scan.expect(":", "after the operator of the reduction")?;
    let variables = scan.list(|scan| {
        let variable = reference(scan, "a variable")?;
        let mut locations = Vec::new();
        if scan.accept("/") {
            locations = scan.list(|scan| reference(scan, "a location variable"))?;
            scan.expect("/", "after the location variables")?;
        }
        Ok((variable, locations))
    })?;
    scan.expect(")", "after the variables of the reduction")?;
    Ok(Reduction { operator, variables, span: start..scan.end() })
}
