//! Gives `libxmprt_omni.so` its soname, and the order of its code, as `libxmprt.so` has them.

fn main() {
    // Cargo sets these for every build script.
    let major = std::env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets the package version");
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets the package's directory");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libxmprt_omni.so.{major}");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-T,{here}/../layout.ld");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../layout.ld");
}
