/* Tries libclang as bindgen uses it: loads the library given as the first argument, and has it parse a C file that includes
   a header of the compiler itself, with the other arguments as options. Exit status: 0 if that works, 1 if not, with the reason on
   standard error. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { const char *name, *contents; unsigned long length; } unsaved_file;
typedef void *(*create_index)(int, int);
typedef int (*parse)(void *, const char *, const char *const *, int, unsaved_file *, unsigned, unsigned, void **);
typedef unsigned (*count_diagnostics)(void *);
typedef void *(*get_diagnostic)(void *, unsigned);
typedef int (*severity_of)(void *);

static void *function(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found;
}

int main(int argc, const char **argv) {
    static const char text[] = "#include <stddef.h>\nsize_t length;\n";
    unsaved_file file = {"probe.h", text, sizeof text - 1};
    enum { severity_error = 3 };
    void *library = argc >= 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) {
        fprintf(stderr, "%s\n", argc >= 2 ? dlerror() : "usage: libclang LIBRARY OPTION...");
        return 1;
    }
    void *index = ((create_index)function(library, "clang_createIndex"))(0, 0);
    void *unit = NULL;
    int error = ((parse)function(library, "clang_parseTranslationUnit2"))(index, "probe.h", argv + 2, argc - 2, &file, 1, 0, &unit);
    if (error || !unit) {
        fprintf(stderr, "%s cannot parse a C file: error %d\n", argv[1], error);
        return 1;
    }
    count_diagnostics count = (count_diagnostics)function(library, "clang_getNumDiagnostics");
    get_diagnostic get = (get_diagnostic)function(library, "clang_getDiagnostic");
    severity_of severity = (severity_of)function(library, "clang_getDiagnosticSeverity");
    for (unsigned i = 0; i < count(unit); i++) {
        if (severity(get(unit, i)) >= severity_error) {
            fprintf(stderr, "%s does not find the header stddef.h\n", argv[1]);
            return 1;
        }
    }
    return 0;
}
