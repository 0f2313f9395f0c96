/* Image 1 calls a function of the C library by the name that a header or a compiler gives to it, and image 2 puts an element that the
   function accesses. With a second argument "beside" the function accesses other elements. The comments mark the calls. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xmprt.h>

/* A function of the C library, which the compiler does not know under this name: it changes nothing. */
#define OF_LIBRARY(result, name, ...) extern result its_##name(__VA_ARGS__) __asm__(#name)

#define INTEGER(name) OF_LIBRARY(long, name, const char *, char **, int)
INTEGER(strtol);
INTEGER(strtoll);
INTEGER(strtoul);
INTEGER(strtoull);
INTEGER(strtoimax);
INTEGER(strtoumax);
INTEGER(__isoc23_strtol);
INTEGER(__isoc23_strtoll);
INTEGER(__isoc23_strtoul);
INTEGER(__isoc23_strtoull);
INTEGER(__isoc23_strtoimax);
INTEGER(__isoc23_strtoumax);
OF_LIBRARY(double, strtod, const char *, char **);
OF_LIBRARY(float, strtof, const char *, char **);
OF_LIBRARY(long double, strtold, const char *, char **);
OF_LIBRARY(int, atoi, const char *);
OF_LIBRARY(long, atol, const char *);
OF_LIBRARY(long long, atoll, const char *);
OF_LIBRARY(double, atof, const char *);

OF_LIBRARY(size_t, strnlen, const char *, size_t);
OF_LIBRARY(char *, strndup, const char *, size_t);
OF_LIBRARY(int, strcasecmp, const char *, const char *);
OF_LIBRARY(int, strncasecmp, const char *, const char *, size_t);
OF_LIBRARY(int, bcmp, const void *, const void *, size_t);
OF_LIBRARY(void *, __memcpy_chk, void *, const void *, size_t, size_t);
OF_LIBRARY(void *, __memmove_chk, void *, const void *, size_t, size_t);
OF_LIBRARY(void *, __mempcpy_chk, void *, const void *, size_t, size_t);
OF_LIBRARY(void *, __memset_chk, void *, int, size_t, size_t);
OF_LIBRARY(char *, __strcpy_chk, char *, const char *, size_t);
OF_LIBRARY(char *, __stpcpy_chk, char *, const char *, size_t);
OF_LIBRARY(char *, __strncpy_chk, char *, const char *, size_t, size_t);
OF_LIBRARY(char *, __stpncpy_chk, char *, const char *, size_t, size_t);
OF_LIBRARY(char *, stpncpy, char *, const char *, size_t);
OF_LIBRARY(char *, __strcat_chk, char *, const char *, size_t);
OF_LIBRARY(char *, __strncat_chk, char *, const char *, size_t, size_t);

OF_LIBRARY(int, __snprintf_chk, char *, size_t, int, size_t, const char *, ...);
OF_LIBRARY(int, __vsnprintf_chk, char *, size_t, int, size_t, const char *, va_list);
OF_LIBRARY(int, __sprintf_chk, char *, int, size_t, const char *, ...);
OF_LIBRARY(int, __printf_chk, int, const char *, ...);
OF_LIBRARY(int, __fprintf_chk, FILE *, int, const char *, ...);
OF_LIBRARY(int, __dprintf_chk, int, int, const char *, ...);
OF_LIBRARY(int, __asprintf_chk, char **, int, const char *, ...);
OF_LIBRARY(int, asprintf, char **, const char *, ...);
OF_LIBRARY(int, fputs_unlocked, const char *, FILE *);
OF_LIBRARY(size_t, fwrite_unlocked, const void *, size_t, size_t, FILE *);
OF_LIBRARY(ssize_t, pwrite, int, const void *, size_t, long);
OF_LIBRARY(ssize_t, pwrite64, int, const void *, size_t, long);

