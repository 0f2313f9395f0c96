//! Pragmas of OpenMP beside distributed loops.

use super::names_in_text::words;
use super::unit::Unit;
use crate::meaning::openmp::{collapsed, default_none};
use std::ops::Range;

impl Unit<'_> {
    /// The start of the pragma of OpenMP before the line of a place, if it applies to a loop.
    pub fn openmp_before(&self, place: usize) -> Option<usize> {
        let mut end = self.source[..place].rfind('\n')?;
        if !self.normal.text[end..place].trim().is_empty() {
            return None;
        }
        loop {
            let start = self.source[..end].rfind('\n').map_or(0, |line| line + 1);
            let line = self.source[start..end].trim_start();
            if line.starts_with('#') && !line.starts_with("#line ") {
                let pragma = end - line.len();
                let words = words(self.source, pragma..place);
                let mut words = words.iter().map(|(word, _)| word.as_str());
                let is_openmp = words.next() == Some("pragma") && words.next() == Some("omp");
                let of_loop = |word: &str| ["for", "simd", "taskloop", "loop"].contains(&word);
                return (is_openmp && words.any(of_loop)).then_some(pragma);
            }
            // Comments, and the other lines of a pragma.
            if start == 0 || !self.normal.text[start..end].trim().is_empty() {
                return None;
            }
            end = start - 1;
        }
    }

    /// The pragma by which threads share a loop, before it or before a loop around it with `collapse`, and the number
    /// of loops from this one on. `first` is the start of the loop after the directive, and `pragma` is before that
    /// loop.
    pub fn threaded(
        &self,
        of: &Range<usize>,
        first: usize,
        pragma: Option<usize>,
    ) -> Option<(&str, usize)> {
        let mut node = self.root.descendant_for_byte_range(of.start, of.end);
        let mut outer = 0;
        while let Some(around) = node {
            match around.kind() {
                "for_statement" => {
                    let start = around.start_byte();
                    let own = self.openmp_before(start);
                    if let Some(own) = own.or(pragma.filter(|_| start == first)) {
                        let pragma = self.pragma(own);
                        let loops = collapsed(pragma).saturating_sub(outer);
                        return (loops > 0).then_some((pragma, loops));
                    }
                    outer += 1;
                }
                "compound_statement" => {}
                _ => return None,
            }
            node = around.parent();
        }
        None
    }

    /// A pragma with its continued lines.
    fn pragma(&self, start: usize) -> &str {
        let lines = self.source[start..].split_inclusive('\n');
        let mut is_continued = true;
        let own = lines.take_while(|line| {
            std::mem::replace(&mut is_continued, line.trim_end().ends_with('\\'))
        });
        &self.source[start..start + own.map(str::len).sum::<usize>()]
    }

    /// Has `default(none)` of OpenMP be `default(shared)`: the compiler would ask for clauses for the variables of the translator.
    pub fn share_by_default(&mut self) {
        let starts = self.source.match_indices('#').map(|(at, _)| at);
        let pragmas: Vec<Range<usize>> = starts
            .filter(|at| {
                let words = words(self.source, *at..*at + self.pragma(*at).len());
                let mut words = words.iter().map(|(word, _)| word.as_str());
                words.next() == Some("pragma") && words.next() == Some("omp")
            })
            .filter_map(|at| {
                let none = default_none(self.pragma(at))?;
                Some(at + none.start..at + none.end)
            })
            .filter(|none| !self.edits.is_replaced(none.start))
            .collect();
        for none in pragmas {
            self.edits.replace(none, "shared");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::c::{Options, translate};
    use std::path::Path;

    #[test]
    fn pragmas_stay_with_their_loops() {
        let objects = "#pragma xmp nodes p[*]\n#pragma xmp template t[9]\n\
                       #pragma xmp distribute t[cyclic(2)] onto p\nint a[9], i;\n\
                       #pragma xmp align a[i] with t[i]\n";
        let translated = |pragmas: &str| {
            let program = format!(
                "{objects}void f(void)\n{{\n{pragmas}\n    for (i = 0; i < 9; i++) a[i] = 1;\n}}\n"
            );
            translate(Path::new("prog.c"), &program, Options::default()).expect("it is right")
        };
        let (openmp, xmp) = ("#pragma omp parallel for", "#pragma xmp loop on t[i]");
        let own = "for (__typeof__(i) i = ";
        let before = translated(&format!("{openmp}\n/* .. */\n{xmp}"));
        let opened = before.find("{ const xmprt_range");
        let pragma = before.find(&format!("\n#line 8 \"prog.c\"\n{openmp}\n"));
        assert!(opened.is_some() && opened < pragma && before.contains(own), "{before}");
        assert!(translated(&format!("{xmp}\n{openmp}")).contains(own));
        assert!(!translated(xmp).contains(own));
        assert!(!translated(&format!("#pragma omp barrier\n{xmp}")).contains(own));
        // The threads share both loops, so each has an `i` of its own.
        let joined = |clause: &str| {
            let outer = "for (int j = 0; j < 9; j++)";
            translated(&format!("#pragma xmp loop (i) on t[i]\n{openmp} {clause}\n    {outer}"))
        };
        assert!(joined("collapse(2)").contains(own));
        assert!(!joined("").contains(own));
        assert!(joined("default(none)").contains("parallel for default(shared)\n"));
    }
}
