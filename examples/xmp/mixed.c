/*
 * Global view and local view in one program: a rod whose heat XcalableMP distributes, a ring of cells that the program divides
 * by itself with coarrays, and sums over a part of the nodes.
 *
 *     xmpcc -O3 mixed.c -o mixed -lm && xmprun -n 4 ./mixed
 */
#include <math.h>
#include <stdio.h>
#include <xmp.h>

enum { POINTS = 240, CELLS = 60, STEPS = 40 };

#pragma xmp nodes p[*]

/* Global view: the rod is one array. Directives say which node has which points, and that a point needs its neighbours. */
#pragma xmp template t[POINTS]
#pragma xmp distribute t[block] onto p
static double rod[POINTS], next_rod[POINTS];
#pragma xmp align rod[i] with t[i]
#pragma xmp align next_rod[i] with t[i]
#pragma xmp shadow rod[1]

/* Local view: each image has CELLS cells of the ring, and room for one of either neighbour in front of and after them. */
static double ring[CELLS + 2]:[*];

/* Each point becomes the mean of its neighbours. The shadow is filled by the nodes that have the points. */
static void step_rod(void)
{
#pragma xmp reflect (rod)
#pragma xmp loop (i) on t[i]
    for (int i = 1; i < POINTS - 1; i++)
        next_rod[i] = (rod[i - 1] + rod[i + 1]) / 2;
#pragma xmp loop (i) on t[i]
    for (int i = 1; i < POINTS - 1; i++)
        rod[i] = next_rod[i];
}

/* The same of the ring. An image puts its outer cells into its neighbours: indices after the colon are images, from 0. */
static void step_ring(int me, int images)
{
    const int left = (me + images - 1) % images, right = (me + 1) % images;
    double before, here;
    ring[CELLS + 1]:[left] = ring[1];
    ring[0]:[right] = ring[CELLS];
    /* All puts have arrived. */
    xmp_sync_all(NULL);
    before = ring[0];
    for (int i = 1; i <= CELLS; i++) {
        here = ring[i];
        ring[i] = (before + ring[i + 1]) / 2;
        before = here;
    }
    /* All images have read what was put. */
    xmp_sync_all(NULL);
}

int main(void)
{
    const int images = xmp_num_nodes(), me = xmpc_node_num(), half = (images + 1) / 2;
    const double pi = acos(-1), rod_angle = pi / (POINTS - 1), ring_angle = 2 * pi / (images * CELLS);
    double error = 0, total = 0, part = 0;

    /* Waves, of which each step leaves a known part. */
#pragma xmp loop (i) on t[i]
    for (int i = 0; i < POINTS; i++)
        rod[i] = sin(i * rod_angle);
    for (int i = 1; i <= CELLS; i++)
        ring[i] = 1 + sin((me * CELLS + i) * ring_angle);
    for (int step = 0; step < STEPS; step++) {
        step_rod();
        step_ring(me, images);
    }

#pragma xmp loop (i) on t[i] reduction(max: error)
    for (int i = 0; i < POINTS; i++)
        error = fmax(error, fabs(rod[i] - pow(cos(rod_angle), STEPS) * sin(i * rod_angle)));
    for (int i = 1; i <= CELLS; i++) {
        double right = 1 + pow(cos(ring_angle), STEPS) * sin((me * CELLS + i) * ring_angle);
        error = fmax(error, fabs(ring[i] - right));
        total += ring[i];
        part += ring[i];
    }

    /* Of all nodes, and of the first half, which is a team of its own while it executes the task. */
#pragma xmp reduction(+: total)
#pragma xmp reduction(max: error)
#pragma xmp task on p[0:half]
    {
#pragma xmp reduction(+: part)
    }

    const int right = error < 1e-12 && fabs(total - images * CELLS) < 1e-9;
#pragma xmp task on p[0]
    printf("%d nodes: heat of the ring %.3f, of the first %d nodes %.3f, largest error %.1e: %s\n", images, total, half, part, error,
           right ? "PASS" : "FAIL");
    return right ? 0 : 1;
}
