"""Demos in Sphinx: the package's folder is copied as it is, and its script is named once."""

project = "Demos in Sphinx"
html_theme = "furo"
html_extra_path = ["extra"]
exclude_patterns = ["extra"]
# the address is relative to _static
html_static_path = ["static"]
# Furo's switch changes colours, but not the page's color-scheme
html_css_files = ["demo.css"]
html_js_files = [("../ffviz-demo/define.js", {"type": "module"})]
