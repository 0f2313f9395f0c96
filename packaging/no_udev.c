/* The functions of libudev that the archive of hwloc refers to. hwloc asks udev for details of disks and network
   devices only, which xmprun does not look at, and reads /sys itself where there is no udev. With these the launcher does
   not depend on libudev.so. */
#include <stddef.h>

void *udev_new(void) { return NULL; }

void *udev_unref(void *udev) {
    (void)udev;
    return NULL;
}

void *udev_device_new_from_subsystem_sysname(void *udev, const char *subsystem, const char *name) {
    (void)udev, (void)subsystem, (void)name;
    return NULL;
}

const char *udev_device_get_property_value(void *device, const char *key) {
    (void)device, (void)key;
    return NULL;
}

void *udev_device_unref(void *device) {
    (void)device;
    return NULL;
}
