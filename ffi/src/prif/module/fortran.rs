//! Pieces of Fortran source: types and constants of PRIF, dummy arguments, lines.

use super::super::outcome::stat;
use super::super::table::Row;
use super::super::teams::level;

/// Longest line that is written.
const WIDTH: usize = 110;

/// The dummy arguments for the outcome, by what a procedure has of them.
const STATUS: [(&str, &str); 3] = [
    ("stat", "integer(c_int), intent(out), optional"),
    ("errmsg", "character(kind=c_char, len=*), intent(inout), optional"),
    ("errmsg_alloc", "character(kind=c_char, len=:), intent(inout), allocatable, optional"),
];

/// What the module begins with: types, constants, interfaces of procedures that programs pass.
pub const TYPES: &str = "\
  !> The version of PRIF.
  integer(c_int), parameter, public :: PRIF_VERSION_MAJOR = 0, PRIF_VERSION_MINOR = 8

  !> Kinds of atomic variables.
  integer, parameter, public :: PRIF_ATOMIC_INT_KIND = c_int64_t, PRIF_ATOMIC_LOGICAL_KIND = 8

  !> A coarray.
  type, public, bind(C) :: prif_coarray_handle
    private
    type(c_ptr) :: info = c_null_ptr
  end type

  !> A team. It is as large as a type with a pointer component, which PRIF demands and compilers have as TEAM_TYPE.
  type, private :: any_type
    integer :: nothing
  end type
  type, private :: pointer_type
    type(any_type), pointer :: info => null()
  end type
  type(pointer_type), private :: pointer_variable
  type, public, bind(C) :: prif_team_type
    private
    integer(c_int64_t) :: number(storage_size(pointer_variable) / 64) = 0
  end type

  !> An event, in a coarray.
  type, public, bind(C) :: prif_event_type
    private
    integer(c_int64_t) :: count = 0
  end type

  !> A variable that is notified of puts, in a coarray.
  type, public, bind(C) :: prif_notify_type
    private
    integer(c_int64_t) :: count = 0
  end type

  !> A lock, in a coarray.
  type, public, bind(C) :: prif_lock_type
    private
    integer(c_int64_t) :: owner = 0
  end type

  !> A critical construct, as a scalar coarray.
  type, public, bind(C) :: prif_critical_type
    private
    integer(c_int64_t) :: owner = 0
  end type

  abstract interface
    !> Is called by prif_stop and prif_error_stop, with the arguments that they have.
    subroutine prif_stop_callback_interface(is_error_stop, quiet, stop_code_int, stop_code_char)
      import :: c_bool, c_int
      implicit none
      logical(c_bool), intent(in) :: is_error_stop, quiet
      integer(c_int), intent(in), optional :: stop_code_int
      character(len=*), intent(in), optional :: stop_code_char
    end subroutine

    !> Is called before a coarray is deallocated.
    subroutine prif_coarray_cleanup_interface(handle) bind(C)
      import :: prif_coarray_handle
      implicit none
      type(prif_coarray_handle), intent(in), value :: handle
    end subroutine

    !> Combines `count` elements at `arg1` with those at `arg2_and_out`, where it leaves the results.
    subroutine prif_operation_wrapper_interface(arg1, arg2_and_out, count, cdata) bind(C)
      import :: c_ptr, c_size_t
      implicit none
      type(c_ptr), intent(in), value :: arg1, arg2_and_out
      integer(c_size_t), intent(in), value :: count
      type(c_ptr), intent(in), value :: cdata
    end subroutine
  end interface
";

/// The declarations of the constants, with the values that flang has in its ISO_FORTRAN_ENV.
pub fn constants() -> String {
    let constants = [
        ("CURRENT_TEAM", level::CURRENT),
        ("INITIAL_TEAM", level::INITIAL),
        ("PARENT_TEAM", level::PARENT),
        ("STAT_FAILED_IMAGE", stat::FAILED_IMAGE),
        ("STAT_LOCKED", stat::LOCKED),
        ("STAT_LOCKED_OTHER_IMAGE", stat::LOCKED_OTHER_IMAGE),
        ("STAT_STOPPED_IMAGE", stat::STOPPED_IMAGE),
        ("STAT_UNLOCKED", stat::UNLOCKED),
        ("STAT_UNLOCKED_FAILED_IMAGE", stat::UNLOCKED_FAILED_IMAGE),
        ("STAT_OUT_OF_MEMORY", stat::OUT_OF_MEMORY),
        ("STAT_ALREADY_INIT", stat::ALREADY_INIT),
    ];
    let declaration =
        |(name, value)| format!("  integer(c_int), parameter, public :: PRIF_{name} = {value}\n");
    constants.into_iter().map(declaration).collect()
}

/// The names of the dummy arguments of a procedure for the outcome, and their declarations.
pub fn status(row: &Row) -> &'static [(&'static str, &'static str)] {
    match row.status {
        "" => &[],
        "stat" => &STATUS[..1],
        "statement" => &STATUS,
        other => unreachable!("{other}"),
    }
}

/// The names of all dummy arguments of a procedure.
pub fn arguments(row: &Row) -> Vec<&'static str> {
    let own = row.dummies.iter().map(|(name, _)| *name);
    own.chain(status(row).iter().map(|(name, _)| *name)).collect()
}

/// The declarations of the dummy arguments of a procedure.
pub fn declarations(row: &Row, indent: &str) -> String {
    let own = row.dummies.iter().map(|(name, declaration)| {
        format!("{indent}{} :: {name}{}\n", declaration.before, declaration.after)
    });
    let of_outcome =
        status(row).iter().map(|(name, before)| format!("{indent}{before} :: {name}\n"));
    own.chain(of_outcome).collect()
}

/// The documentation of a procedure, for documentation generators.
pub fn documentation(row: &Row, indent: &str) -> String {
    row.doc.iter().map(|line| format!("{indent}!>{line}\n")).collect()
}

/// `head(items)tail`, on as many lines as are needed.
pub fn call(indent: &str, head: &str, items: &[&str], tail: &str) -> String {
    let mut text = String::new();
    let mut line = format!("{indent}{head}(");
    for (at, item) in items.iter().enumerate() {
        let end = if at + 1 < items.len() { ", " } else { "" };
        if line.len() + item.len() + 3 > WIDTH {
            text += &format!("{}&\n", line);
            line = format!("{indent}    ");
        }
        line += item;
        line += end;
    }
    let end = format!("){tail}");
    if line.len() + end.len() > WIDTH {
        text += &format!("{line} &\n");
        line = format!("{indent}    ");
    }
    text + &line + &end + "\n"
}

/// `public` statements for the names of all procedures.
pub fn public(rows: impl Iterator<Item = &'static Row>) -> String {
    rows.map(|row| format!("  public :: prif_{}\n", row.name)).collect()
}
