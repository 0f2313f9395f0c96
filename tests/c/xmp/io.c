/* Parallel I/O: files that all nodes write are compared byte by byte with those of a serial program. */
#include "check.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xmp_io.h>

#define N1 13
#define N2 10
#define N3 6
#define LEN 101
#define WIDTH 3

#pragma xmp nodes p[*]
#pragma xmp nodes q[*][1]

#pragma xmp template t[N1][N2]
#pragma xmp distribute t[block][cyclic] onto q
#pragma xmp template u[N1][N2]
#pragma xmp distribute u[*][cyclic(3)] onto p
#pragma xmp template v[LEN]
#pragma xmp distribute v[cyclic(2)] onto p
#pragma xmp template w[LEN]
#pragma xmp distribute w[block] onto p
#pragma xmp template g[:]
#pragma xmp distribute g[gblock(*)] onto p
#pragma xmp template x[3][2][2][N3][2][3][2]
#pragma xmp distribute x[*][*][*][block][*][*][*] onto p

double a[N1][N2];
#pragma xmp align a[i][j] with t[i][j]
#pragma xmp shadow a[1:2][0]
double b[N1][N2];
#pragma xmp align b[i][j] with u[i][j]
int c[LEN], d[LEN];
#pragma xmp align c[i] with v[i]
#pragma xmp align d[i] with w[i]
#pragma xmp shadow d[2:1]
short h[3][2][2][N3][2][3][2];
#pragma xmp align h[i][j][k][l][m][n][o] with x[i][j][k][l][m][n][o]
char copies[LEN];
#pragma xmp align copies[*] with v[*]

static int me, all;
static char name[200];

/* The serial program's file. */
static unsigned char serial[1 << 16];
static size_t serial_len;

static void serial_write(const void *data, size_t size)
{
    memcpy(serial + serial_len, data, size);
    serial_len += size;
}

static void compare(void)
{
    static unsigned char found[sizeof serial];
    FILE *file = fopen(name, "rb");
    REQUIRE(file);
    size_t len = fread(found, 1, sizeof found, file);
    fclose(file);
    REQUIRE(len == serial_len);
    REQUIRE(memcmp(found, serial, len) == 0);
#pragma xmp barrier
}

static xmp_range_t *range1(int lower, int length, int step)
{
    xmp_range_t *range = xmp_allocate_range(1);
    xmp_set_range(range, 1, lower, length, step);
    return range;
}

static xmp_range_t *range2(int l1, int n1, int s1, int l2, int n2, int s2)
{
    xmp_range_t *range = xmp_allocate_range(2);
    xmp_set_range(range, 1, l1, n1, s1);
    xmp_set_range(range, 2, l2, n2, s2);
    return range;
}

static double value(int i, int j)
{
    return 1.5 * i + 1000. * j;
}

static void fill(void)
{
#pragma xmp loop on t[i][j]
    for (int i = 0; i < N1; i++)
        for (int j = 0; j < N2; j++)
            a[i][j] = value(i, j);
#pragma xmp loop on v[i]
    for (int i = 0; i < LEN; i++)
        c[i] = 7 * i;
#pragma xmp loop on w[i]
    for (int i = 0; i < LEN; i++)
        d[i] = 0;
#pragma xmp loop on x[*][*][*][l][*][*][*]
    for (int l = 0; l < N3; l++)
        for (int i = 0; i < 3; i++)
            for (int rest = 0; rest < 48; rest++)
                h[i][rest & 1][rest >> 1 & 1][l][rest >> 2 & 1][rest / 8 % 3][rest / 24] = (short)(i + 5 * rest + 400 * l);
    for (int i = 0; i < LEN; i++)
        copies[i] = (char)(3 * i);
}

