/* Team statements and inquiries as gfortran 16 compiles them (it passes other arguments than earlier versions): a
   self-checking program for any number of images. It has to be linked with what says so, xmp_gfortran_abi=16.
   With an argument: "enter" only enters a team; with "stop" and "kill" image 2 ends in this way, and the others are told
   so by all statements of teams. */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *token_t, *team_t;
typedef struct { ptrdiff_t stride, lower, upper; } dim_t;
typedef struct { size_t elem_len; int version; signed char rank, type; short attribute; } dtype_t;
/* A scalar or a vector with one codimension, and the token after. */
typedef struct { void *base; size_t offset; dtype_t dtype; ptrdiff_t span; dim_t dim[2]; token_t token; } desc_t;

enum { STATIC = 0, ALLOC = 1, MAP_EXISTING = 9 };
enum { INITIAL_TEAM = 0, PARENT_TEAM = 1, CURRENT_TEAM = 2 };
enum { STOPPED_IMAGE = 6000, FAILED_IMAGE = 6001, OTHER_STAT = 7000 };

void _gfortran_caf_init(int *, char ***);
void _gfortran_caf_finalize(void);
void _gfortran_caf_form_team(int, team_t *, int *new_index, int *stat, char *errmsg, size_t);
void _gfortran_caf_change_team(team_t, int *stat, char *errmsg, size_t);
void _gfortran_caf_end_team(int *stat, char *errmsg, size_t);
void _gfortran_caf_sync_team(team_t, int *stat, char *errmsg, size_t);
int _gfortran_caf_team_number(team_t);
team_t _gfortran_caf_get_team(int32_t *level);
int _gfortran_caf_this_image(team_t);
int _gfortran_caf_num_images(team_t, int32_t *team_number);
void _gfortran_caf_register(size_t, int, token_t *, desc_t *, int *stat, char *errmsg, size_t);
void _gfortran_caf_deregister(token_t *, int, int *stat, char *errmsg, size_t);
void _gfortran_caf_sync_all(int *stat, char *errmsg, size_t);
void _gfortran_caf_send(token_t, size_t offset, int image, desc_t *dst, void *subscripts, desc_t *src, int dst_kind,
                        int src_kind, bool tmp, int *stat, team_t *);
void _gfortran_caf_co_sum(desc_t *, int result_image, int *stat, char *errmsg, size_t);
void _gfortran_caf_stop_numeric(int, bool quiet);
void _gfortran_caf_error_stop(int, bool quiet);

static char text[80];

static void require_(bool ok, const char *what, int line)
{
    if (ok) return;
    fprintf(stderr, "gfortran16.c:%d: image %d: not %s\n", line, _gfortran_caf_this_image(NULL), what);
    _gfortran_caf_error_stop(1, true);
}
#define require(ok) require_(ok, #ok, __LINE__)

static int this_image(void) { return _gfortran_caf_this_image(NULL); }
static int num_images(void) { return _gfortran_caf_num_images(NULL, NULL); }

static desc_t vector(int *base, ptrdiff_t elements)
{
    desc_t d = {.base = base, .dtype = {.elem_len = 4, .rank = elements > 0, .type = 1}, .span = 4};
    if (elements > 0) d.dim[0] = (dim_t){1, 1, elements};
    return d;
}

/* ALLOCATE (x(elements)[*]) */
static int *allocate(desc_t *x, ptrdiff_t elements)
{
    *x = vector(NULL, elements);
    _gfortran_caf_register(4 * elements, ALLOC, &x->token, x, NULL, NULL, 0);
    _gfortran_caf_sync_all(NULL, NULL, 0);
    return x->base;
}

/* x(element)[image, TEAM=team] = value */
static void put(desc_t *x, int element, int image, team_t *team, int value)
{
    desc_t to = vector((int *)x->base + element - 1, 0), from = vector(&value, 0);
    _gfortran_caf_send(x->token, 4 * (element - 1), image, &to, NULL, &from, 4, 4, false, NULL, team);
}

static int co_sum(int value)
{
    desc_t x = vector(&value, 0);
    _gfortran_caf_co_sum(&x, 0, NULL, NULL, 0);
    return value;
}

static team_t get_team(int32_t level) { return _gfortran_caf_get_team(&level); }

/* A statement that must fail: with this in its message. */
static void require_failed(int stat, const char *words, int line)
{
    char message[sizeof text + 1] = "";
    memcpy(message, text, sizeof text);
    if (stat < OTHER_STAT || !strstr(message, words)) {
        fprintf(stderr, "gfortran16.c:%d: stat is %d, errmsg '%s'\n", line, stat, message);
        _gfortran_caf_error_stop(1, true);
    }
    memset(text, ' ', sizeof text);
}
#define FAILS(stat, words) require_failed(stat, words, __LINE__)

