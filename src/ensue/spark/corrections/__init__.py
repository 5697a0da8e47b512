"""Programs whose events are corrected: from announcements to publications that stay true, on Spark (§5)."""
