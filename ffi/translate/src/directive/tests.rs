use super::*;
use crate::diagnostics::render;

fn one(source: &str) -> Directive {
    let mut found = pragmas(source);
    assert_eq!(found.len(), 1, "{source}");
    found.remove(0).unwrap_or_else(|wrong| panic!("{source}: {wrong:?}"))
}

fn wrong(source: &str) -> String {
    let found: Vec<_> = pragmas(source).into_iter().filter_map(Result::err).collect();
    render("a.c", source, &found, false)
}

fn texts(subscripts: &[Subscript]) -> Vec<String> {
    let text = |text: &Option<Text>| text.as_ref().map_or(String::new(), |text| text.text.clone());
    let one = |subscript: &Subscript| match subscript {
        Subscript::Star(_) => "*".into(),
        Subscript::All(_) => ":".into(),
        Subscript::At(at) => at.text.clone(),
        Subscript::Range { first, second, step, .. } => {
            format!("{}:{}:{}", text(first), text(second), text(step))
        }
    };
    subscripts.iter().map(one).collect()
}

#[test]
fn nodes_in_all_forms() {
    let Kind::Nodes(nodes) =
        one("#pragma xmp nodes p(4, *), q[2][NX/2]=p(1:4,*), r(*)=*, s(3)=**").kind
    else {
        panic!()
    };
    assert_eq!(texts(&nodes[0].shape.subscripts), ["4", "*"]);
    assert_eq!(nodes[1].shape.brackets, Some(Brackets::Square));
    assert_eq!(texts(&nodes[1].shape.subscripts), ["2", "NX/2"]);
    let NodesOf::Part(part) = &nodes[1].of else { panic!() };
    assert_eq!(texts(&part.subscripts), ["1:4:", "*"]);
    assert_eq!((&nodes[2].of, &nodes[3].of), (&NodesOf::Executing, &NodesOf::All));
}

#[test]
fn places_are_those_of_the_file() {
    let source =
        "int x;\n  # pragma  xmp loop (i) \\\n   on t(i+1) /* all */ reduction(+: sum) // end\nfor";
    let directive = one(source);
    assert_eq!(&source[directive.keyword.span.clone()], "loop");
    let Kind::Loop(of) = directive.kind else { panic!() };
    assert_eq!(&source[of.on.span.clone()], "t(i+1)");
    assert_eq!(of.reductions[0].operator, Operator::Sum);
    assert_eq!(
        &source[directive.span],
        "# pragma  xmp loop (i) \\\n   on t(i+1) /* all */ reduction(+: sum)"
    );
}

#[test]
fn clauses_come_in_any_order() {
    let Kind::Bcast { variables, from, on, id } =
        one("#pragma xmp bcast (x, y[3]) on q async(7) from p(2)").kind
    else {
        panic!()
    };
    assert_eq!(
        (variables.len(), from.is_some(), on.is_some(), id.unwrap().text),
        (2, true, true, "7".into())
    );
    let Kind::Loop(of) =
        one("#pragma xmp loop reduction(firstmax: x/i, j/) expand(/unbound/1:2, 0) on t(*,i)").kind
    else {
        panic!()
    };
    assert_eq!(of.reductions[0].variables[0].1.len(), 2);
    let (Extent::Expand, widths, None, _) = of.extent.unwrap() else { panic!() };
    assert!(
        matches!(&widths[0], Width::Widths { lower, upper, flag: true } if lower.text == "1" && upper.text == "2")
    );
    let Kind::Reflect(of) =
        one("#pragma xmp reflect (a, b) async(i*2) width(/periodic/1:1, 0)").kind
    else {
        panic!()
    };
    assert_eq!((of.arrays.len(), of.widths.len(), of.id.unwrap().text), (2, 2, "i*2".into()));
}

#[test]
fn clauses_of_omni_that_have_no_effect() {
    let source = "#pragma xmp loop on t(i) profile\n#pragma xmp task on p(1:2) profile nocomm\n\
                  #pragma xmp gmove profile async(1)\n#pragma xmp barrier profile async(1)\n";
    let found = pragmas(source);
    assert!(found.iter().all(Result::is_ok), "{found:?}");
    let titles: Vec<(String, usize)> =
        notes(found).into_iter().map(|note| (note.title, note.span.start)).collect();
    let profile = "Omni's clause `profile` has no effect".to_owned();
    let barrier = "Omni's clause `async` has no effect on `barrier`".to_owned();
    assert_eq!(
        titles,
        [(profile, source.find("profile").unwrap()), (barrier, source.rfind("async").unwrap())]
    );
    assert!(pragmas("#pragma xmp barrier nocomm\n")[0].is_err());
}

