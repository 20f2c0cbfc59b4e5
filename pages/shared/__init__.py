"""What the pages share. A subfolder of pages/ is never taken for a page."""
