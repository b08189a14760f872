"""How results are shown: one HTML page and one PNG a figure from the JSON that `ridgeline report`
writes."""
