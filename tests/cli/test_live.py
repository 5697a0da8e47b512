"""What `ensue run` says of a program with corrections while it goes."""

from ensue.cli._live import so_far
from ensue.spark.corrections.keeping import About


def test_what_became_of_announcements_is_told_where_it_is_unusual():
    outcomes = {"announced": 2, "repeated": 1, "after the lifespan of its event": 3, "detected in the future": 1}
    about = About(4, 0, outcomes=outcomes, told={"X": {"on time": 2}}, coming=1, open={"X": 3, "Y": 1})
    assert so_far(about) == (
        "up to 1970-01-01T00:00:00Z, 6 announcements (3 after the lifespan of its event, 1 detected in the future) and"
        " 2 publications so far, 4 open partial matches, 1 events to come"
    )