#[test]
fn declarations_of_mappings() {
    let Kind::Distribute { formats, .. } =
        one("#pragma xmp distribute t[block][cyclic(B)][gblock(m)][*] onto p").kind
    else {
        panic!()
    };
    assert!(matches!(&formats[1], Format::Cyclic(Some(width), _) if width.text == "B"));
    assert!(matches!(&formats[2], Format::Gblock(Some(map), _) if map.text == "m"));
    let Kind::Align(align) = one("#pragma xmp align a[*][i] with t(*, i-1)").kind else { panic!() };
    assert_eq!(
        (texts(&align.subscripts), texts(&align.with.subscripts)),
        (vec!["*".into(), "i".into()], vec!["*".into(), "i-1".into()])
    );
    let Kind::TemplateFix { formats, template } =
        one("#pragma xmp template_fix (gblock(m)) t(0:n-1)").kind
    else {
        panic!()
    };
    assert_eq!((formats.len(), texts(&template.subscripts)), (1, vec!["0:n-1:".into()]));
}

#[test]
fn what_is_no_directive_is_left_alone() {
    assert!(
        pragmas("/* x\n#pragma xmp nodes\n*/\nchar *s = \"/*\";\n#pragma xmpx\n#pragma omp for\n")
            .is_empty()
    );
    assert_eq!(pragmas("char *s = \"/*\"; // /*\n#pragma xmp barrier\n").len(), 1);
}

#[test]
fn fortran_forms() {
    let free = "  !$XMP LOOP on &\n  !$xmp & t(I)\n!$xmpx\n!$xmp  end task ! end\n";
    let found = sentinels(free, Form::Free, 72);
    assert_eq!(found.len(), 2);
    let Kind::Loop(of) = &found[0].as_ref().unwrap().kind else { panic!() };
    assert_eq!((of.on.name.text.as_str(), texts(&of.on.subscripts)), ("t", vec!["I".into()]));
    assert_eq!(found[1].as_ref().unwrap().kind, Kind::EndTask);
    let fixed = "c$xmp nodes\n!$xmp& p(4)\n*$xmp reduction(.and.: l)\n";
    let found = sentinels(fixed, Form::Fixed, 72);
    assert!(
        matches!(&found[0].as_ref().unwrap().kind, Kind::Nodes(nodes) if nodes.len() == 1),
        "{found:?}"
    );
    let Kind::Reduction { reduction, .. } = &found[1].as_ref().unwrap().kind else { panic!() };
    assert_eq!(reduction.operator, Operator::And);
}

#[test]
fn numbers_of_cards_after_the_columns_that_count() {
    let card = |text: &str, number: &str| format!("{text:72}{number}\n");
    let source = card("!$xmp nodes p(4)", "00000010")
        + &card("!$xmp* , q(2)", "  AB20")
        + &card(&format!("!$xmp{:63}r(2)", " nodes"), "00000030")
        + &card(&format!("!$xmp{:61}s(4),", " nodes"), "t(4)")
        + &card(&format!("!$xmp{:66}u", " nodes"), "1")
        + "!$xmp+(2)\n";
    let found = sentinels(&source, Form::Fixed, 72);
    let names: Vec<String> = found
        .iter()
        .flat_map(|found| match &found.as_ref().unwrap().kind {
            Kind::Nodes(nodes) => nodes.iter().map(|of| of.shape.name.text.clone()),
            _ => panic!("{found:?}"),
        })
        .collect();
    assert_eq!(names, ["p", "q", "r", "s", "t", "u1"]);
    assert!(sentinels(&source, Form::Fixed, usize::MAX)[0].is_err());
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let said = wrong("#pragma xmp relfect (u)\n#pragma xmp loop on t(i) reduce(+:x)\n");
    assert_eq!(
        said,
        "error: unknown directive `relfect`\n --> a.c:1:13\n  |\n1 | #pragma xmp relfect (u)\n  |             ^^^^^^^\n  |\n  \
         = help: did you mean `reflect`?\n\n\
         error: the clause `reduce` is not allowed here\n --> a.c:2:26\n  |\n2 | #pragma xmp loop on t(i) reduce(+:x)\n  \
         |                          ^^^^^^\n"
    );
    assert!(wrong("#pragma xmp distribute t(blokc) onto p").contains("unknown format `blokc`"));
}

#[test]
fn a_directive_that_ends_too_early() {
    assert_eq!(
        wrong("#pragma xmp task\n"),
        "error: expected `on` and nodes or a template\n --> a.c:1:17\n  |\n1 | #pragma xmp task\n  |                 ^ the directive ends here\n"
    );
    assert!(
        wrong("#pragma xmp barrier on p, q")
            .contains("expected the end of the `barrier` directive")
    );
}
