//! `prif.F90`: the interfaces of the procedures, which gfortran and flang compile.

use crate::interfaces::{HEAD, Interfaces, Procedure};
use crate::lines::call;

/// The module.
pub fn module(interfaces: &Interfaces) -> String {
    let mut text = HEAD.to_owned();
    for (number, (subject, procedures)) in interfaces.subjects.iter().enumerate() {
        let blank = if number > 0 { "\n" } else { "" };
        text += &format!("{blank}  ! {subject}\n");
        // An external procedure has an interface of its own, with the name for programs.
        let blocks = procedures.chunk_by(|it, next| !it.is_external() && !next.is_external());
        text += &blocks.map(block).collect::<Vec<_>>().join("\n");
    }
    text + "end module\n"
}

fn block(procedures: &[Procedure]) -> String {
    let name = match procedures {
        [one] if one.is_external() => format!(" prif_{}", one.name),
        _ => String::new(),
    };
    let bodies: Vec<String> = procedures.iter().map(body).collect();
    format!("  interface{name}\n{}  end interface\n", bodies.join("\n"))
}

/// The interface body of a procedure, after its documentation.
fn body(procedure: &Procedure) -> String {
    let Procedure { doc, name, prefix, symbol, dummies } = procedure;
    let (own, bind) = match symbol.strip_suffix('_') {
        Some(own) => (own.to_owned(), String::new()),
        None => (format!("prif_{name}"), format!(" bind(C, name='{symbol}')")),
    };
    let doc: String = doc.iter().map(|line| format!("    !>{line}\n")).collect();
    let head = call("    ", &format!("{prefix}subroutine {own}"), &procedure.arguments(), &bind);
    let dummies = dummies.iter();
    let dummies: String = dummies
        .map(|dummy| format!("      {} :: {}{}\n", dummy.before, dummy.name, dummy.after))
        .collect();
    format!("{doc}{head}      import\n      implicit none\n{dummies}    end subroutine\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interoperable_procedures_share_an_interface() {
        let doc = vec![" Does it.".into()];
        let of = |name: &str, symbol: &str| Procedure {
            doc: doc.clone(),
            name: name.into(),
            symbol: symbol.into(),
            ..Procedure::default()
        };
        let procedures = [of("a", "xmp_prif_a"), of("b", "prif_b"), of("c", "xmp_prif_c_")];
        let interfaces = Interfaces {
            constants: Vec::new(),
            types: String::new(),
            subjects: vec![("All".into(), procedures.into())],
        };
        let body = "      import\n      implicit none\n    end subroutine\n";
        let expected = format!(
            "  ! All\n  interface\n    !> Does it.\n    subroutine prif_a() bind(C, name='xmp_prif_a')\n{body}\n    \
             !> Does it.\n    subroutine prif_b() bind(C, name='prif_b')\n{body}  end interface\n\n  interface prif_c\n    \
             !> Does it.\n    subroutine xmp_prif_c()\n{body}  end interface\nend module\n"
        );
        assert_eq!(module(&interfaces).strip_prefix(HEAD), Some(&*expected));
    }
}
