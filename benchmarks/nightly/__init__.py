"""Everything that takes hours: every attack of `benchmarks.safety` to its end, and the property tests on new examples.

The work is cut into parts of seconds to minutes, each of which runs in a process of its own with a time limit. What a
part found is written down at once, so that a run that was interrupted goes on where it stopped.
"""