#define SCANS(prefix)                                                        \
    OF_LIBRARY(int, prefix##scanf, const char *, ...);                       \
    OF_LIBRARY(int, prefix##fscanf, FILE *, const char *, ...);              \
    OF_LIBRARY(int, prefix##sscanf, const char *, const char *, ...);        \
    OF_LIBRARY(int, prefix##vsscanf, const char *, const char *, va_list)
SCANS();
SCANS(__isoc99_);
SCANS(__isoc23_);

OF_LIBRARY(char *, fgets_unlocked, char *, int, FILE *);
OF_LIBRARY(char *, __fgets_chk, char *, size_t, int, FILE *);
OF_LIBRARY(char *, __fgets_unlocked_chk, char *, size_t, int, FILE *);
OF_LIBRARY(ssize_t, __read_chk, int, void *, size_t, size_t);
OF_LIBRARY(ssize_t, pread, int, void *, size_t, long);
OF_LIBRARY(ssize_t, pread64, int, void *, size_t, long);
OF_LIBRARY(ssize_t, __pread_chk, int, void *, size_t, long, size_t);
OF_LIBRARY(ssize_t, __pread64_chk, int, void *, size_t, long, size_t);
OF_LIBRARY(size_t, fread, void *, size_t, size_t, FILE *);
OF_LIBRARY(size_t, fread_unlocked, void *, size_t, size_t, FILE *);
OF_LIBRARY(size_t, __fread_chk, void *, size_t, size_t, size_t, FILE *);
OF_LIBRARY(size_t, __fread_unlocked_chk, void *, size_t, size_t, size_t, FILE *);

enum { ROOM = 40 };

static const char *kind;
#define IS(name) (!strcmp(kind, #name))

/* Reads a number at the beginning of `x`; `last` gets the address after it. */
static long double number(const char *x, char **last)
{
    if (IS(strtol))
        return its_strtol(x, NULL, 10); /* first strtol */
    if (IS(last))
        return its_strtol("12", last, 10); /* first last */
    if (IS(strtoll))
        return its_strtoll(x, NULL, 10); /* first strtoll */
    if (IS(strtoul))
        return its_strtoul(x, NULL, 10); /* first strtoul */
    if (IS(strtoull))
        return its_strtoull(x, NULL, 10); /* first strtoull */
    if (IS(strtoimax))
        return its_strtoimax(x, NULL, 10); /* first strtoimax */
    if (IS(strtoumax))
        return its_strtoumax(x, NULL, 10); /* first strtoumax */
    if (IS(__isoc23_strtol))
        return its___isoc23_strtol(x, NULL, 10); /* first __isoc23_strtol */
    if (IS(__isoc23_strtoll))
        return its___isoc23_strtoll(x, NULL, 10); /* first __isoc23_strtoll */
    if (IS(__isoc23_strtoul))
        return its___isoc23_strtoul(x, NULL, 10); /* first __isoc23_strtoul */
    if (IS(__isoc23_strtoull))
        return its___isoc23_strtoull(x, NULL, 10); /* first __isoc23_strtoull */
    if (IS(__isoc23_strtoimax))
        return its___isoc23_strtoimax(x, NULL, 10); /* first __isoc23_strtoimax */
    if (IS(__isoc23_strtoumax))
        return its___isoc23_strtoumax(x, NULL, 10); /* first __isoc23_strtoumax */
    if (IS(strtod))
        return its_strtod(x, NULL); /* first strtod */
    if (IS(strtof))
        return its_strtof(x, NULL); /* first strtof */
    if (IS(strtold))
        return its_strtold(x, NULL); /* first strtold */
    if (IS(atoi))
        return its_atoi(x); /* first atoi */
    if (IS(atol))
        return its_atol(x); /* first atol */
    if (IS(atoll))
        return its_atoll(x); /* first atoll */
    if (IS(atof))
        return its_atof(x); /* first atof */
    return 0;
}

/* Reads the text in `x`, or makes it a copy of `text`, which has so many bytes with the zero at its end. */
static void text_of_c(char *x, const char *text, size_t len)
{
    if (IS(strnlen))
        (void)its_strnlen(x, len); /* first strnlen */
    else if (IS(strndup))
        (void)its_strndup(x, len); /* first strndup */
    else if (IS(strcasecmp))
        (void)its_strcasecmp(x, text); /* first strcasecmp */
    else if (IS(strncasecmp))
        (void)its_strncasecmp(text, x, len); /* first strncasecmp */
    else if (IS(bcmp))
        (void)its_bcmp(text, x, len); /* first bcmp */
    else if (IS(__memcpy_chk))
        (void)its___memcpy_chk(x, text, len, ROOM); /* first __memcpy_chk */
    else if (IS(__memmove_chk))
        (void)its___memmove_chk(x, text, len, ROOM); /* first __memmove_chk */
    else if (IS(__mempcpy_chk))
        (void)its___mempcpy_chk(x, text, len, ROOM); /* first __mempcpy_chk */
    else if (IS(__memset_chk))
        (void)its___memset_chk(x, 1, len, ROOM); /* first __memset_chk */
    else if (IS(__strcpy_chk))
        (void)its___strcpy_chk(x, text, ROOM); /* first __strcpy_chk */
    else if (IS(__stpcpy_chk))
        (void)its___stpcpy_chk(x, text, ROOM); /* first __stpcpy_chk */
    else if (IS(__strncpy_chk))
        (void)its___strncpy_chk(x, text, len, ROOM); /* first __strncpy_chk */
    else if (IS(__stpncpy_chk))
        (void)its___stpncpy_chk(x, text, len, ROOM); /* first __stpncpy_chk */
    else if (IS(stpncpy))
        (void)its_stpncpy(x, text, len); /* first stpncpy */
    else if (IS(__strcat_chk))
        (void)its___strcat_chk(x, text, ROOM); /* first __strcat_chk */
    else if (IS(__strncat_chk))
        (void)its___strncat_chk(x, text, len, ROOM); /* first __strncat_chk */
}

static void listed(char *x, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)its___vsnprintf_chk(x, ROOM, 1, ROOM, format, list); /* first __vsnprintf_chk */
    va_end(list);
}

/* Output of the text in `x`, or into `x`. */
static void printed(char *x, const char *text, size_t len, FILE *file)
{
    char *allocated;
    if (IS(__snprintf_chk))
        (void)its___snprintf_chk(x, ROOM, 1, ROOM, "%s%c", text, '!'); /* first __snprintf_chk */
    else if (IS(__vsnprintf_chk))
        listed(x, "%s%c", text, '!');
    else if (IS(__sprintf_chk))
        (void)its___sprintf_chk(x, 1, ROOM, "%s%c", text, '!'); /* first __sprintf_chk */
    else if (IS(__printf_chk))
        (void)its___printf_chk(1, "%s\n", x); /* first __printf_chk */
    else if (IS(__fprintf_chk))
        (void)its___fprintf_chk(file, 1, "%d %s\n", 1, x); /* first __fprintf_chk */
    else if (IS(__dprintf_chk))
        (void)its___dprintf_chk(fileno(file), 1, "%f %s\n", 1.5, x); /* first __dprintf_chk */
    else if (IS(__asprintf_chk))
        (void)its___asprintf_chk(&allocated, 1, "%s\n", x); /* first __asprintf_chk */
    else if (IS(asprintf))
        (void)its_asprintf(&allocated, "%s\n", x); /* first asprintf */
    else if (IS(fputs_unlocked))
        (void)its_fputs_unlocked(x, file); /* first fputs_unlocked */
    else if (IS(fwrite_unlocked))
        (void)its_fwrite_unlocked(x, 1, len, file); /* first fwrite_unlocked */
    else if (IS(pwrite))
        (void)its_pwrite(fileno(file), x, len, 0); /* first pwrite */
    else if (IS(pwrite64))
        (void)its_pwrite64(fileno(file), x, len, 0); /* first pwrite64 */
}

static void scanned_by_list(const char *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (IS(vsscanf))
        (void)its_vsscanf(text, format, list); /* first vsscanf */
    else if (IS(__isoc99_vsscanf))
        (void)its___isoc99_vsscanf(text, format, list); /* first __isoc99_vsscanf */
    else if (IS(__isoc23_vsscanf))
        (void)its___isoc23_vsscanf(text, format, list); /* first __isoc23_vsscanf */
    va_end(list);
}

/* Input of two numbers, the second of which is element 2 of `x`. */
static void scanned(int *x, const char *text, FILE *file)
{
    long long got;
    stdin = file;
    if (IS(scanf))
        (void)its_scanf("%lld %d", &got, x + 2); /* first scanf */
    else if (IS(fscanf))
        (void)its_fscanf(file, "%lld %d", &got, x + 2); /* first fscanf */
    else if (IS(sscanf))
        (void)its_sscanf(text, "%lld %d", &got, x + 2); /* first sscanf */
    else if (IS(__isoc99_scanf))
        (void)its___isoc99_scanf("%lld %d", &got, x + 2); /* first __isoc99_scanf */
    else if (IS(__isoc99_fscanf))
        (void)its___isoc99_fscanf(file, "%lld %d", &got, x + 2); /* first __isoc99_fscanf */
    else if (IS(__isoc99_sscanf))
        (void)its___isoc99_sscanf(text, "%lld %d", &got, x + 2); /* first __isoc99_sscanf */
    else if (IS(__isoc23_scanf))
        (void)its___isoc23_scanf("%lld %d", &got, x + 2); /* first __isoc23_scanf */
    else if (IS(__isoc23_fscanf))
        (void)its___isoc23_fscanf(file, "%lld %d", &got, x + 2); /* first __isoc23_fscanf */
    else if (IS(__isoc23_sscanf))
        (void)its___isoc23_sscanf(text, "%lld %d", &got, x + 2); /* first __isoc23_sscanf */
    else
        scanned_by_list(text, "%lld %d", &got, x + 2);
}

/* Input of the file, which has a text, into `x`. */
static void has_read(char *x, FILE *file)
{
    if (IS(fgets_unlocked))
        (void)its_fgets_unlocked(x, ROOM, file); /* first fgets_unlocked */
    else if (IS(__fgets_chk))
        (void)its___fgets_chk(x, ROOM, ROOM, file); /* first __fgets_chk */
    else if (IS(__fgets_unlocked_chk))
        (void)its___fgets_unlocked_chk(x, ROOM, ROOM, file); /* first __fgets_unlocked_chk */
    else if (IS(__read_chk))
        (void)its___read_chk(fileno(file), x, ROOM, ROOM); /* first __read_chk */
    else if (IS(pread))
        (void)its_pread(fileno(file), x, ROOM, 0); /* first pread */
    else if (IS(pread64))
        (void)its_pread64(fileno(file), x, ROOM, 0); /* first pread64 */
    else if (IS(__pread_chk))
        (void)its___pread_chk(fileno(file), x, ROOM, 0, ROOM); /* first __pread_chk */
    else if (IS(__pread64_chk))
        (void)its___pread64_chk(fileno(file), x, ROOM, 0, ROOM); /* first __pread64_chk */
    else if (IS(fread))
        (void)its_fread(x, 1, ROOM, file); /* first fread */
    else if (IS(fread_unlocked))
        (void)its_fread_unlocked(x, 1, ROOM, file); /* first fread_unlocked */
    else if (IS(__fread_chk))
        (void)its___fread_chk(x, ROOM, 1, ROOM, file); /* first __fread_chk */
    else if (IS(__fread_unlocked_chk))
        (void)its___fread_unlocked_chk(x, ROOM, 1, ROOM, file); /* first __fread_unlocked_chk */
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[2] : "";
    int is_beside = !strcmp(mode, "beside"), me = xmprt_this_image(XMPRT_CURRENT);
    const char *text = is_beside ? "12 no" : "123456789012 34", *nines = "9999";
    FILE *file = tmpfile();
    void *block;
    int *x;
    kind = argc > 1 ? argv[1] : "";
    (void)fputs(text, file);
    rewind(file);
    (void)lseek(fileno(file), 0, SEEK_SET);
    (void)xmprt_allocate(ROOM, &block);
    x = block;
    memset(x, 0, ROOM);
    if (!strstr(kind, "cat"))
        strcpy((char *)x, text);
    (void)xmprt_sync(XMPRT_CURRENT);
    if (me == 1) {
        (void)number((char *)x, (char **)(is_beside ? x + 4 : x + 2));
        text_of_c((char *)x, text, strlen(text) + 1);
        printed((char *)x, text, strlen(text) + 1, file);
        scanned(x, text, file);
        has_read((char *)x, file);
    }
    if (me == 2)
        (void)xmprt_put(XMPRT_CURRENT, 1, x + 2, nines, 4); /* second */
    (void)xmprt_sync(XMPRT_CURRENT);
    return 0;
}
