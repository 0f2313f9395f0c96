//! The command `xmprun`.

fn main() -> std::process::ExitCode {
    xmprun::main()
}
