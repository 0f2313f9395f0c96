//! Reads the declarations of procedures in the sources of the library: the macro `procedures!` of `ffi/src/prif/table.rs`
//! declares them, and `dummies!` of `dummies.rs` the types of their parameters. Their form is that of rustfmt.

use std::collections::HashMap;

/// A procedure, as the library declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// The lines of its documentation.
    pub doc: Vec<String>,
    /// What is in front of `fn`.
    pub kind: String,
    /// Its name, without `prif_`.
    pub name: String,
    /// Its parameters with their types.
    pub parameters: Vec<(String, String)>,
    /// Which arguments for the outcome it has: none, `stat` or `statement`.
    pub status: String,
}

/// The procedures that a source declares: those of each block, and of each macro that makes some.
pub fn declarations(source: &str) -> Vec<Vec<Declaration>> {
    let written = blocks(source, "\nprocedures! {").map(rows);
    let made = macros(source).filter_map(|it| Some(rows(&it.expanded(source)?)));
    written.chain(made).collect()
}

/// For each type of a parameter, its declaration in Fortran: the words before the name, and those after it.
pub fn forms(source: &str) -> HashMap<String, (String, String)> {
    let rows = blocks(source, "\ndummies! {").flat_map(str::lines);
    let form = |row: &str| {
        let (of, texts) = row.trim().split_once(": \"")?;
        let mut texts = texts.split('"');
        let (before, after) = (texts.next()?, texts.nth(1).unwrap_or_default());
        Some((of.into(), (before.into(), after.into())))
    };
    rows.filter_map(form).collect()
}

/// The contents of the blocks with this beginning.
fn blocks<'a>(source: &'a str, beginning: &'static str) -> impl Iterator<Item = &'a str> {
    source.split(beginning).skip(1).filter_map(|rest| Some(rest.split_once("\n}")?.0))
}

/// A macro that makes rows of names.
struct Macro<'a> {
    name: &'a str,
    /// Its variables, in their order.
    variables: Vec<&'a str>,
    /// The rows of one repetition.
    body: &'a str,
}

/// The macros of a source that make procedures.
fn macros(source: &str) -> impl Iterator<Item = Macro<'_>> {
    source.split("\nmacro_rules! ").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once(" {")?;
        let (pattern, rest) = rest.split_once(")+) => { procedures! {$(")?;
        let (body, _) = rest.split_once(")+} };")?;
        let variables = pattern.split('$').skip(2).filter_map(|it| Some(it.split_once(':')?.0));
        Some(Macro { name, variables: variables.collect(), body })
    })
}

impl Macro<'_> {
    /// What it makes in this source.
    fn expanded(&self, source: &str) -> Option<String> {
        let (_, rest) = source.split_once(&format!(" {}! {{", self.name))?;
        let arguments = words(rest.split_once('}')?.0);
        let repetitions = arguments.chunks_exact(self.variables.len());
        // `$fetch` is the beginning of `$fetch_indirect`.
        let mut order: Vec<usize> = (0..self.variables.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(self.variables[at].len()));
        let expanded = repetitions.map(|arguments| {
            order.iter().fold(self.body.to_owned(), |body, &at| {
                body.replace(&format!("${}", self.variables[at]), &arguments[at])
            })
        });
        Some(expanded.collect())
    }
}

/// Names and texts, without what is between them.
fn words(text: &str) -> Vec<String> {
    let parts = text.split('"').enumerate().flat_map(|(at, part)| {
        if at % 2 == 1 {
            vec![format!("\"{part}\"")]
        } else {
            let names = part.split(|c: char| !c.is_alphanumeric() && c != '_');
            names.filter(|name| !name.is_empty()).map(String::from).collect()
        }
    });
    parts.collect()
}

