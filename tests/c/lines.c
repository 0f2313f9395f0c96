/* Prints lines that have the letter of the image alone, of several lengths, with printf. */
#include <stdio.h>
#include <string.h>
#include <xmprt.h>

int main(void)
{
    char line[300];
    char letter = (char)('a' + xmprt_this_image(XMPRT_CURRENT) - 1);
    if (xmprt_sync(XMPRT_CURRENT) != XMPRT_OK)
        return 1;
    for (int i = 0; i < 5000; i++) {
        size_t length = 40 + (size_t)i % 97;
        memset(line, letter, length);
        line[length] = 0;
        printf("%s\n", line);
    }
    return 0;
}
