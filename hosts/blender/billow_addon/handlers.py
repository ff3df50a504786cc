# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at running bakes a few times a second, and shows their frames as they come."""
import bpy

from . import estimate, load

watched = []


class Watch:
    def __init__(self, begun, domain):
        self.job, self.domain, self.volume, self.shown = begun, domain.name, "", 0

    def wants_frames(self):
        domain = bpy.data.objects.get(self.domain)
        return domain is None or domain.billow.load

    def look(self):
        """1: it goes on."""
        ended = self.job.code is not None
        try:
            if self.job.written > self.shown and (ended or self.wants_frames()):
                self.show(ended)
        except Exception as why:  # what is raised here would end the timer, and leave the status bar as it is
            self.job.message, self.shown = self.job.message or str(why), self.job.written
        return not ended

    def show(self, ended):
        written = self.job.written
        volume = bpy.data.objects.get(self.volume)  # by name: somebody may have deleted it
        if ended:
            estimate.known.pop(self.domain, None)  # it has been measured now
        if volume is None or ended:
            self.volume = load.show(self.job.folder).name
        else:
            load.lengthen(volume, written)
        self.shown = written


def watch(begun, domain):
    watched.append(Watch(begun, domain))
    if not bpy.app.timers.is_registered(tick):
        bpy.app.timers.register(tick, first_interval=0.3)


def tick():
    watched[:] = [w for w in watched if w.look()]
    redraw()
    return 0.5 if watched else None


def redraw():
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "PROPERTIES":
                area.tag_redraw()
        window.workspace.status_text_set(status())


def status():
    """For the status bar; None: nothing is baked."""
    texts = [f"Billow: {w.domain}, frame {w.job.done} of {w.job.total}{left(w.job)}" for w in watched if w.job.total]
    return "   ".join(texts) or None


def left(running):
    return "" if not running.left else ", %d:%02d left" % divmod(int(running.left + 0.5), 60)


@bpy.app.handlers.persistent
def forget(*_):
    """Another file was opened: what bakes goes on by itself."""
    watched.clear()
    estimate.forget()


def register():
    estimate.tell = redraw
    bpy.app.handlers.load_pre.append(forget)


def unregister():
    bpy.app.handlers.load_pre.remove(forget)
    if bpy.app.timers.is_registered(tick):
        bpy.app.timers.unregister(tick)
    watched.clear()
