"""The first evening of a new table: a guided check of about twenty minutes that ends in a page and a zip."""
