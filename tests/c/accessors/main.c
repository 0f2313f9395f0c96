/* Coindexed assignments and references as gfortran 15 and later compile them: a self-checking program for any number of
   images. Such a compiler makes a function of every reference; those of made.c are what it makes.
   With an argument: "components" adds components of coarrays, and objects with components; "functions" has functions in
   subscripts; "initial" gets an initial value; "pointed" puts to a variable that only the process of image 2 has; "null" and
   "nowhere" to one that is not there; "races" and "ordered" have two accesses, of the kind that the second argument names; "kill"
   ends image 2; "number" and "twice" ask for an accessor that is not there, or there twice; "beyond" gets from an image that is not
   there. */
#include "subjects.h"
#include <string.h>

static void run(const char *what, const char *how)
{
    int me = this_image(), n = num_images(), next = me % n + 1, previous = (me + n - 2) % n + 1;
    if (strcmp(what, "kill") == 0) {
        lose_an_image();
    } else if (strcmp(what, "initial") == 0) {
        require(get_of(item_token, NULL, NUMBER, next, NULL, NULL, NULL) == INITIAL);
    } else if (strcmp(what, "races") == 0) {
        races(how, false);
    } else if (strcmp(what, "ordered") == 0) {
        races(how, true);
    } else if (strcmp(what, "functions") == 0) {
        functions(next, previous);
    } else if (strcmp(what, "pointed") == 0) {
        put_to_pointed();
    } else if (strcmp(what, "null") == 0) {
        put_to_nowhere(NULL);
    } else if (strcmp(what, "nowhere") == 0) {
        put_to_nowhere((void *)0x300000000000);
    } else if (strcmp(what, "number") == 0) {
        _gfortran_caf_get_remote_function_index(-12345);
    } else if (strcmp(what, "twice") == 0) {
        _gfortran_caf_get_remote_function_index(TWICE);
    } else if (strcmp(what, "beyond") == 0) {
        get(ELEMENT, n + 1);
    } else if (strcmp(what, "index") == 0) {
        get_of(x_token, NULL, ELEMENT, 1, NULL, NULL, NULL);
        _gfortran_caf_is_present_on_remote(item_token, 1, 77, NULL, 0);
    } else {
        static_coarrays(next, previous);
        pointers(next);
        allocated_coarrays(next, previous);
        characters(next, previous);
        teams();
        errors();
        if (strcmp(what, "components") == 0) {
            components(next, previous);
            /* On two hosts the other image is one of the other host. */
            whole_objects((me + n / 2 - 1) % n + 1);
        }
    }
}

int main(int argc, char **argv)
{
    _gfortran_caf_init(&argc, &argv);
    run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
    _gfortran_caf_finalize();
    return 0;
}
