//! Names the library as programs ask for it, with a number as `libxmprt.so` has.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let version = std::env::var("CARGO_PKG_VERSION_MAJOR").expect("set by cargo");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libxmprt_races.so.{version}");
}
