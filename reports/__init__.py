"""How results are shown: HTML pages and files of figures, from the JSON that `ridgeline report`
writes."""
