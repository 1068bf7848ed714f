"""Writers, grouped by kind of file; `textbook.formats` lists them."""
