//! The CMake package `xmprt`.

use std::fs;
use std::path::Path;
use xmp_hosts::installed;
use xmp_tests::Run;
use xmp_tests::program::{c_source, fortran_source};
use xmp_tests::project::{Project, assert_no_warning, heat_is_conserved, text_of};
use xmp_tests::toolchain::{output_of, toolchain};

/// Configures, builds and tests a CMake project in `build`; what configuring has said.
fn cmake(project: &Project, options: &[&str]) -> String {
    let configured = project.run("cmake", &[&["-S", ".", "-B", "build"], options].concat());
    project.run("cmake", &["--build", "build", "--verbose"]);
    configured
}

#[test]
fn cmake_finds_the_package() {
    if !installed(&["cmake", "make"]) {
        return;
    }
    let project = Project::template("cmake");
    cmake(&project, &[]);
    let tested = project.run("ctest", &["--test-dir", "build", "--verbose"]);
    assert!(tested.contains("PASS with 4 images"), "{tested}");
    project.heat_runs("build/heat");
}

#[test]
fn cmake_accepts_xmpfc_as_the_compiler_without_a_warning() {
    if !installed(&["cmake", "make"]) {
        return;
    }
    let mut project = Project::template("cmake");
    project.fortran = "xmpfc".into();
    assert_no_warning(&cmake(&project, &[]));
    project.heat_runs("build/heat");
}

#[test]
fn cmake_links_static_libraries_on_request() {
    if !installed(&["cmake", "make"]) {
        return;
    }
    let project = Project::template("cmake");
    cmake(&project, &["-Dxmprt_USE_STATIC_LIBS=ON", "-DCMAKE_EXE_LINKER_FLAGS=-static"]);
    let program = project.path().join("build/heat");
    assert!(!output_of("readelf", [Path::new("-d"), &program]).contains("NEEDED"));
    heat_is_conserved(&program);
}

#[test]
fn cmake_finds_an_installation_that_was_moved() {
    if !installed(&["cmake", "make"]) {
        return;
    }
    let mut project = Project::template("cmake");
    let moved = project.path().join("it is here");
    output_of("cp", [Path::new("-a"), toolchain().prefix(), &moved]);
    project.prefix = moved;
    cmake(&project, &[]);
    project.heat_runs("build/heat");
}

#[test]
fn cmake_gives_coarray_options_to_fortran_and_not_to_c() {
    if !installed(&["cmake", "make", "cc"]) {
        return;
    }
    let project = Project::empty();
    for source in [c_source("calls_fortran"), fortran_source("control/library")] {
        let name = source.file_name().expect("a file").to_owned();
        fs::copy(&source, project.path().join(name)).expect("it can be copied");
    }
    project.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\n\
         project(mixed LANGUAGES C Fortran)\n\
         find_package(xmprt REQUIRED)\n\
         add_executable(mixed calls_fortran.c library.f90)\n\
         target_link_libraries(mixed PRIVATE xmprt::Fortran)\n\
         file(WRITE ${PROJECT_BINARY_DIR}/c.c \"#include <xmprt.h>\\nint main(void) { return xmprt_num_images(XMPRT_CURRENT) != 2; }\\n\")\n\
         add_executable(c ${PROJECT_BINARY_DIR}/c.c)\n\
         target_link_libraries(c PRIVATE xmprt::C)\n",
    );
    project.run("cmake", &["-S", ".", "-B", "build"]);
    assert_no_warning(&project.run("cmake", &["--build", "build", "--verbose"]));
    let mixed = Run::new(project.path().join("build/mixed")).images(2).finish();
    mixed.succeeded().stdout_is("2 images\n");
    Run::new(project.path().join("build/c")).images(2).finish().succeeded().silent();
}

#[test]
fn cmake_marks_programs_of_gfortran_16() {
    if !installed(&["cmake", "make"]) {
        return;
    }
    let project = Project::empty();
    for (version, marked) in [("12.2.0", false), ("15.3.0", false), ("16.0.1", true), ("17", true)]
    {
        project.write(
            "CMakeLists.txt",
            &format!(
                "cmake_minimum_required(VERSION 3.18)\n\
                 project(options LANGUAGES Fortran)\n\
                 set(CMAKE_Fortran_COMPILER_VERSION {version})\n\
                 find_package(xmprt REQUIRED)\n\
                 file(GENERATE OUTPUT options CONTENT \
                 \"$<TARGET_PROPERTY:xmprt::Fortran,INTERFACE_LINK_OPTIONS>\")\n"
            ),
        );
        project.run("cmake", &["-S", ".", "-B", "build"]);
        let options = fs::read_to_string(project.path().join("build/options")).expect("options");
        assert_eq!(options.contains("xmp_gfortran_abi=16"), marked, "{version}: {options}");
    }
}

#[test]
fn cmake_says_why_the_package_cannot_be_used() {
    if !installed(&["cmake"]) {
        return;
    }
    let project = Project::empty();
    for (before, request, reason) in [
        ("", "xmprt 99", "requested version"),
        ("", "xmprt 0.0.1...<0.1.0", "requested version"),
        ("", "xmprt REQUIRED COMPONENTS Java", "no component Java"),
        ("set(CMAKE_Fortran_COMPILER_ID LLVMFlang)", "xmprt", "LLVMFlang"),
    ] {
        // As a script, because each of these requests ends before the package makes a target.
        project.write(
            "find.cmake",
            &format!(
                "cmake_minimum_required(VERSION 3.18)\n\
                 list(APPEND CMAKE_PREFIX_PATH $ENV{{CMAKE_PREFIX_PATH}})\n\
                 set(CMAKE_SIZEOF_VOID_P 8)\n\
                 {before}\nfind_package({request} CONFIG)\n\
                 message(STATUS \"found: ${{xmprt_FOUND}}, ${{xmprt_NOT_FOUND_MESSAGE}}\")\n"
            ),
        );
        let text = text_of(&project.try_run("cmake", &["-P", "find.cmake"]));
        assert!(text.contains(reason) && !text.contains("found: 1"), "{request}: {text}");
    }
}
