//! Messages about the user's source, drawn as rustc draws them.

use crate::boundary;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::borrow::Borrow;
use std::ops::Range;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The file is not translated.
    Error,
    /// The file is translated.
    Note,
}

/// An error or a note: its text, its place, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// One line that describes the error.
    pub title: String,
    /// The place, in bytes of the file.
    pub span: Range<usize>,
    /// The text beside the marked source; may be empty.
    pub label: String,
    /// The remedy; may be empty.
    pub help: String,
    /// Its severity.
    pub severity: Severity,
    /// The object whose own directive is missing, if that is the error.
    pub lacks: Option<String>,
}

impl Diagnostic {
    /// A message at a place.
    pub fn new(span: Range<usize>, title: impl Into<String>) -> Self {
        let (label, help) = (String::new(), String::new());
        Self { title: title.into(), span, label, help, severity: Severity::Error, lacks: None }
    }

    /// A note about text without effect.
    #[must_use]
    pub fn note(span: Range<usize>, title: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::new(span, title) }
    }

    /// With words beside the marked text.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// An error that follows if the directive of that object is wrong.
    #[must_use]
    pub fn lacks(mut self, object: impl Into<String>) -> Self {
        self.lacks = Some(object.into());
        self
    }

    /// With a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }
}

/// Refuses the text of a place.
///
/// # Errors
/// Always: a message with this title.
pub fn refuse<T>(
    place: impl Borrow<Range<usize>>,
    title: impl Into<String>,
) -> Result<T, Diagnostic> {
    Err(Diagnostic::new(place.borrow().clone(), title))
}

/// Draws messages about one file, with an empty line between them.
///
/// `colour` asks for terminal escapes.
pub fn render(path: &str, source: &str, diagnostics: &[Diagnostic], colour: bool) -> String {
    let one = |diagnostic| render_line(path, 1, source, diagnostic, colour);
    diagnostics.iter().map(one).collect::<Vec<String>>().join("\n")
}

/// Draws a message about a text that begins at a line of a file; its place is one in the text.
pub fn render_line(
    path: &str,
    line: usize,
    source: &str,
    diagnostic: &Diagnostic,
    colour: bool,
) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let span = clamped(source, &diagnostic.span);
    let mark = AnnotationKind::Primary.span(span).label(diagnostic.label.as_str());
    let snippet = Snippet::source(source).line_start(line).path(path).annotation(mark);
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Note => Level::NOTE,
    };
    let mut group = level.primary_title(diagnostic.title.as_str()).element(snippet);
    if !diagnostic.help.is_empty() {
        group = group.element(Level::HELP.message(diagnostic.help.as_str()));
    }
    renderer.render(&[group]) + "\n"
}

/// The span within the text and at least one character wide where there is one.
fn clamped(source: &str, span: &Range<usize>) -> Range<usize> {
    let start = boundary::floor(source, span.start);
    let end = boundary::ceil(source, span.end.max(start));
    let wider = source[start..].chars().next().map_or(0, char::len_utf8);
    start..end.max(start + wider)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_shown_with_a_caret() {
        let source = "int a;\n#pragma xmp noddes p(4)\n";
        let wrong = Diagnostic::new(19..25, "unknown directive").help("did you mean `nodes`?");
        let text = render("a.c", source, &[wrong], false);
        assert_eq!(
            text,
            "error: unknown directive\n --> a.c:2:13\n  |\n2 | #pragma xmp noddes p(4)\n  |             ^^^^^^\n  |\n  \
             = help: did you mean `nodes`?\n"
        );
    }

    #[test]
    fn a_place_after_the_end_is_the_end() {
        let text = render("a.c", "é", &[Diagnostic::new(7..9, "no end")], false);
        assert!(text.starts_with("error: no end\n --> a.c:1:"), "{text}");
    }
}
