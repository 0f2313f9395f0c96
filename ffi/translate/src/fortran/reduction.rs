//! `reduction`, as a directive and as a clause of `loop`.

use super::on::{NOTHING, dimension, made, whole};
use super::unit::{Done, Unit, integer};
use super::writer::Code;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Loop, Operator, Reduction, Reference, Subscript, Text, index_and_offset};

/// Statements before and behind a loop.
type Around = (Vec<Code>, Vec<Code>);

impl Unit<'_> {
    /// For each variable of a reduction: what prepares it before a loop, and what combines it.
    fn reduction(&self, of: &Reduction, on: &str) -> Result<Around, Diagnostic> {
        let (mut before, mut behind): Around = Default::default();
        for (variable, locations) in &of.variables {
            let name = self.text(variable);
            let operator = match of.operator {
                Operator::Max if !locations.is_empty() => Operator::FirstMax,
                Operator::Min if !locations.is_empty() => Operator::FirstMin,
                operator => operator,
            };
            let number = operator.number();
            if !operator.has_location() && !locations.is_empty() {
                return refuse(&of.span, "this operator has no location variables");
            }
            if operator.has_location() && locations.is_empty() {
                return Err(Diagnostic::new(
                    of.span.clone(),
                    "this operator needs location variables",
                )
                .help("write them between slashes: `firstmax: x /i, j/`"));
            }
            if !operator.has_location() {
                before.push(format!("call xmptf_identity({name}, {number})").into());
            }
            for (nth, location) in locations.iter().enumerate() {
                behind.push(
                    format!("call xmptf_location({}, {})", nth + 1, self.text(location)).into(),
                );
            }
            behind.push(
                format!("call xmptf_reduction({name}, {number}, {on}, {})", locations.len()).into(),
            );
        }
        Ok((before, behind))
    }

    /// A variable of a clause, as the user wrote it.
    pub fn text(&self, reference: &Reference) -> String {
        let mut text = reference.name.text.clone();
        if reference.subscripts.is_empty() {
            return text;
        }
        let part =
            |text: &Option<Text>| text.as_ref().map_or(String::new(), |text| text.text.clone());
        let one = |subscript: &Subscript| match subscript {
            Subscript::Star(_) => "*".to_owned(),
            Subscript::All(_) => ":".to_owned(),
            Subscript::At(text) => text.text.clone(),
            Subscript::Range { first, second, step: None, .. } => {
                format!("{}:{}", part(first), part(second))
            }
            Subscript::Range { first, second, step, .. } => {
                format!("{}:{}:{}", part(first), part(second), part(step))
            }
        };
        text +=
            &format!("({})", reference.subscripts.iter().map(one).collect::<Vec<_>>().join(", "));
        text
    }

    /// Translates a `reduction` directive.
    ///
    /// # Errors
    /// For references that do not fit.
    pub fn reduce(
        &mut self,
        item: usize,
        of: &Reduction,
        on: Option<&Reference>,
        id: Option<&Text>,
    ) -> Done {
        let on = self.on_or_nothing(on, self.scope_of(item))?;
        let (_, code) = self.reduction(of, &on)?;
        self.instead(item, with_id(id, code));
        Ok(())
    }

    /// Statements before and behind a loop for its `reduction` clauses.
    ///
    /// # Errors
    /// As [`Unit::target`].
    pub fn reductions_of_loop(&self, of: &Loop, scope: usize) -> Result<Around, Diagnostic> {
        let (mut before, mut behind): Around = Default::default();
        if of.reductions.is_empty() {
            return Ok((before, behind));
        }
        for reduction in &of.reductions {
            let (prepare, combine) = self.reduction(reduction, NOTHING)?;
            before.extend(prepare);
            behind.extend(combine);
        }
        let counts = |text: &Text| {
            let lower = text.text.to_ascii_lowercase();
            index_and_offset(&lower).is_some_and(|(name, _)| {
                of.indices.is_empty() || of.indices.iter().any(|index| index.text == name)
            })
        };
        let dims: Vec<_> = of
            .on
            .subscripts
            .iter()
            .map(|subscript| match subscript {
                Subscript::At(text) if counts(text) => whole(6),
                other => dimension(other),
            })
            .collect();
        if dims.iter().any(|[kind, ..]| kind != "6") {
            self.target(&of.on, scope)?;
            let on = made(&of.on.name.text, dims);
            before = among(&on, before);
            behind = among(&on, behind);
        }
        Ok((before, behind))
    }
}

/// Statements that only the nodes of a reference execute, among themselves.
fn among(on: &str, code: Vec<Code>) -> Vec<Code> {
    if code.is_empty() {
        return code;
    }
    let enter = Code::from(format!("if (xmptf_task({on}) /= 0) then"));
    let leave = ["call xmptf_end_task()", "end if"].map(Code::from);
    std::iter::once(enter).chain(code).chain(leave).collect()
}

/// Statements whose operations have an id, if there is one.
pub fn with_id(id: Option<&Text>, code: Vec<Code>) -> Vec<Code> {
    let Some(id) = id else { return code };
    let begin = Code::from(format!("call xmptf_async({})", integer(&id.text)));
    std::iter::once(begin)
        .chain(code)
        .chain(std::iter::once("call xmptf_end_async()".into()))
        .collect()
}
