//! Names of distributed arrays in the bodies of macros: what functions see there is the view of an array, or its part.

use super::decay::{Around, around, check_rows, no_part, no_size, part_of};
use super::macros::{Argument, Macro, is_spelled, is_subscripted, words};
use super::objects::ArrayObject;
use super::syntax::{descendants, function_of, in_parentheses, is_subscripted as has_subscripts};
use super::unit::{Done, Unit};
use crate::diagnostics::Diagnostic;
use std::ops::Range;

impl Unit<'_> {
    /// A name of an array in the body of a macro.
    ///
    /// # Errors
    /// For uses that are neither elements nor the part.
    pub fn name_in_macro(
        &mut self,
        of: &Macro,
        at: usize,
        array: &ArrayObject,
        macros: &[Macro],
    ) -> Done {
        let (text, name) = (&self.normal.text, &array.name.text);
        let place = at..at + name.len();
        let (before, behind) = (&text[of.body.start..at], &text[place.end..of.body.end]);
        if is_spelled(text, at) || is_other_name(before) {
            return Ok(());
        }
        if is_subscripted(before, behind) {
            let closed = behind.len() - behind.trim_start_matches([' ', '\t', ')']).len();
            let given = self.rewrite_subscripts(array, place.end + closed, self.options.check_bounds);
            return check_rows(array, given, place);
        }
        let called = call_around(before);
        let argument = called.and_then(|(called, nth)| {
            let called = macros.iter().find(|of| of.name == called)?;
            self.use_of(called, nth, macros)
        });
        let is_cyclic = array.dims.iter().any(|dim| dim.layout.is_cyclic());
        match argument {
            Some(Argument::Subscripted) if !is_cyclic => return Ok(()),
            Some(Argument::Whole) | None => {}
            Some(_) => {
                let wrong = format!("the macro `{}` passes `{name}` to another macro", of.name);
                return Err(Diagnostic::new(place, wrong)
                    .help("write the reference out, without the other macro"));
            }
        }
        if called.is_some_and(|(called, _)| called == "xmp_desc_of") {
            let wrong = format!("`xmp_desc_of({name})` cannot stand in a macro");
            return Err(Diagnostic::new(place, wrong).help("write it where the macro is used"));
        }
        match around(before, behind) {
            Around::Name => return self.other_name(of, place, array),
            Around::Value => self.edits.replace(place, part_of(array)),
            Around::Size => return Err(no_size(name, place)),
            Around::Pointer => return Err(no_part(name, place)),
        }
        Ok(())
    }

    /// A macro that stands for an array: where it has subscripts, it is the view of the array, else the part.
    fn other_name(&mut self, of: &Macro, place: Range<usize>, array: &ArrayObject) -> Done {
        let name = &array.name.text;
        let mut subscripted = 0;
        let mut bare = 0;
        for node in descendants(self.root).into_iter().filter(|node| node.kind() == "identifier") {
            if self.source[node.byte_range()] != of.name || function_of(node).is_none() {
                continue;
            }
            let call =
                node.parent().filter(|call| call.child_by_field_name("function") == Some(node));
            let written = call.unwrap_or(node);
            if has_subscripts(in_parentheses(written)) {
                subscripted += 1;
            } else {
                bare += 1;
                self.check_decay(name, written)?;
            }
        }
        for span in &self.normal.macros {
            for (_, at) in
                words(&self.normal.text, span.clone()).iter().filter(|(word, _)| *word == of.name)
            {
                let (before, behind) = (
                    &self.normal.text[span.start..*at],
                    &self.normal.text[at + of.name.len()..span.end],
                );
                if *at > span.start && !before.trim().is_empty() {
                    if is_subscripted(before, behind) { subscripted += 1 } else { bare += 1 }
                }
            }
        }
        let is_cyclic = array.dims.iter().any(|dim| dim.layout.is_cyclic());
        let title = match (subscripted > 0, bare > 0) {
            (true, true) => format!("the macro `{}` uses `{name}` in more than one way", of.name),
            (true, false) if is_cyclic => {
                format!("the macro `{}` stands for `{name}`, which is cyclic", of.name)
            }
            (true, false) => return Ok(()),
            (false, _) => {
                self.edits.replace(place, part_of(array));
                return Ok(());
            }
        };
        Err(Diagnostic::new(place, title).help("write the reference out, without the macro"))
    }
}

/// The function or macro in the list of whose arguments a text ends, and the number of the argument.
fn call_around(text: &str) -> Option<(&str, usize)> {
    let (mut depth, mut nth) = (0_usize, 0);
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            ',' if depth == 0 => nth += 1,
            '(' => {
                let before = text[..at].trim_end();
                let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                let name = &before[start.map_or(0, |at| at + 1)..];
                if !name.is_empty() {
                    return Some((name, nth));
                }
                nth = 0;
            }
            '[' | '{' => return None,
            _ => {}
        }
    }
    None
}

/// Whether a name behind this text is one of a member, or is declared.
fn is_other_name(before: &str) -> bool {
    let before = before.trim_end();
    let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
    let is_operator = word.is_none_or(|word| ["", "return", "sizeof", "case"].contains(&word));
    before.ends_with('.') || before.ends_with("->") || !is_operator
}