/* The others of a team that has lost an image get its state from every statement. */
static void lose_an_image(bool stops)
{
    int me = this_image(), n = num_images(), stat = -1, wanted = stops ? STOPPED_IMAGE : FAILED_IMAGE;
    team_t everyone, others, t;
    _gfortran_caf_form_team(1 + (me == 2), &others, NULL, NULL, NULL, 0);
    _gfortran_caf_form_team(5, &everyone, NULL, NULL, NULL, 0);
    _gfortran_caf_change_team(everyone, NULL, NULL, 0);
    desc_t x;
    allocate(&x, 10);
    if (me == 2) {
        if (stops) _gfortran_caf_stop_numeric(0, true);
        raise(SIGKILL);
    }
    _gfortran_caf_form_team(1, &t, NULL, &stat, text, sizeof text);
    require(stat == wanted && strstr(text, "form team: image 2 has"));
    _gfortran_caf_sync_team(everyone, &stat, NULL, 0);
    require(stat == wanted);
    _gfortran_caf_deregister(&x.token, 0, &stat, NULL, 0);
    require(stat == wanted);
    _gfortran_caf_end_team(&stat, NULL, 0);
    require(stat == wanted && num_images() == n);
    _gfortran_caf_change_team(everyone, &stat, NULL, 0);
    /* A failed image is left out, one that has stopped is missed. */
    require(stat == wanted && _gfortran_caf_team_number(NULL) == (stops ? -1 : 5));
    if (!stops) {
        _gfortran_caf_sync_all(&stat, text, sizeof text);
        require(stat == wanted && strstr(text, "sync all: image 2 has failed"));
    }
    _gfortran_caf_end_team(&stat, NULL, 0);
    require(stat == (stops ? 0 : wanted) && num_images() == n && _gfortran_caf_team_number(NULL) == -1);
    /* A team of the living works. */
    _gfortran_caf_change_team(others, &stat, NULL, 0);
    require(stat == 0 && num_images() == n - 1 && co_sum(1) == n - 1);
    _gfortran_caf_end_team(&stat, NULL, 0);
    require(stat == 0);
    printf("reported: %d\n", me);
    /* All are here before one ends: an image that ends early fails the earlier statements of others, too. */
    _gfortran_caf_sync_team(others, &stat, NULL, 0);
}

