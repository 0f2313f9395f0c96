//! Pragmas of OpenMP beside distributed loops.

use super::macros::words;
use super::unit::Unit;

impl Unit<'_> {
    /// Where the pragma of OpenMP begins that stands before the line of a place, if it applies to a loop.
    pub fn openmp_before(&self, place: usize) -> Option<usize> {
        let mut end = self.source[..place].rfind('\n')?;
        if !self.normal.text[end..place].trim().is_empty() {
            return None;
        }
        loop {
            let start = self.source[..end].rfind('\n').map_or(0, |line| line + 1);
            let line = self.source[start..end].trim_start();
            if line.starts_with('#') {
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
        let opened = before.find("{ const struct xmpt_range");
        let pragma = before.find(&format!("\n#line 8 \"prog.c\"\n{openmp}\n"));
        assert!(opened.is_some() && opened < pragma && before.contains(own), "{before}");
        assert!(translated(&format!("{xmp}\n{openmp}")).contains(own));
        assert!(!translated(xmp).contains(own));
        assert!(!translated(&format!("#pragma omp barrier\n{xmp}")).contains(own));
    }
}
