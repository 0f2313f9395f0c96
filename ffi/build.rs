//! Gives `libxmp.so` its soname, so that a program keeps asking for the ABI it was linked with.

fn main() {
    // Cargo sets this for every build script. The major version is the ABI version:
    // `./x install` makes the link of this name.
    let major = std::env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets the package version");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libxmp.so.{major}");
    println!("cargo:rerun-if-changed=build.rs");
}
