//! The CMake package `xmprt`.

use serial_test::serial;
use std::fs;
use std::path::Path;
use xmp_hosts::{Requirement, installed, skipped};
use xmp_tests::Run;
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::program::{c_source, fortran_source};
use xmp_tests::project::{Project, assert_no_warning, heat_is_conserved, text_of};
use xmp_tests::toolchain::{output_of, toolchain, workspace};

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

/// The texts of the book's page about CMake, for projects that are no coarray Fortran.
#[test]
fn cmake_builds_c_and_cpp_without_a_fortran_compiler() {
    if !installed(&["cmake", "make"]) {
        return;
    }
    let mut project = Project::empty();
    project.fortran = "/nonexistent/gfortran".into();
    for name in ["total.c", "halo.cpp"] {
        let source = workspace().join("docs/book/src/programs").join(name);
        fs::copy(source, project.path().join(name)).expect("it can be copied");
    }
    project.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\n\
         project(ring VERSION 0.1.0 LANGUAGES C CXX)\n\
         find_package(xmprt 0.1 REQUIRED COMPONENTS C)\n\
         add_executable(total total.c)\n\
         target_link_libraries(total PRIVATE xmprt::C)\n\
         add_executable(ring halo.cpp)\n\
         target_link_libraries(ring PRIVATE xmprt::C)\n\
         target_compile_features(ring PRIVATE cxx_std_17)\n",
    );
    cmake(&project, &[]);
    let total = Run::new(project.path().join("build/total")).images(4).finish();
    total.succeeded().stdout_is("sum of the image indices: 10\n");
    let ring = Run::new(project.path().join("build/ring")).images(3).finish();
    ring.succeeded();
    assert!(ring.stdout.contains("the images are 1 to 3"), "{}", ring.stdout);
}

#[test]
#[serial]
fn cmake_links_a_program_with_mpi_and_openmp() {
    if !installed(&["cmake", "make"]) {
        return;
    }
    let openmpi = mpis_with_plugin().into_iter().find(|it| it.flavour().suffix() == "openmpi");
    let Some(mpirun) = openmpi else {
        skipped(Requirement::OpenMpi, "a project of CMake needs Open MPI");
        return;
    };
    let project = Project::empty();
    let source = workspace().join("docs/book/src/programs/both.f90");
    fs::copy(source, project.path().join("both.f90")).expect("it can be copied");
    project.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\n\
         project(both LANGUAGES Fortran)\n\
         find_package(xmprt 0.1 REQUIRED COMPONENTS Fortran)\n\
         find_package(MPI REQUIRED COMPONENTS Fortran)\n\
         find_package(OpenMP REQUIRED COMPONENTS Fortran)\n\
         add_executable(heat both.f90)\n\
         target_link_libraries(heat PRIVATE xmprt::Fortran MPI::MPI_Fortran OpenMP::OpenMP_Fortran)\n",
    );
    cmake(&project, &["-DMPI_Fortran_COMPILER=mpif90.openmpi"]);
    let run = Run::new(project.path().join("build/heat")).mpirun(&mpirun).images(3).finish();
    run.succeeded().stdout_is("sum by MPI: 6, image 1 has 1\n");
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
