/* Accesses of image 1, then an access of image 2 to the same memory. With a second argument "ordered" the images
   synchronise in between, and with "begun" they do so by a barrier that they begin; with "early" image 2 does not wait for the
   barrier before its access. The comments mark the statements. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xmprt.h>

static int64_t *turn;
/* The compiler does not know its length. */
static const char *volatile text = "more than twelve bytes";

static void next(void)
{
    (void)xmprt_atomic_add64(XMPRT_CURRENT, 1, turn, 1, NULL);
}

static void await(int64_t number)
{
    int64_t now;
    for (;;) {
        (void)xmprt_atomic_load64(XMPRT_CURRENT, 1, turn, &now);
        if (now >= number)
            return;
        /* Other processes get the processor. */
        usleep(1000);
    }
}

/* An operation of the program. The library calls it on memory of all images. */
static void add(void *left, const void *right, void *context)
{
    (void)context;
    *(int *)left += *(const int *)right;
}

static int compare(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

static int listed(char *to, size_t size, const char *format, ...)
{
    va_list list;
    int len;
    va_start(list, format);
    len = vsnprintf(to, size, format, list);
    va_end(list);
    return len;
}

/* Functions of the C library that tell how much they have read or written. */
static void print_or_scan(const char *kind, int *x, FILE *nowhere)
{
    FILE *file = fmemopen((char *)text, strlen(text), "r");
    int zeros = open("/dev/zero", O_RDONLY), got = 0, len = 0;
    if (!strcmp(kind, "format"))
        len = snprintf((char *)x, 40, "%d %.1f %s", 1, 2.5, text); /* first format */
    else if (!strcmp(kind, "unbounded"))
        len = sprintf((char *)x, "%Lf %s", 1.0L, text); /* first unbounded */
    else if (!strcmp(kind, "list"))
        len = listed((char *)x, 40, "%f %s %d", 2.5, text, 7); /* first list */
    else if (!strcmp(kind, "short"))
        len = snprintf((char *)x, 8, "%d %s", 1, text);
    else if (!strcmp(kind, "print"))
        len = fprintf(nowhere, "%*d %.*s", 3, 1, 12, (char *)x); /* first print */
    else if (!strcmp(kind, "few"))
        len = fprintf(nowhere, "%d %.8s", 1, (char *)x);
    else if (!strcmp(kind, "scan"))
        len = sscanf("12 34 5.5", "%*d %d", &x[2]); /* first scan */
    else if (!strcmp(kind, "mismatch"))
        len = sscanf("12 no", "%d %d", &got, &x[2]);
    else if (!strcmp(kind, "line"))
        len = fgets((char *)x, 20, file) != NULL; /* first line */
    else if (!strcmp(kind, "read"))
        len = (int)read(zeros, x, 40); /* first read */
    if (len < 0)
        abort();
    (void)fclose(file);
    (void)close(zeros);
}

/* Collective operations, which order nothing. */
static void combine(const char *kind, int *x)
{
    xmprt_request request = XMPRT_NO_REQUEST;
    int all[2];
    if (!strcmp(kind, "sum"))
        (void)xmprt_co_sum(XMPRT_CURRENT, x, 10, XMPRT_INT, XMPRT_ALL); /* first sum */
    else if (!strcmp(kind, "begun_sum"))
        (void)xmprt_begin_co_sum(XMPRT_CURRENT, x, 10, XMPRT_INT, &request); /* first begun_sum */
    else if (!strcmp(kind, "broadcast"))
        (void)xmprt_co_broadcast(XMPRT_CURRENT, x, 10 * sizeof *x, 1); /* first broadcast */
    else if (!strcmp(kind, "gather"))
        (void)xmprt_co_gather(XMPRT_CURRENT, all, x + 2, sizeof *x, 2); /* first gather */
    else if (!strcmp(kind, "operation"))
        (void)xmprt_co_reduce(XMPRT_CURRENT, x, 10, sizeof *x, add, NULL, XMPRT_ALL); /* first operation */
    else if (!strcmp(kind, "begun_operation"))
        (void)xmprt_begin_co_reduce(XMPRT_CURRENT, x, 10, sizeof *x, add, NULL, &request); /* first begun_operation */
    (void)xmprt_wait(&request);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    const char *mode = argc > 2 ? argv[2] : "";
    int me = xmprt_this_image(XMPRT_CURRENT), other = 3 - me, value = 7, sum = 0, i, own[10] = {0};
    xmprt_request barrier = XMPRT_NO_REQUEST;
    void *block;
    int *x;
    FILE *nowhere = fopen("/dev/null", "w");
    (void)xmprt_allocate(64, &block);
    turn = block;
    (void)xmprt_allocate(10 * sizeof *x, &block);
    x = block;
    memset(turn, 0, 64);
    memset(x, 0, 10 * sizeof *x);
    if (!strcmp(kind, "print") || !strcmp(kind, "few"))
        strcpy((char *)x, text);
    (void)xmprt_sync(XMPRT_CURRENT);
    if (me == 1) {
        if (!strcmp(kind, "store"))
            x[2] = value; /* first store */
        else if (!strcmp(kind, "loop"))
            for (i = 0; i < 10; i++)
                sum += x[i]; /* first loop */
        else if (!strcmp(kind, "atomic"))
            (void)__atomic_fetch_add(&x[2], 1, __ATOMIC_RELAXED); /* first atomic */
        else if (!strcmp(kind, "file"))
            (void)!fwrite(x, sizeof *x, 10, nowhere); /* first file */
        else if (!strcmp(kind, "copy"))
            strcpy((char *)x, text); /* first copy */
        else if (!strcmp(kind, "fill"))
            strncpy((char *)x, text, sizeof own); /* first fill */
        else if (!strcmp(kind, "append"))
            strcat((char *)x, text); /* first append */
        else if (!strcmp(kind, "sort"))
            qsort(x, 10, sizeof *x, compare); /* first sort */
        else if (!strcmp(kind, "set"))
            memset(x, 1, 10 * sizeof *x); /* first set */
        else
            print_or_scan(kind, x, nowhere);
    }
    combine(kind, me == 1 ? x : own);
    if (!strcmp(mode, "ordered"))
        (void)xmprt_sync_images(XMPRT_CURRENT, &other, 1);
    else if (!strcmp(mode, "begun") || !strcmp(mode, "early"))
        (void)xmprt_begin_sync(XMPRT_CURRENT, &barrier);
    if (!strcmp(mode, "begun"))
        (void)xmprt_wait(&barrier);
    if (me == 1) {
        next();
        await(2);
    } else {
        await(1);
        (void)xmprt_put(XMPRT_CURRENT, 1, x + 2, &value, sizeof value); /* second */
        next();
    }
    (void)xmprt_wait(&barrier);
    (void)xmprt_sync(XMPRT_CURRENT);
    if (me == 1)
        printf("done%s\n", sum > 0 ? "!" : "");
    return 0;
}
