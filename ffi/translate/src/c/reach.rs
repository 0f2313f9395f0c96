//! The subscripts of distributed loops, and of assignments of sections.

use super::definitions::is_number;
use super::names_in_text::has_word;
use super::objects::ArrayObject;
use super::rows::{Row, row};
use super::sections::{Chain, Pick};
use super::syntax::descendants;
use super::unit::{TranslationResult, Unit};
use crate::directive::Width;
use crate::meaning::mapping::Mapped;
use crate::meaning::reach::{Array, LoopVariable, Written, check_shadow, number};
use crate::meaning::{Language, Layout};
use std::ops::Range;

impl Unit<'_> {
    /// Refuses subscripts such as `a[i+2]` in a loop on `t(i)` where the shadow of `a` is narrower than 2, and
    /// subscripts of another dimension. Where directives do not determine the result, the program checks the
    /// subscripts; [`Unit::checked`] has the names.
    ///
    /// # Errors
    /// Names the first one.
    pub fn check_reach(
        &mut self,
        body: &Range<usize>,
        counted: LoopVariable<'_>,
    ) -> TranslationResult {
        let statement = self.root.descendant_for_byte_range(body.start, body.end);
        let moves = self.moves(body);
        for node in statement.map(descendants).unwrap_or_default() {
            let inside = body.start <= node.start_byte() && node.end_byte() <= body.end;
            let is_moved = moves.iter().any(|of| of.contains(&node.start_byte()));
            if node.kind() != "identifier" || !inside || is_moved {
                continue;
            }
            let chain = self.chain(node);
            let Some(array) = chain.variable.and_then(|number| self.objects.array_of(number))
            else {
                continue;
            };
            let written = |(pick, place): &'_ (Pick, Range<usize>)| match pick {
                Pick::At(text) => Some((text.clone(), place.clone())),
                _ => None,
            };
            let written: Vec<_> = chain.picks.iter().map(written).collect();
            let subscripts: Vec<Option<Written<'_>>> = written
                .iter()
                .map(|of| {
                    let (text, place) = of.as_ref()?;
                    Some(Written { text, code: text, place: place.clone() })
                })
                .collect();
            let template = &self.objects.templates[array.template].declared.name.text;
            let checked = Array {
                name: &array.name.text,
                dims: &array.dims,
                shadow: &array.shadow,
                template: (array.template, template),
            };
            let is_same = |axis: usize| {
                counted.template.is_some_and(|(template, _)| {
                    self.are_same((template, counted.axis), (array.template, axis))
                })
            };
            let open = counted.check_reference(checked, &subscripts, &is_same)?;
            if !open.is_empty() {
                self.checked.insert(node.start_byte());
            }
        }
        Ok(())
    }

    /// Refuses a distributed array on the right side of an `array` assignment whose shadow is too narrow. Where
    /// directives do not determine whether an image has the same elements of both sides, the program checks it.
    ///
    /// # Errors
    /// Names the section that reaches beyond the shadow.
    pub fn check_operand(
        &mut self,
        operand: &Chain,
        (array, left): (&ArrayObject, &Chain),
        rows: &[(String, Row)],
    ) -> TranslationResult {
        let of = operand.variable.and_then(|number| self.objects.array_of(number));
        let Some(of) = of.filter(|of| of.dims.len() == operand.picks.len()) else { return Ok(()) };
        let sizes = self.sizes(operand);
        let is_section =
            |(_, (pick, _)): &(usize, &(Pick, Range<usize>))| !matches!(pick, Pick::At(_));
        let mut sections = left.picks.iter().enumerate().filter(is_section).zip(rows);
        let mut is_open = false;
        for (nth, (pick, place)) in operand.picks.iter().enumerate() {
            let section = if matches!(pick, Pick::At(_)) { None } else { sections.next() };
            let (dim, shadow) = (&of.dims[nth], of.shadow.get(nth));
            let with = dim.with.as_ref().filter(|_| dim.layout != Layout::Whole);
            let Some((axis, offset)) = with.filter(|_| !matches!(shadow, Some(Width::Full(_))))
            else {
                continue;
            };
            let along = |left: usize| {
                let (left_axis, left_offset) = array.dims[left].with.as_ref()?;
                let is_one = array.template == of.template && axis == left_axis;
                (is_one || self.are_same((array.template, *left_axis), (of.template, *axis)))
                    .then_some(left_offset)
            };
            let Some(((left_dim, _), (_, left_row))) = section else {
                let same = |(left_dim, (left, _)): (usize, &(Pick, Range<usize>))| {
                    left == pick && along(left_dim) == Some(offset)
                };
                is_open |= !left.picks.iter().enumerate().any(same);
                continue;
            };
            let own = row(pick, sizes.get(nth).cloned().flatten().as_deref());
            let own = own.zip(along(left_dim));
            let reach = own
                .and_then(|(own, left_offset)| distance((&own, offset), (left_row, left_offset)));
            match reach {
                None => is_open = true,
                Some(reach) if dim.layout == Layout::Piece => {
                    let text = &self.source[place.clone()];
                    check_shadow(&of.name.text, shadow, reach, text, place.clone())?;
                }
                Some(reach) => is_open |= reach != 0,
            }
        }
        if is_open {
            self.checked.insert(operand.name.start);
        }
        Ok(())
    }

    /// Whether dimensions of two templates have their indices on the same images, as far as directives determine it.
    fn are_same(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        let templates = &self.objects.templates;
        let mapped = |(template, axis): (usize, usize)| {
            let of = &templates[template];
            let nodes = self.objects.nodes_number(of.onto.as_ref()?)?;
            Some(Mapped { declared: &of.declared, formats: &of.formats, nodes, axis })
        };
        let (Some(first), Some(second)) = (mapped(one), mapped(other)) else { return false };
        let homes = [one, other].map(|(template, _)| &templates[template].home);
        let mut places = [one, other].map(|(template, _)| templates[template].declared.span.start);
        places.sort_unstable();
        // Those outside of functions are made together; in a block, a variable may change between two of them.
        let are_of_file = homes.iter().all(|home| !home.local);
        let is_one_block =
            homes.iter().all(|home| home.local) && homes[0].scope.end == homes[1].scope.end;
        let between = &self.normal.text[places[0]..places[1]];
        let is_constant = |word: &str| {
            are_of_file || is_number(self.macros, word) || is_one_block && !has_word(between, word)
        };
        first.is_same(&second, Language::C, &is_constant)
    }
}

/// The distance of the elements of a section from those of the left side along the template, if directives determine it. Each section
/// has the offset of its alignment.
fn distance(own: (&Row, &str), left: (&Row, &str)) -> Option<i64> {
    let ((own, offset), (left, left_offset)) = (own, left);
    if own.step != left.step {
        return None;
    }
    if own.first == left.first && offset == left_offset {
        return Some(0);
    }
    Some(number(&own.first)? + number(offset)? - number(&left.first)? - number(left_offset)?)
}