/* Whole arrays and sections, one after the other, without a view: in the order of their elements. */
static void arrays(void)
{
    long long head = 0x1122334455667788;
    xmp_file_t *file = xmp_fopen_all(name, "w");
    REQUIRE(file && xmp_ftell(file) == 0);
    serial_len = 0;
    /* Every node writes the same head. */
    REQUIRE(xmp_fwrite_all(file, &head, sizeof head, 1) == sizeof head);
    serial_write(&head, sizeof head);
    xmp_range_t *whole = range2(0, N1, 1, 0, N2, 1);
    ssize_t mine = xmp_fwrite_darray_all(file, xmp_desc_of(a), whole);
    REQUIRE(mine >= 0 && mine % sizeof(double) == 0);
    for (int i = 0; i < N1; i++)
        for (int j = 0; j < N2; j++) {
            double element = value(i, j);
            serial_write(&element, sizeof element);
        }
    REQUIRE(xmp_ftell(file) == (long long)serial_len);
    xmp_range_t *some = range2(11, 5, -2, 1, 3, 3);
    REQUIRE(xmp_fwrite_darray_all(file, xmp_desc_of(a), some) >= 0);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++) {
            double element = value(11 - 2 * i, 1 + 3 * j);
            serial_write(&element, sizeof element);
        }
    xmp_range_t *third = range1(2, 33, 3);
    REQUIRE(xmp_fwrite_darray_all(file, xmp_desc_of(c), third) >= 0);
    for (int i = 0; i < 33; i++) {
        int element = 7 * (2 + 3 * i);
        serial_write(&element, sizeof element);
    }
    xmp_range_t *seven = xmp_allocate_range(7);
    const int extents[7] = {3, 2, 2, N3, 2, 3, 2};
    for (int k = 0; k < 7; k++)
        xmp_set_range(seven, k + 1, 0, extents[k], 1);
    REQUIRE(xmp_fwrite_darray_all(file, xmp_desc_of(h), seven) >= 0);
    for (int at = 0; at < 3 * 2 * 2 * N3 * 2 * 3 * 2; at++) {
        int o = at % 2, n = at / 2 % 3, m = at / 6 % 2, l = at / 12 % N3, k = at / 12 / N3 % 2, j = at / 24 / N3 % 2;
        short element = (short)(at / 48 / N3 + 5 * (j + 2 * k + 4 * m + 8 * n + 24 * o) + 400 * l);
        serial_write(&element, sizeof element);
    }
    xmp_range_t *line = range1(0, LEN, 1);
    REQUIRE(xmp_fwrite_darray_all(file, xmp_desc_of(copies), line) == LEN);
    for (int i = 0; i < LEN; i++) {
        char element = (char)(3 * i);
        serial_write(&element, 1);
    }
    REQUIRE(xmp_ftell(file) == (long long)serial_len);
    REQUIRE(xmp_fclose_all(file) == 0);
    compare();

    /* Back, into arrays that are distributed in another way. */
    file = xmp_fopen_all(name, "r");
    REQUIRE(file);
    head = 0;
    REQUIRE(xmp_fread_all(file, &head, sizeof head, 1) == sizeof head && head == 0x1122334455667788);
    REQUIRE(xmp_fread_darray_all(file, xmp_desc_of(b), whole) >= 0);
#pragma xmp loop on u[*][j]
    for (int j = 0; j < N2; j++)
        for (int i = 0; i < N1; i++)
            REQUIRE(b[i][j] == value(i, j));
    REQUIRE(xmp_fseek(file, 15 * sizeof(double), SEEK_CUR) == 0);
    REQUIRE(xmp_fread_darray_all(file, xmp_desc_of(d), third) >= 0);
#pragma xmp loop on w[i]
    for (int i = 0; i < LEN; i++)
        REQUIRE(d[i] == (i % 3 == 2 ? 7 * i : 0));
    /* The end of the file is in the array. */
    REQUIRE(xmp_fseek(file, -8, SEEK_END) == 0);
    memset(copies, 0, LEN);
    REQUIRE(xmp_fread_darray_all(file, xmp_desc_of(copies), line) == 8);
    for (int i = 0; i < LEN; i++)
        REQUIRE(copies[i] == (i < 8 ? (char)(3 * (LEN - 8 + i)) : 0));
    REQUIRE(xmp_ftell(file) == (long long)serial_len);
    REQUIRE(xmp_fread_all(file, &head, sizeof head, 1) == 0);
    REQUIRE(xmp_fclose_all(file) == 0);
    xmp_free_range(whole);
    xmp_free_range(some);
    xmp_free_range(third);
    xmp_free_range(seven);
    xmp_free_range(line);
}

