"""Lists as their publishers give them, made into announcements: one module for each list.

An announcement is what a source of a program with corrections gives: `type` is the class, `op` what happens to the
event, `time` when it occurs and `detected` when that was learnt, both in milliseconds; the rest are attributes.
"""
