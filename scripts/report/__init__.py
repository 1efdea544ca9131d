"""What scripts/assay-report is made of: stream (reading), forms (JUnit and others), compare (two runs), fleet (many)."""