/* Views: each node writes its elements from its own memory, several times. */
static void views(void)
{
    int widths[64], rest = LEN, count = 0;
    for (int k = 0; k < all; k++) {
        widths[k] = k + 1 < all ? rest / 3 : rest;
        rest -= widths[k];
    }
#pragma xmp template_fix[gblock(widths)] g[LEN]
    int e[LEN];
#pragma xmp align e[i] with g[i]
    xmp_range_t *line = range1(0, LEN, 1);
    xmp_file_t *file = xmp_fopen_all(name, "w+");
    REQUIRE(file && xmp_file_set_view_all(file, WIDTH, xmp_desc_of(c), line) == 0);
    int own[LEN];
#pragma xmp loop on v[i]
    for (int i = 0; i < LEN; i++)
        own[count++] = c[i];
    serial_len = 0;
    serial_write("\0\0\0", WIDTH);
    for (int round = 0; round < 3; round++) {
        /* In two pieces. */
        ssize_t half = (ssize_t)(count / 2 * sizeof(int)), whole = (ssize_t)(count * sizeof(int));
        REQUIRE(xmp_fwrite_all(file, own, sizeof(int), count / 2) == half);
        REQUIRE(xmp_fwrite_all(file, own + count / 2, sizeof(int), count - count / 2) == whole - half);
        for (int i = 0; i < LEN; i++) {
            int element = 7 * i;
            serial_write(&element, sizeof element);
        }
    }
    /* And the array itself through its view. */
    REQUIRE(xmp_fwrite_darray_all(file, xmp_desc_of(c), line) == (ssize_t)(count * sizeof(int)));
    serial_write(serial + WIDTH, LEN * sizeof(int));
    REQUIRE(xmp_file_sync_all(file) == 0);
    compare();

    /* The second round through a view of another array. */
    REQUIRE(xmp_file_set_view_all(file, WIDTH, xmp_desc_of(e), line) == 0);
    REQUIRE(xmp_fseek(file, widths[me] * sizeof(int), SEEK_SET) == 0);
    REQUIRE(xmp_fread_darray_all(file, xmp_desc_of(e), line) == (ssize_t)(widths[me] * sizeof(int)));
#pragma xmp loop on g[i]
    for (int i = 0; i < LEN; i++)
        REQUIRE(e[i] == 7 * i);
    if (widths[me] > 0) {
        int first = -1;
        REQUIRE(xmp_fseek(file, 0, SEEK_SET) == 0);
        long long place = xmp_ftell(file);
        REQUIRE(xmp_fread(file, &first, sizeof first, 1) == sizeof first && first == 7 * (int)((place - WIDTH) / 4));
        REQUIRE(xmp_fseek(file, 0, SEEK_END) == 0 && xmp_fread(file, &first, sizeof first, 1) == 0);
        REQUIRE(xmp_fseek(file, -1, SEEK_SET) != 0 && errno == EINVAL);
    }
#pragma xmp barrier
    /* All of the file again. */
    REQUIRE(xmp_file_clear_view_all(file, WIDTH + 4) == 0 && xmp_ftell(file) == WIDTH + 4);
    int second = -1;
    REQUIRE(xmp_fread_all(file, &second, 1, sizeof second) == sizeof second && second == 7);
    REQUIRE(xmp_fclose_all(file) == 0);
    xmp_free_range(line);
}

/* Each node at its own place; holes are zeros. */
static void direct(void)
{
    xmp_file_t *file = xmp_fopen_all(name, "w+");
    int record[4] = {me, me + 1, me + 2, me + 3}, zeros[4] = {0};
    REQUIRE(xmp_fseek(file, 32LL * me, SEEK_SET) == 0);
    REQUIRE(xmp_fwrite(file, record, sizeof(int), 4) == sizeof record);
    REQUIRE(xmp_ftell(file) == 32LL * me + 16);
    serial_len = 0;
    for (int k = 0; k < all; k++) {
        int other[4] = {k, k + 1, k + 2, k + 3};
        serial_write(other, sizeof other);
        if (k + 1 < all)
            serial_write(zeros, sizeof zeros);
    }
    REQUIRE(xmp_file_sync_all(file) == 0);
    compare();
    int next = (me + 1) % all;
    REQUIRE(xmp_fseek(file, 32LL * next, SEEK_SET) == 0);
    REQUIRE(xmp_fread(file, record, sizeof(int), 4) == sizeof record && record[0] == next && record[3] == next + 3);
    REQUIRE(xmp_fseek(file, -4, SEEK_END) == 0);
    REQUIRE(xmp_fread(file, record, sizeof(int), 4) == 4 && record[0] == all + 2);
    REQUIRE(xmp_fclose_all(file) == 0);
}