int main(int argc, char **argv)
{
    _gfortran_caf_init(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "enter") != 0) {
        lose_an_image(strcmp(argv[1], "stop") == 0);
        _gfortran_caf_finalize();
        return 0;
    }
    if (argc > 1) {
        team_t everyone;
        _gfortran_caf_form_team(1, &everyone, NULL, NULL, NULL, 0);
        _gfortran_caf_change_team(everyone, NULL, NULL, 0);
        return 0;
    }
    int me = this_image(), n = num_images(), stat = -1, index;
    team_t initial = _gfortran_caf_get_team(NULL), half, reversed, t, inner, never = &stat;
    desc_t outside;
    int *values = allocate(&outside, 10);

    /* Inquiries of the initial team. */
    require(initial && initial == get_team(INITIAL_TEAM) && initial == get_team(PARENT_TEAM));
    require(_gfortran_caf_team_number(NULL) == -1 && _gfortran_caf_team_number(initial) == -1);
    require(_gfortran_caf_this_image(initial) == me && _gfortran_caf_num_images(initial, NULL) == n);

    /* NEW_INDEX= turns the order round. */
    index = n - me + 1;
    _gfortran_caf_form_team(7, &reversed, &index, &stat, text, sizeof text);
    require(stat == 0);
    require(_gfortran_caf_this_image(reversed) == index && _gfortran_caf_num_images(reversed, NULL) == n);
    _gfortran_caf_form_team(1 + me % 2, &half, NULL, NULL, NULL, 0);
    int of_half = (n + me % 2) / 2, in_half = (me + 1) / 2;
    require(_gfortran_caf_team_number(half) == 1 + me % 2 && _gfortran_caf_this_image(half) == in_half);
    _gfortran_caf_sync_team(half, &stat, NULL, 0);
    require(stat == 0);

    stat = -1;
    _gfortran_caf_change_team(reversed, &stat, text, sizeof text);
    require(stat == 0 && this_image() == index && get_team(CURRENT_TEAM) == reversed && get_team(PARENT_TEAM) == initial);
    put(&outside, 1, 1, NULL, 100 * index);
    put(&outside, 2, n, &initial, 5);
    _gfortran_caf_sync_team(initial, NULL, NULL, 0);
    if (me == n) require(values[0] % 100 == 0 && values[0] > 0 && values[1] == 5);
    _gfortran_caf_end_team(&stat, NULL, 0);
    require(stat == 0 && this_image() == me);

    /* Sibling teams by number, nested teams, and coarrays that the program deallocates before END TEAM. */
    _gfortran_caf_change_team(half, NULL, NULL, 0);
    int32_t number = 1 + me % 2, other = 2 - me % 2, whole = -1;
    require(num_images() == of_half && _gfortran_caf_num_images(NULL, &number) == of_half);
    require(_gfortran_caf_num_images(NULL, &whole) == n);
    if (n > 1) require(_gfortran_caf_num_images(NULL, &other) == n - of_half);
    int32_t absent = 77;
    require(_gfortran_caf_num_images(NULL, &absent) == 0);
    require(_gfortran_caf_this_image(initial) == me && _gfortran_caf_num_images(initial, NULL) == n);
    desc_t x;
    int *here = allocate(&x, 100 + 10 * (me % 2));
    here[99] = 0;
    _gfortran_caf_sync_all(NULL, NULL, 0);
    put(&x, 100, this_image() % of_half + 1, NULL, me);
    put(&x, 99, this_image(), &half, -me);
    _gfortran_caf_sync_all(NULL, NULL, 0);
    require(here[99] % 2 == me % 2 && here[99] > 0 && here[98] == -me);
    _gfortran_caf_form_team(this_image(), &inner, NULL, NULL, NULL, 0);
    _gfortran_caf_change_team(inner, NULL, NULL, 0);
    require(num_images() == 1 && get_team(PARENT_TEAM) == half && co_sum(me) == me);
    /* Coarray association, CHANGE TEAM (inner, y[*] => x(51:)): the descriptor says where in x the name starts. */
    desc_t y = vector(here + 50, 50);
    y.token = x.token;
    _gfortran_caf_register(200, MAP_EXISTING, &y.token, &y, NULL, NULL, 0);
    require(y.base == here + 50 && y.token != x.token);
    put(&y, 50, 1, NULL, 1234);
    put(&y, 1, in_half, &half, 4321);
    require(here[99] == 1234 && here[50] == 4321);
    desc_t z = vector(here + 99, 1);
    z.token = y.token;
    _gfortran_caf_register(4, MAP_EXISTING, &z.token, &z, NULL, NULL, 0);
    put(&z, 1, 1, NULL, 1235);
    require(here[99] == 1235);
    put(&y, 50, 1, NULL, 1234);
    /* END TEAM ends one of the names; the other is given up before. */
    _gfortran_caf_deregister(&y.token, 0, &stat, NULL, 0);
    require(stat == 0 && y.token == NULL);
    /* The initial team again. */
    _gfortran_caf_change_team(initial, NULL, NULL, 0);
    require(num_images() == n && co_sum(1) == n);
    _gfortran_caf_end_team(NULL, NULL, 0);
    _gfortran_caf_end_team(NULL, NULL, 0);
    require(here[99] == 1234);
    _gfortran_caf_deregister(&x.token, 0, NULL, NULL, 0);
    _gfortran_caf_end_team(NULL, NULL, 0);

    /* Errors are told, and leave everything as it was. */
    memset(text, ' ', sizeof text);
    t = half;
    _gfortran_caf_form_team(0, &t, NULL, &stat, text, sizeof text);
    FAILS(stat, "form team: team number 0");
    require(t == half);
    index = n + 1;
    _gfortran_caf_form_team(1, &t, &index, &stat, text, sizeof text);
    FAILS(stat, "form team: team 1");
    index = 1;
    if (n > 1) {
        _gfortran_caf_form_team(1, &t, &index, &stat, text, sizeof text);
        FAILS(stat, "form team: team 1");
    }
    _gfortran_caf_sync_team(inner, &stat, text, sizeof text);
    FAILS(stat, "sync team: the team variable is not defined");
    _gfortran_caf_sync_team(NULL, &stat, text, sizeof text);
    FAILS(stat, "not defined");
    _gfortran_caf_change_team(never, &stat, text, sizeof text);
    FAILS(stat, "change team: the team variable is not defined");
    /* Whether or not it was entered, END TEAM follows. */
    require(num_images() == n);
    _gfortran_caf_change_team(half, NULL, NULL, 0);
    _gfortran_caf_change_team(reversed, &stat, text, sizeof text);
    FAILS(stat, "change team: team 7");
    require(num_images() == of_half);
    _gfortran_caf_end_team(&stat, NULL, 0);
    require(stat == 0 && num_images() == of_half);
    _gfortran_caf_end_team(NULL, NULL, 0);
    _gfortran_caf_end_team(NULL, NULL, 0);
    _gfortran_caf_end_team(&stat, text, sizeof text);
    FAILS(stat, "end team: END TEAM without CHANGE TEAM");
    require(num_images() == n && this_image() == me && _gfortran_caf_team_number(NULL) == -1);
    _gfortran_caf_deregister(&outside.token, 0, NULL, NULL, 0);
    _gfortran_caf_finalize();
    return 0;
}
