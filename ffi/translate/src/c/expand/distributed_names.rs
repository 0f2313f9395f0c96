//! The names by which a macro may access data of other images.

use crate::c::macro_kinds::Macros;
use crate::c::tokens::{Placed, Token, invocation_len};
use std::collections::BTreeSet;

/// The names of a source by which a macro may access data of other images.
pub struct DistributedNames {
    /// Distributed arrays.
    arrays: BTreeSet<String>,
    /// Distributed arrays, coarrays, and `xmp_desc_of`.
    pub all: BTreeSet<String>,
}

impl DistributedNames {
    pub fn of(all: &[Placed], macros: &Macros<'_>) -> Self {
        let mut arrays = BTreeSet::new();
        let mut coarrays = BTreeSet::from(["xmp_desc_of".to_owned()]);
        for nth in 0..all.len() {
            let text = |at: usize| all.get(at).map_or("", |of| of.token.text.as_str());
            if all[nth].in_directive
                && (text(nth) == "align" || text(nth) == ":" && text(nth + 1) == ":")
            {
                let from = if text(nth) == "align" { nth + 1 } else { nth + 2 };
                let named = all[from..].iter().map(|of| &of.token);
                let named = named
                    .take_while(|of| of.is_word() || matches!(of.text.as_str(), "." | "->" | ","));
                arrays.extend(named.filter(|of| of.is_word()).map(|of| of.text.clone()));
            } else if !all[nth].in_directive && text(nth) == ":" && text(nth + 1) == "[" {
                coarrays.extend(before_brackets(&all[..nth]).map(str::to_owned));
            }
        }
        let replacements: Vec<String> =
            arrays.iter().filter_map(|name| macros.other_name(name)).collect();
        arrays.extend(replacements);
        coarrays.extend(arrays.iter().cloned());
        Self { arrays, all: coarrays }
    }

    /// Whether the arguments that tokens begin with have the name of a distributed array without subscripts.
    pub fn has_bare_array(&self, all: &[Token]) -> bool {
        let arguments = &all[..invocation_len(all)];
        let is_bare = |(nth, token): (usize, &Token)| {
            let is_member = nth > 0 && matches!(arguments[nth - 1].text.as_str(), "." | "->");
            let has_subscript = arguments.get(nth + 1).is_some_and(|next| next.text == "[");
            self.arrays.contains(&token.text) && !is_member && !has_subscript
        };
        arguments.iter().enumerate().any(is_bare)
    }
}

/// The word that tokens end with before subscripts.
fn before_brackets(all: &[Placed]) -> Option<&str> {
    let mut depth = 0;
    for of in all.iter().rev() {
        match of.token.text.as_str() {
            "]" => depth += 1,
            "[" => depth -= 1,
            word if depth == 0 => return of.token.is_word().then_some(word),
            _ => {}
        }
    }
    None
}
