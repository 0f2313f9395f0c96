# What gdb executes around the run of an image's program (crashes.rs, which sets `merge`).
import os
import signal

# Known only while gdb reads this file.
directory = os.path.dirname(__file__)
last_signal = None


def note(event):
    global last_signal
    last_signal = getattr(event, "stop_signal", None)


gdb.events.stop.connect(note)


def after():
    # The end of a crashed image ends the job, and gdb 13 crashes when it is terminated while it ends.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if not gdb.selected_thread():
        return
    stack = gdb.execute("backtrace 64", to_string=True)
    if merge:
        image = int(os.environ["XMP_JOB"].split(":")[1]) + 1
        place = os.path.join(directory, "image-%d" % image)
        with open(place + ".new", "w") as file:
            file.write("%s\n%s" % (last_signal or "stopped", stack))
        os.rename(place + ".new", place)
    else:
        gdb.write(stack)
        gdb.flush()
    gdb.execute("set confirm off")
    gdb.execute("kill", to_string=True)
    number = getattr(signal, last_signal or "", 0)
    gdb.execute("quit %d" % (128 + number if number else 1))
