"""Two networks: a detector that marks faces and a classifier that names each."""
