//! The first and the last instructions of functions that go on to another function with its arguments: the registers of arguments are
//! stored in the first 48 of 56 bytes of the stack, and restored.

/// The instructions that store the registers in the first bytes of the stack.
macro_rules! store_registers {
    () => {
        concat!(
            "mov qword ptr [rsp], rdi\n",
            "mov qword ptr [rsp + 8], rsi\n",
            "mov qword ptr [rsp + 16], rdx\n",
            "mov qword ptr [rsp + 24], rcx\n",
            "mov qword ptr [rsp + 32], r8\n",
            "mov qword ptr [rsp + 40], r9",
        )
    };
}

/// The same after those that make room.
macro_rules! store_arguments {
    () => {
        concat!(
            "sub rsp, 56\n",
            ".cfi_adjust_cfa_offset 56\n",
            $crate::register_arguments::store_registers!()
        )
    };
}

/// The instructions that restore the registers.
macro_rules! load_arguments {
    () => {
        concat!(
            "mov rdi, qword ptr [rsp]\n",
            "mov rsi, qword ptr [rsp + 8]\n",
            "mov rdx, qword ptr [rsp + 16]\n",
            "mov rcx, qword ptr [rsp + 24]\n",
            "mov r8, qword ptr [rsp + 32]\n",
            "mov r9, qword ptr [rsp + 40]",
        )
    };
}

/// The same, and the stack.
macro_rules! restore_arguments {
    () => {
        concat!(
            $crate::register_arguments::load_arguments!(),
            "\nadd rsp, 56\n",
            ".cfi_adjust_cfa_offset -56",
        )
    };
}

pub(crate) use {load_arguments, restore_arguments, store_arguments, store_registers};