/* Records at the shared pointer: their order is free, and none is lost. */
static void shared(void)
{
    enum { RECORDS = 40 };
    static int counts[64], found[64 * RECORDS];
    xmp_file_t *file = xmp_fopen_all(name, "w+");
    REQUIRE(xmp_ftell_shared(file) == 0);
#pragma xmp barrier
    for (int k = 0; k < RECORDS; k++) {
        int record[3] = {me, k, ~me};
        REQUIRE(xmp_fwrite_shared(file, record, sizeof record, 1) == sizeof record);
    }
    REQUIRE(xmp_file_sync_all(file) == 0);
    REQUIRE(xmp_ftell_shared(file) == 12LL * RECORDS * all);
    REQUIRE(xmp_fseek_shared_all(file, 0, SEEK_SET) == 0);
    int record[3];
    ssize_t got;
    while ((got = xmp_fread_shared(file, record, sizeof(int), 3)) > 0) {
        REQUIRE(got == sizeof record && record[0] >= 0 && record[0] < all && record[2] == ~record[0]);
        counts[record[0]]++;
        found[record[0] * RECORDS + record[1]]++;
    }
    REQUIRE(got == 0);
#pragma xmp reduction(+: counts)
#pragma xmp reduction(+: found)
    for (int k = 0; k < all; k++)
        REQUIRE(counts[k] == RECORDS);
    for (int k = 0; k < all * RECORDS; k++)
        REQUIRE(found[k] == 1);
    REQUIRE(xmp_ftell_shared(file) == 12LL * RECORDS * all);
#pragma xmp barrier
    if (me == 0) {
        REQUIRE(xmp_fseek_shared(file, -12, SEEK_END) == 0);
        REQUIRE(xmp_fseek_shared(file, -12 * RECORDS * 64 - 1, SEEK_CUR) != 0 && errno == EINVAL);
    }
#pragma xmp barrier
    REQUIRE(xmp_ftell_shared(file) == 12LL * RECORDS * all - 12);
    xmp_range_t *line = range1(0, LEN, 1);
    REQUIRE(xmp_file_set_view_all(file, 0, xmp_desc_of(c), line) == 0);
    REQUIRE(xmp_fwrite_shared(file, record, 1, 1) < 0 && errno == EINVAL);
    xmp_free_range(line);
    REQUIRE(xmp_fclose_all(file) == 0);
}

static void append(void)
{
    xmp_file_t *file = xmp_fopen_all(name, "w");
    REQUIRE(xmp_fwrite_all(file, "begin", 1, 5) == 5 && xmp_fclose_all(file) == 0);
    file = xmp_fopen_all(name, "a");
    REQUIRE(xmp_ftell(file) == 5 && xmp_ftell_shared(file) == 5);
    REQUIRE(xmp_fwrite_all(file, "+a", 1, 2) == 2);
    char text[20] = "";
    REQUIRE(xmp_fread_all(file, text, 1, 2) < 0 && errno == EBADF);
    REQUIRE(xmp_fclose_all(file) == 0);
    file = xmp_fopen_all(name, "a+");
    REQUIRE(xmp_ftell(file) == 0);
    REQUIRE(xmp_fread_all(file, text, 1, 3) == 3 && strcmp(text, "beg") == 0);
    REQUIRE(xmp_fwrite_all(file, "!", 1, 1) == 1 && xmp_ftell(file) == 8);
    REQUIRE(xmp_fclose_all(file) == 0);
    file = xmp_fopen_all(name, "a+");
    if (me == all - 1)
        REQUIRE(xmp_fwrite_shared(file, "?", 1, 1) == 1);
    REQUIRE(xmp_file_sync_all(file) == 0 && xmp_ftell_shared(file) == 9);
    REQUIRE(xmp_fclose_all(file) == 0);
    serial_len = 0;
    serial_write("begin+a!?", 9);
    compare();
    file = xmp_fopen_all(name, "r+");
    REQUIRE(xmp_fwrite_all(file, "B", 1, 1) == 1 && xmp_fclose_all(file) == 0);
    serial[0] = 'B';
    compare();
}

