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
try:
    xmprt.get(images + 1, a)
except RuntimeError as error:
    if me == 1:
        print(error)
