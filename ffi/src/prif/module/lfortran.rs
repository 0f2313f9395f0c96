//! `prif_lfortran.F90`: procedures that LFortran compiles, so that they have its convention, and that call the functions
//! of this library by the C one.
//!
//! Nothing is left to what a compiler makes of optional, assumed-shape and character arguments of C functions: those
//! become addresses of local variables here.

use super::super::outcome::stat;
use super::super::table::Row;
use super::fortran::{self, TYPES};
use super::passing::{Passing, passing};
use super::{SUBJECTS, procedures};

const HEAD: &str = "\
!> PRIF 0.8, the Parallel Runtime Interface for Fortran (doi 10.25344/S4Z88F), for LFortran: what it calls for coarrays,
!> and the module for programs that say `use prif`.
!>
!> LFortran passes arguments in a way of its own, which changes with its versions. `xmpfc` therefore compiles this module
!> with the user's LFortran and links it with the program; it calls libxmprt by the C convention. What the procedures do
!> says prif.F90. prif_register_stop_callback is not here, because callbacks have that convention, too.
!>
!> Generated from the library's table of procedures (ffi/src/prif); a test compares them.
module prif
  use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_f_pointer, c_funloc, c_funptr, c_int, c_int8_t, c_int64_t, &
    c_intptr_t, c_loc, c_null_funptr, c_null_ptr, c_ptr, c_ptrdiff_t, c_size_t
  implicit none
  private

";

const OWN_TYPES: &str = "
  !> A C descriptor of a list or a text.
  type, bind(C) :: descriptor
    type(c_ptr) :: base = c_null_ptr
    integer(c_size_t) :: elem_len = 0
    integer(c_int) :: version = 20180515
    integer(c_int8_t) :: rank = 1, type = 0, attribute = 0, extra = 0
    integer(c_int64_t) :: lower = 1, extent = 0, stride = 0
  end type

  !> A C descriptor of any array: its first bytes, and room for 15 dimensions.
  type, bind(C) :: array
    type(descriptor) :: header
    integer(c_int64_t) :: dimensions(3, 14)
  end type

  !> Bytes of a descriptor before its dimensions, and of a dimension.
  integer(c_size_t), parameter :: HEADER = 24, DIMENSION = 24

  !> Characters of the longest message that is passed on.
  integer, parameter :: LONGEST = 1000
";

const OTHER_FUNCTIONS: &str = "
    subroutine xmp_free(memory) bind(C, name='free')
      import
      implicit none
      type(c_ptr), intent(in), value :: memory
    end subroutine

    !> Copies the first bytes of the C descriptor of `a`.
    subroutine copy_bytes(list, a, bytes) bind(C, name='memcpy')
      import
      implicit none
      type(array), intent(inout) :: list
      type(*), intent(in) :: a(..)
      integer(c_size_t), intent(in), value :: bytes
    end subroutine
#ifdef __LFORTRAN__

    !> Gets LFortran's own descriptor, because it is not interoperable.
    subroutine xmp_prif_lfortran_dims(list, a)
      import
      implicit none
      type(array), intent(inout) :: list
      type(*), intent(in) :: a(..)
    end subroutine
#endif
";

const HELPERS: &str = "
  !> Describes `extent` elements of `elem_len` bytes at an address.
  subroutine describe(list, base, elem_len, extent)
    type(descriptor), intent(inout) :: list
    type(c_ptr), intent(in) :: base
    integer, intent(in) :: elem_len, extent

    list%base = base
    list%elem_len = int(elem_len, c_size_t)
    list%extent = int(extent, c_int64_t)
    list%stride = int(elem_len, c_int64_t)
  end subroutine

  !> The message of an error.
  function message_of(text) result(message)
    character(kind=c_char), intent(in) :: text(LONGEST)
    character(kind=c_char, len=:), allocatable :: message
    integer :: at, length

    length = LONGEST
    do while (length > 1 .and. text(length) == ' ')
      length = length - 1
    end do
    message = repeat(' ', length)
    do at = 1, length
      message(at:at) = text(at)
    end do
  end function
";

/// The values of the library and those that LFortran has in its ISO_FORTRAN_ENV.
const STATS: [(&str, i32, i32); 6] = [
    ("STAT_FAILED_IMAGE", stat::FAILED_IMAGE, -1),
    ("STAT_LOCKED", stat::LOCKED, 2),
    ("STAT_LOCKED_OTHER_IMAGE", stat::LOCKED_OTHER_IMAGE, 3),
    ("STAT_STOPPED_IMAGE", stat::STOPPED_IMAGE, 4),
    ("STAT_UNLOCKED", stat::UNLOCKED, 1),
    ("STAT_UNLOCKED_FAILED_IMAGE", stat::UNLOCKED_FAILED_IMAGE, 5),
];

