/* The linker takes this member into programs whose objects refer to one of the functions by which gfortran 12 to 14 follow
   pointer components of other images: xmpfc has the linker replace their names (--wrap). For gfortran 15 and later xmpfc asks for
   it (-u), because all their functions may do so. */
extern const char xmprt_has_replacements;

/* Programs that have this symbol follow pointers. It refers to the replacements of `free` and others, which come along. */
extern const char *const xmprt_follows_pointers;
__attribute__((visibility("default"))) const char *const xmprt_follows_pointers = &xmprt_has_replacements;

/* Each only calls the function of the library, with the arguments and the return address as they are. */
#if defined(__x86_64__)
#define JUMP "jmp"
#define TO "@PLT"
#elif defined(__aarch64__)
#define JUMP "b"
#define TO ""
#else
#error "this processor needs a jump here"
#endif
#define PASS_ON(name) \
    __asm__(".text\n.globl __wrap_" name "\n.hidden __wrap_" name "\n.type __wrap_" name ", %function\n__wrap_" name ":\n\t" \
            JUMP " __real_" name TO "\n.size __wrap_" name ", . - __wrap_" name "\n")

PASS_ON("_gfortran_caf_get_by_ref");
PASS_ON("_gfortran_caf_send_by_ref");
PASS_ON("_gfortran_caf_sendget_by_ref");
