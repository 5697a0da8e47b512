"""Programs on Spark: from the sources that its classes name, through the patterns, to history tables and sinks."""
