"""Context `latest`, which is no property of a node but a way to run a whole pattern: event by event."""
