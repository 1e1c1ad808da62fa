# SPDX-License-Identifier: Apache-2.0
"""What mkdocs does with each page: links to files outside docs/, which the site does not have, become plain text."""

import re


def on_page_markdown(markdown, page, **_):
    depth = page.file.src_uri.count("/")
    outside = re.compile(r"\[([^\]]*)\]\((?:\.\./){%d}[^)]*\)" % (depth + 1))
    return outside.sub(r"\1", markdown)
