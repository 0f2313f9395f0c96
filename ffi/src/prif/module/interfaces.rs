//! `prif.F90`: interfaces of the functions that this library exports.

use super::super::table::Row;
use super::fortran::{self, TYPES};
use super::{SUBJECTS, procedures};

const HEAD: &str = "\
!> PRIF 0.8, the Parallel Runtime Interface for Fortran (doi 10.25344/S4Z88F), for programs that say `use prif`.
!>
!> The module has interfaces only: gfortran and flang compile it, and programs are linked with libxmprt. Image indices of
!> procedures that access an image count in the initial team, those of collective subroutines in the current one. Errors go
!> to `stat`, `errmsg` and `errmsg_alloc` where they are given; otherwise they end the program with a message.
!>
!> Generated from the library's table of procedures (ffi/src/prif); a test compares them.
module prif
  use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_int, c_int64_t, c_intptr_t, c_null_ptr, c_ptr, c_ptrdiff_t, &
    c_size_t
  implicit none
  private

";

/// The module.
pub fn module() -> String {
    let mut text = String::from(HEAD);
    text += &fortran::public(procedures());
    text += "  public :: prif_stop_callback_interface, prif_coarray_cleanup_interface, prif_operation_wrapper_interface\n\n";
    text += &fortran::constants();
    text += "\n";
    text += TYPES;
    for (subject, rows) in SUBJECTS {
        let (external, interoperable): (Vec<&Row>, Vec<&Row>) =
            rows.iter().partition(|row| row.kind == "external");
        text += &format!("\n  ! {subject}\n  interface\n");
        let bodies: Vec<String> = interoperable.iter().map(|row| body(row)).collect();
        text += &bodies.join("\n");
        text += "  end interface\n";
        for row in external {
            text += &format!("\n  interface prif_{}\n{}  end interface\n", row.name, body(row));
        }
    }
    text + "end module\n"
}

/// The interface body of a procedure.
fn body(row: &Row) -> String {
    let (prefix, name, binding) = match row.kind {
        // IMAGE_STATUS is elemental in arguments of which it has one array at least.
        "external" if row.name == "image_status" => {
            ("impure elemental subroutine", format!("xmp_prif_{}", row.name), String::new())
        }
        "external" => ("subroutine", format!("xmp_prif_{}", row.name), String::new()),
        "plain" => (
            "subroutine",
            format!("prif_{}", row.name),
            format!(" bind(C, name='prif_{}')", row.name),
        ),
        _ => (
            "subroutine",
            format!("prif_{}", row.name),
            format!(" bind(C, name='xmp_prif_{}')", row.name),
        ),
    };
    let head =
        fortran::call("    ", &format!("{prefix} {name}"), &fortran::arguments(row), &binding);
    let declarations = fortran::declarations(row, "      ");
    format!(
        "{}{head}      import\n      implicit none\n{declarations}    end subroutine\n",
        fortran::documentation(row, "    ")
    )
}
