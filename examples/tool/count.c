/* A tool: counts the operations of each image, and prints them when the image ends.
 *
 *   cc -shared -fPIC -O2 -I"$(pkg-config --variable=includedir xmprt)" count.c -o libcount.so
 *   xmprun -n 4 --tool ./libcount.so ./program
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <xmprt_tool.h>

enum { MOST = 64 };

static struct {
    const char *operation;
    unsigned long count;
    unsigned long long bytes;
    double seconds;
} rows[MOST];
static int used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void end(const xmprt_tool_operation *operation)
{
    int row;
    pthread_mutex_lock(&lock);
    for (row = 0; row < used && strcmp(rows[row].operation, operation->operation) != 0; row++)
        ;
    if (row < MOST) {
        if (row == used)
            rows[used++].operation = operation->operation;
        rows[row].count++;
        rows[row].bytes += operation->bytes;
        rows[row].seconds += 1e-9 * (double)(operation->end - operation->begin);
    }
    pthread_mutex_unlock(&lock);
}

static void finish(void)
{
    for (int row = 0; row < used; row++)
        fprintf(stderr, "%-20s %8lu %12llu bytes %10.6f s\n", rows[row].operation, rows[row].count, rows[row].bytes,
                rows[row].seconds);
}

int xmprt_tool_attach(unsigned version, xmprt_tool_hooks *hooks)
{
    if (version != XMPRT_TOOL_VERSION)
        return 1;
    hooks->end = end;
    hooks->finish = finish;
    return 0;
}