/// Whether LFortran can have it: its argument is no procedure of its own convention.
fn is_here(row: &&Row) -> bool {
    row.name != "register_stop_callback"
}

/// The module.
pub fn module() -> String {
    let mut text = String::from(HEAD);
    text += &fortran::public(procedures().filter(is_here));
    text += "  public :: prif_coarray_cleanup_interface, prif_operation_wrapper_interface\n\n";
    text += &constants();
    text += "\n";
    text += TYPES;
    text += OWN_TYPES;
    text += "\n  ! Functions of libxmprt\n  interface\n";
    let functions: Vec<String> = procedures().filter(is_here).map(function).collect();
    text += &functions.join("\n");
    text += OTHER_FUNCTIONS;
    text += "  end interface\n\ncontains\n";
    text += HELPERS;
    text += &translation();
    for (subject, rows) in SUBJECTS {
        text += &format!("\n  ! {subject}\n");
        let ours = rows.iter().filter(is_here).filter(|row| row.kind != "plain");
        text.extend(ours.map(subroutine));
    }
    text + "end module\n"
}

fn constants() -> String {
    let of_lfortran = |line: &str| {
        let known = STATS.iter().find(|(name, ..)| line.contains(&format!("PRIF_{name} ")));
        match (known, line.split_once(" = ")) {
            (Some((_, _, value)), Some((before, _))) => format!("{before} = {value}\n"),
            _ => format!("{line}\n"),
        }
    };
    fortran::constants().lines().map(of_lfortran).collect()
}

/// The function that makes LFortran's values of the library's.
fn translation() -> String {
    let cases =
        STATS.iter().map(|(name, own, _)| format!("    case ({own}); stat = PRIF_{name}\n"));
    format!(
        "
  !> A value of `stat` as LFortran has it.
  integer(c_int) function translated(own) result(stat)
    integer(c_int), intent(in) :: own

    select case (own)
{}    case default; stat = own
    end select
  end function
",
        cases.collect::<String>()
    )
}

/// The interface body of a function of the library.
fn function(row: &Row) -> String {
    let symbol = match row.kind {
        "plain" => format!("prif_{}", row.name),
        "external" => format!("xmp_prif_{}_", row.name),
        _ => format!("xmp_prif_{}", row.name),
    };
    // Programs call the plain ones themselves.
    let name = if row.kind == "plain" { &symbol } else { &format!("xmp_prif_{}", row.name) };
    let head = fortran::call(
        "    ",
        &format!("subroutine {name}"),
        &fortran::arguments(row),
        &format!(" bind(C, name='{symbol}')"),
    );
    let own = row.dummies.iter().map(|(name, declaration)| {
        format!("      {} :: {name}{}\n", passing(declaration).formal, passing(declaration).shape)
    });
    let of_outcome = fortran::status(row)
        .iter()
        .map(|(name, _)| format!("      type(c_ptr), intent(in), value :: {name}\n"));
    let declarations: String = own.chain(of_outcome).collect();
    format!("{head}      import\n      implicit none\n{declarations}    end subroutine\n")
}

/// The procedure that LFortran calls.
fn subroutine(row: &Row) -> String {
    let prefix = if row.name == "image_status" { "impure elemental " } else { "" };
    let names = fortran::arguments(row);
    let head = fortran::call("  ", &format!("{prefix}subroutine prif_{}", row.name), &names, "");
    let parts: Vec<Passing> =
        row.dummies.iter().map(|(name, declaration)| passing(declaration).named(name)).collect();
    let outcome = fortran::status(row).len();
    let mut locals: String = parts.iter().map(|part| part.locals.as_str()).collect();
    let mut before: String = parts.iter().map(|part| part.before.as_str()).collect();
    let mut after: String = parts.iter().map(|part| part.after.as_str()).collect();
    let mut actual: Vec<&str> = parts.iter().map(|part| part.actual.as_str()).collect();
    if row.name == "image_status" {
        after += "    image_status = translated(image_status)\n";
    }
    if outcome > 0 {
        locals += "    integer(c_int), target :: code\n    type(c_ptr) :: code_at\n";
        before += "    code = 0\n    code_at = c_null_ptr\n    if (present(stat)) code_at = c_loc(code)\n";
        after += "    if (present(stat)) stat = translated(code)\n";
        actual.push("code_at");
    }
    if outcome > 1 {
        locals += "    character(kind=c_char), target :: text(LONGEST)\n    type(descriptor), target :: said\n";
        before += "    call describe(said, c_loc(text), LONGEST, 1)\n";
        after += "    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)\n    \
                  if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)\n";
        actual.extend(["c_loc(said)", "c_null_ptr"]);
    }
    let call = fortran::call("    ", &format!("call xmp_prif_{}", row.name), &actual, "");
    let declarations = fortran::declarations(row, "    ");
    format!("{head}{declarations}{locals}\n{before}{call}{after}  end subroutine\n\n")
}
