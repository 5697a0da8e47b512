"""The demos: real events and a program for each, run on Spark as `ensue run` would run them."""
