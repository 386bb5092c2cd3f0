"""Picture files: loading, scaling, saving, and drawing readings on them."""
