"""Each image reads a part of its neighbour's array."""
import numpy as np

import xmprt

me, images = xmprt.this_image(), xmprt.num_images()
a = xmprt.allocate(10)
a[:] = 100 * me + np.arange(10)
xmprt.sync()
theirs = xmprt.get(me % images + 1, a[7:9])
print(f"image {me} has read {theirs[0]:.0f} and {theirs[1]:.0f}")
sums = np.array([1.0, me])
xmprt.co_sum(sums)
if me == 1:
    print(f"{sums[0]:.0f} images, and their numbers add up to {sums[1]:.0f}")
for wrong in [lambda: xmprt.get(images + 1, a), lambda: xmprt.get(1, a[::2]), lambda: xmprt.co_sum(np.array([me]))]:
    try:
        wrong()
    except (RuntimeError, ValueError, TypeError) as error:
        if me == 1:
            print(error)
