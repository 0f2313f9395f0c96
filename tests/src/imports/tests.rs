use super::Imports;
use std::fs;
use std::path::Path;

/// The imports of a crate with these files.
fn imports(files: &[(&str, &str)]) -> Imports {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        let file = directory.path().join(name);
        fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
        fs::write(file, text).expect("a file");
    }
    Imports::of_crate(directory.path())
}

/// The uses as `from > to`.
fn arrows(files: &[(&str, &str)]) -> Vec<String> {
    let name = |file: &Path| file.to_str().expect("UTF-8").trim_end_matches(".rs").to_owned();
    let imports = imports(files);
    imports.uses().map(|(from, to, _)| format!("{} > {}", name(from), name(to))).collect()
}

#[test]
fn imports_lead_to_the_file_that_defines_the_name() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::{Thing, deep::{self, Other as Renamed}};"),
        ("b/mod.rs", "pub mod deep; pub struct Thing;"),
        ("b/deep.rs", "pub struct Other;"),
    ];
    assert_eq!(arrows(&files), ["a > b/deep", "a > b/mod"]);
}

#[test]
fn a_reexport_is_followed_and_is_no_use_by_itself() {
    let files = [
        ("lib.rs", "mod a; mod b; pub use b::Inner;"),
        ("a.rs", "use crate::Inner; fn f() { crate::b::g() }"),
        ("b/mod.rs", "mod inner; mod more; pub use inner::Inner; pub(crate) use more::*;"),
        ("b/inner.rs", "pub struct Inner;"),
        ("b/more.rs", "pub fn g() {}"),
    ];
    assert_eq!(arrows(&files), ["a > b/inner", "a > b/more"]);
}

#[test]
fn a_reexport_that_the_code_names_is_a_use() {
    let files = [
        ("lib.rs", "mod inner; pub use inner::Inner; pub fn f(_: Inner) {}"),
        ("inner.rs", "pub struct Inner;"),
    ];
    assert_eq!(arrows(&files), ["lib > inner"]);
}

#[test]
fn paths_in_code_macros_and_functions_are_uses() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
        ("a.rs", "fn f() -> Vec<crate::b::B> { use super::c::{C, self}; vec![super::d::new(C)] }"),
        ("b.rs", "pub struct B;"),
        ("c.rs", "pub struct C;"),
        ("d.rs", "pub fn new() {} macro_rules! m { () => { $crate::e::E } }"),
        ("e.rs", "pub struct E;"),
    ];
    assert_eq!(arrows(&files), ["a > b", "a > c", "a > d", "d > e"]);
}

#[test]
fn children_are_used_by_their_names() {
    let files = [
        ("lib.rs", "mod a; fn f() { a::g() }"),
        ("a.rs", "mod inner; use inner::h; pub fn g() { h() }"),
        ("a/inner.rs", "pub fn h() {}"),
    ];
    assert_eq!(arrows(&files), ["a > a/inner", "lib > a"]);
}

#[test]
fn tests_comments_texts_and_other_crates_are_left_out() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        (
            "a.rs",
            "//! See [`crate::b::B`].\nuse std::b::B; /* crate::b::B */ const T: &str = \"crate::b::B\";
             #[cfg(test)] mod tests { use crate::b::B; } #[cfg(all(test, not(loom)))] use crate::b::B;",
        ),
        ("b.rs", "pub struct B;"),
    ];
    assert_eq!(arrows(&files), [""; 0]);
}

#[test]
fn modules_within_a_file_are_part_of_it() {
    let files = [
        ("lib.rs", "mod a { pub mod b; pub struct A; } #[path = \"other name.rs\"] mod c;"),
        ("a/b.rs", "use super::A; use crate::c::C;"),
        ("other name.rs", "pub struct C;"),
    ];
    assert_eq!(arrows(&files), ["a/b > lib", "a/b > other name"]);
}

#[test]
fn circles_are_groups_of_files_that_use_one_another() {
    let two = [
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "pub struct C; fn f(_: super::a::A) {}"),
        ("d.rs", "use crate::a::A;"),
    ];
    let circles = imports(&two).circles();
    let expected = "3 use one another in a circle:\n  a.rs uses b.rs: crate::b::B\n  b.rs uses c.rs: crate::c::C\n  \
                    c.rs uses a.rs: super::a::A";
    assert_eq!(circles, [expected]);
}

#[test]
fn modules_are_in_a_circle_where_their_files_are_not() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "pub mod deep; use crate::b::B;"),
        ("a/deep.rs", "pub struct Deep;"),
        ("b.rs", "use crate::a::deep::Deep; pub struct B;"),
    ];
    let imports = imports(&files);
    assert!(imports.circles().is_empty());
    let expected = "2 use one another in a circle:\n  a/mod.rs uses b.rs: crate::b::B\n  \
                    b.rs uses a/deep.rs: crate::a::deep::Deep";
    assert_eq!(imports.circles_of_modules(), [expected]);
}

#[test]
fn reexports_that_lead_to_one_another_end() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "pub use crate::b::*; fn f() { crate::b::missing() }"),
        ("b.rs", "pub use crate::a::*;"),
    ];
    assert_eq!(arrows(&files), ["a > b"]);
}
