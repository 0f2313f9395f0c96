/* Nothing but the start and the end of the runtime library: each image tells its peak resident memory in kilobytes. */
#include <stdio.h>
#include <string.h>
#include <xmp.h>

int main(void)
{
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    long size = 0;
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0)
            sscanf(line + 6, "%ld", &size);
    printf("rss,%d,%ld\n", xmp_node_num(), size);
    return 0;
}