/// The procedures of a block.
fn rows(block: &str) -> Vec<Declaration> {
    let mut rows = Vec::new();
    let mut row = Declaration::default();
    let mut head = String::new();
    // Lines of a body are indented further than its head.
    let mut indent = None;
    for line in block.lines() {
        let text = line.trim_start();
        let depth = line.len() - text.len();
        let is_head = !head.is_empty() || indent.is_none_or(|indent| depth == indent);
        if let Some(doc) = text.strip_prefix("///") {
            row.doc.push(doc.into());
        } else if let Some(doc) = text.strip_prefix("#[doc = \"") {
            row.doc.push(doc.trim_end_matches("\"]").into());
        } else if is_head && !text.is_empty() && text != "}" {
            indent.get_or_insert(depth);
            head += text;
            if let Some(whole) = head.strip_suffix(" {") {
                read_head(whole, &mut row);
                rows.push(std::mem::take(&mut row));
                head.clear();
            } else if head.ends_with(',') {
                head.push(' ');
            }
        }
    }
    rows
}

/// `KIND(USUAL) fn NAME(PARAMETER: TYPE, ..) [OUTCOME: STATUS]`.
fn read_head(head: &str, row: &mut Declaration) {
    let (kind, rest) = head.split_once(" fn ").expect("a function");
    let (name, rest) = rest.split_once('(').expect("parameters");
    let (parameters, outcome) = rest.rsplit_once(')').expect("the end of the parameters");
    row.kind = kind.split('(').next().unwrap_or_default().into();
    row.name = name.into();
    let parameters = parameters.split(", ").filter_map(|parameter| parameter.split_once(": "));
    row.parameters =
        parameters.map(|(name, of)| (name.into(), of.trim_end_matches(',').into())).collect();
    let status = outcome.split_once(": ").map_or("", |(_, status)| status.trim_end_matches(']'));
    row.status = status.into();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(
        doc: &str,
        kind: &str,
        name: &str,
        parameters: &[(&str, &str)],
        status: &str,
    ) -> Declaration {
        let parameters = parameters.iter().map(|&(name, of)| (name.into(), of.into())).collect();
        Declaration {
            doc: vec![doc.into()],
            kind: kind.into(),
            name: name.into(),
            parameters,
            status: status.into(),
        }
    }

    #[test]
    fn heads_on_several_lines_are_read() {
        let source = "\nprocedures! {\n    /// Locks.\n    fast(usual) fn lock(\n        image: &c_int,\n        \
            got: Option<&Cell<bool>>,\n    ) [_: statement] {\n        if true {\n            found()?;\n        }\n    }\n\n    \
            /// Ends.\n    module fn end() {\n    }\n}\n";
        let parameters = [("image", "&c_int"), ("got", "Option<&Cell<bool>>")];
        let lock = row(" Locks.", "fast", "lock", &parameters, "statement");
        assert_eq!(declarations(source), [[lock, row(" Ends.", "module", "end", &[], "")]]);
    }

    #[test]
    fn macros_make_rows_of_their_arguments() {
        let source = "\nmacro_rules! pairs {\n    ($($doc:literal $type:ident: $get:ident $get_at:ident)+) => { procedures! {$(\n        \
            #[doc = $doc]\n        fast fn $get(value: &$type) [_: stat] {\n        }\n\n        #[doc = $doc]\n        \
            entered fn $get_at(at: &isize) [_: stat] {\n        }\n    )+} };\n}\n\n    pairs! {\n        \" Gets it.\" Int: get get_at\n    }\n";
        let get = row(" Gets it.", "fast", "get", &[("value", "&Int")], "stat");
        let get_at = row(" Gets it.", "entered", "get_at", &[("at", "&isize")], "stat");
        assert_eq!(declarations(source), [[get, get_at]]);
    }

    #[test]
    fn types_have_forms() {
        let source =
            "\ndummies! {\n    &i64: \"integer\";\n    &List: \"real, intent(in)\", \"(:)\";\n}\n";
        let forms = forms(source);
        assert_eq!(forms["&i64"], ("integer".into(), String::new()));
        assert_eq!(forms["&List"], ("real, intent(in)".into(), "(:)".into()));
    }
}