static void errors(void)
{
    xmp_file_t *file;
    errno = 0;
    REQUIRE(!xmp_fopen_all("/nowhere/file", "w") && errno == ENOENT);
    REQUIRE(!xmp_fopen_all(name, "rw") && errno == EINVAL);
    REQUIRE(!xmp_fopen_all(NULL, "r") && errno == EINVAL);
    REQUIRE(!xmp_fopen_all("/", "r") && errno == EISDIR);
    /* One node alone looks elsewhere. */
    REQUIRE(!xmp_fopen_all(me == all - 1 ? "/nowhere/file" : name, "r") && errno == ENOENT);
    REQUIRE(xmp_fclose_all(NULL) == 1);
    REQUIRE(xmp_ftell(NULL) < 0 && xmp_fread_all(NULL, name, 1, 1) < 0 && xmp_fseek(NULL, 0, SEEK_SET) != 0);
    xmp_range_t *line = range1(0, LEN, 1), *wrong = range1(0, LEN + 1, 1), *two = xmp_allocate_range(2);
    REQUIRE(!xmp_allocate_range(0));
    file = xmp_fopen_all(name, "w");
    REQUIRE(xmp_file_set_view_all(file, 0, xmp_desc_of(c), wrong) != 0);
    REQUIRE(xmp_file_set_view_all(file, 0, xmp_desc_of(c), two) != 0);
    REQUIRE(xmp_file_set_view_all(file, 0, NULL, line) != 0);
    REQUIRE(xmp_file_set_view_all(file, me == 0 ? -1 : 0, xmp_desc_of(c), line) != 0);
    REQUIRE(xmp_file_clear_view_all(file, -1) != 0);
    REQUIRE(xmp_fwrite_darray_all(file, xmp_desc_of(c), me == 0 ? wrong : line) < 0);
    REQUIRE(xmp_fwrite_all(file, me == 0 ? NULL : name, 1, 5) < 0);
    REQUIRE(xmp_fseek(file, 0, 77) != 0 && xmp_fwrite(file, name, 1, 0) == 0);
    REQUIRE(xmp_fclose_all(file) == 0 && xmp_fclose_all(file) == 1);
    /* No room on the device, at once and for the array. */
    file = xmp_fopen_all("/dev/full", "r+");
    REQUIRE(file && xmp_fwrite_darray_all(file, xmp_desc_of(c), line) < 0 && errno == ENOSPC);
    REQUIRE(xmp_fwrite(file, name, 1, 5) < 0 && errno == ENOSPC);
    REQUIRE(xmp_fwrite_shared(file, name, 1, 5) < 0 && errno == ENOSPC);
    REQUIRE(xmp_fclose_all(file) == 0);
    /* The limit of one node is an error of all. */
    struct rlimit limit = {100, 100};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    file = xmp_fopen_all(name, "w");
    REQUIRE(file && xmp_fwrite_darray_all(file, xmp_desc_of(c), line) < 0 && errno == EFBIG);
    REQUIRE(xmp_fclose_all(file) == 0);
    xmp_free_range(line);
    xmp_free_range(wrong);
    xmp_free_range(two);
    xmp_free_range(NULL);
}

/* A part of the nodes has a file of its own. */
static void in_task(void)
{
#pragma xmp task on p[0]
    {
        xmp_file_t *file = xmp_fopen_all(name, "w");
        REQUIRE(file && xmp_fwrite_all(file, "task", 1, 4) == 4 && xmp_fclose_all(file) == 0);
    }
    serial_len = 0;
    serial_write("task", 4);
#pragma xmp barrier
    compare();
}

int main(void)
{
    me = xmpc_all_node_num();
    all = xmp_all_num_nodes();
    if (me == 0) {
        const char *folder = getenv("TMPDIR");
        snprintf(name, sizeof name, "%s/xmp-io-XXXXXX", folder ? folder : "/tmp");
        int descriptor = mkstemp(name);
        REQUIRE(descriptor >= 0 && close(descriptor) == 0);
    }
#pragma xmp bcast(name)
    fill();
    arrays();
    views();
    direct();
    shared();
    append();
    in_task();
    errors();
#pragma xmp barrier
    if (me == 0)
        unlink(name);
    return 0;
}
