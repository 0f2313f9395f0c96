//! Warnings of `xmpfc`: what compilers compile to something else without a message.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use xmp_tests::exceptions::left_out_with;
use xmp_tests::program::fortran_source;
use xmp_tests::toolchain::toolchain;

#[test]
fn xmpfc_warns_of_initial_values_that_make_the_addresses_of_coarrays_zero() {
    let directory = tempfile::tempdir().expect("a directory");
    for option in ["-finit-local-zero", "-finit-integer=7"] {
        let output = Command::new(toolchain().xmpfc())
            .args([
                OsStr::new(option),
                OsStr::new("-c"),
                fortran_source("support/checks").as_os_str(),
            ])
            .current_dir(directory.path())
            .output()
            .expect("xmpfc runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let warning = format!("xmpfc: warning: {option}: gfortran sets the addresses of coarrays");
        assert!(output.status.success() && stderr.starts_with(&warning), "{stderr}");
    }
}

/// The compiler reads a description of the array that it has not made, so the library is not called.
#[test]
fn xmpfc_names_broadcasts_of_arrays_that_the_compiler_loses() {
    if left_out_with(15.., "broadcasts of arrays with allocatable components", "not looked at") {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let source = "type t\n integer :: k\n integer, allocatable :: v(:)\nend type\ntype outer\n type(t) :: inner(2)\nend type\n\
                  type(t) :: one, some(2)\ntype(t), allocatable :: many(:)\ntype(outer) :: nested(2)\ninteger :: plain(2)\n\
                  allocate (many(2))\ncall co_broadcast(plain, 1)\ncall co_broadcast(one, 1)\n\
                  call co_broadcast(some, 1) ! 15\ncall co_broadcast(many, 1)\ncall co_broadcast(some(1:1), 1)\n\
                  call co_broadcast(nested, 1)\nend\n";
    for name in ["first.f90", "second.f90"] {
        fs::write(directory.path().join(name), source).expect("a source");
    }
    let warnings = |arguments: &[&str]| {
        let mut command = Command::new(toolchain().xmpfc());
        let output = command.args(arguments).current_dir(directory.path()).output();
        let output = output.expect("xmpfc runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{stderr}");
        let places = stderr.lines().map(|line| {
            let place = line.strip_prefix("xmpfc: warning: ").unwrap_or_else(|| panic!("{stderr}"));
            let (place, _) = place.split_once(": gfortran does not execute").expect("the warning");
            place.to_owned()
        });
        places.collect::<Vec<_>>()
    };
    let lines = |name: &str| [15, 17, 18].map(|line| format!("{name}.f90:{line}"));
    assert_eq!(warnings(&["first.f90", "-o", "program"]), lines("first"));
    // The file of dependencies is that of the command.
    assert_eq!(warnings(&["-cpp", "-MMD", "-MF", "deps", "-c", "first.f90"]), lines("first"));
    let dependencies = fs::read_to_string(directory.path().join("deps")).expect("dependencies");
    assert!(dependencies.starts_with("first.o:"), "{dependencies}");
    let both = warnings(&["-O2", "-c", "first.f90", "second.f90"]);
    assert_eq!(both, [lines("first"), lines("second")].concat());
}

/// Each line that gfortran 12 to 14 compile to something else ends with the word that the warning has, and no other line has one.
#[test]
fn xmpfc_names_statements_that_the_compiler_compiles_to_something_else() {
    if left_out_with(
        15..,
        "statements that older versions compile to something else",
        "right there",
    ) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let source = fortran_source("linking/other_meanings");
    let compiled = |options: &[&str]| {
        let mut command = Command::new(toolchain().xmpfc());
        let output =
            command.args(options).arg("-c").arg(&source).current_dir(directory.path()).output();
        let output = output.expect("xmpfc runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let text = fs::read_to_string(&source).expect("the source");
    let version = toolchain().gfortran_version().expect("a version of gfortran");
    let expected = text.lines().enumerate().filter_map(|(number, line)| {
        let only = format!("! wrong in {version}: ");
        let (_, word) = line.split_once("! wrong: ").or_else(|| line.split_once(&only))?;
        Some((number + 1, word.to_owned()))
    });
    let expected: Vec<(usize, String)> = expected.collect();
    let stderr = compiled(&[]);
    let warnings: Vec<&str> = stderr.lines().collect();
    assert_eq!(warnings.len(), expected.len(), "{stderr}");
    for (warning, (line, word)) in warnings.iter().zip(expected) {
        let place = format!("other_meanings.f90:{line}: gfortran ");
        assert!(warning.contains(&place) && warning.contains(&word), "{word}: {warning}");
    }
    assert_eq!(compiled(&["-w"]), "");
}

/// The compiler is the one at hand, which says that it is another version.
#[test]
fn xmpfc_names_statements_that_newer_versions_compile_to_something_else() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = fortran_source("linking/newer_meanings");
    let text = fs::read_to_string(&source).expect("the source");
    let compiler = toolchain().fortran();
    for version in ["14", "15", "16"] {
        let script = format!(
            "#!/bin/sh\ncase $* in -dumpversion) echo {version} ;; *) exec {compiler} \"$@\" ;; esac\n"
        );
        let stand_in = directory.path().join("gfortran");
        fs::write(&stand_in, script).expect("a file");
        fs::set_permissions(&stand_in, Permissions::from_mode(0o755)).expect("a file");
        let mut command = Command::new(toolchain().xmpfc());
        command.args(["-c", "-o", "object.o"]).arg(&source).env("XMP_FC", &stand_in);
        let output = command.current_dir(directory.path()).output().expect("xmpfc runs");
        assert!(output.status.success(), "{output:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let expected = text.lines().enumerate().filter_map(|(number, line)| {
            let (versions, words) = line.split_once("! wrong ")?.1.split_once(": ")?;
            let place = format!("newer_meanings.f90:{}: gfortran {words}", number + 1);
            versions.contains(version).then_some(place)
        });
        let expected: Vec<String> = expected.collect();
        let warnings: Vec<&str> = stderr.lines().collect();
        assert_eq!(warnings.len(), expected.len(), "{version}: {stderr}");
        for (warning, place) in warnings.iter().zip(expected) {
            assert!(warning.contains(&place), "{version}: {warning} {place}");
        }
    }
}

/// gfortran gives the components two layouts: one where the coarray is used first, and one elsewhere.
#[test]
fn xmpfc_names_coarrays_whose_components_other_files_find_at_other_places() {
    if left_out_with(15.., "components at other places in other files", "right there") {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let compiled = |arguments: &[&str]| {
        let mut command = Command::new(toolchain().xmpfc());
        let output = command.args(arguments).current_dir(directory.path()).output();
        let output = output.expect("xmpfc runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let write = |name: &str, text: &str| {
        fs::write(directory.path().join(name), text).expect("a file");
    };
    let types = "type inner
real, allocatable :: first(:), second(:)
end type
type outer
type(inner) :: inside
end type
type flat
real :: values(3)
character(:), allocatable :: text
end type
";
    let coarrays = "type(outer), allocatable :: box(:)[:]
type(inner), save :: other[*]
type(flat), save :: plain[*]
";
    let alike = "subroutine alike(x)
use boxes
type(outer) :: x
end subroutine
";
    let main = "use boxes
plain%values = 0
allocate (box(2)[*])
allocate (box(1)%inside%second(2))
other%first = [1.0]
end
";
    write("types.f90", &format!("module types\n{types}end module\n"));
    write("boxes.f90", &format!("module boxes\n{types}{coarrays}end module\n"));
    write("main.f90", main);
    let stderr = compiled(&["boxes.f90", "main.f90", "-o", "program"]);
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
    for place in [
        "main.f90:4: gfortran finds array components of box at other places",
        "main.f90:5: gfortran finds array components of other at",
    ] {
        assert!(stderr.contains(place), "{stderr}");
    }
    assert_eq!(compiled(&["-w", "-c", "main.f90"]), "");

    // A variable that is no coarray comes first.
    write(
        "main.f90",
        &format!("{alike}{}", alike.replace("alike", "also").replace("outer", "inner")),
    );
    assert_eq!(compiled(&["boxes.f90", "main.f90", "-c"]), "");
    // All in one file, and a coarray of a type of another module.
    write("main.f90", &format!("module boxes\n{types}{coarrays}end module\n{main}"));
    assert_eq!(compiled(&["main.f90", "-o", "program"]), "");
    write("boxes.f90", &format!("module boxes\nuse types\n{coarrays}end module\n"));
    write("main.f90", main);
    assert_eq!(compiled(&["types.f90", "boxes.f90", "main.f90", "-o", "program"]), "");
}
