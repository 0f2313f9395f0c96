//! Gives `libxmprt.so` its soname, so that a program keeps asking for the ABI it was linked with, and the order of its code
//! (`layout.ld`).

fn main() {
    // Cargo sets these for every build script. The major version is the ABI version:
    // `./x install` makes the link of this name.
    let major = std::env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets the package version");
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets the package's directory");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libxmprt.so.{major}");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-T,{here}/../layout.ld");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../layout.ld");
}
