# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The tutorial, line by line as a reader of it would type it."""

from pathlib import Path

import pytest

from harness import document, jdbc

DOCS = Path(__file__).parent.parent / "docs"


def test_the_tutorial_works_as_it_is_written(tmp_path):
    page = document.with_ports((DOCS / "tutorial.md").read_text(), ["8090", "9001", "8091"])
    printed = document.run(page, tmp_path)
    assert len(printed) > 15, "blocks got lost"
    for block, said in printed:
        assert block.output is None or document.matches(block.output, said), (
            f"line {block.line}:\n{block.commands}\nprinted\n{said}\ninstead of\n{block.output}"
        )
    # The sentence that the page is named for.
    assert any("xnxnnnxnnn0147" in said for _, said in printed)


def gateway_page():
    """The page of the gateway behind the steps of the tutorial that it goes on from; and where its Java begins."""
    tutorial = (DOCS / "tutorial.md").read_text().split("## 10. Take it away again")[0]
    page, java = (DOCS / "gateway.md").read_text().split("\n## JDBC\n")
    java, end = java.split("\n## The end\n")
    return tutorial + page, java, end + "\n```sh\nkill $SERVER\nwait $SERVER || true\n```\n"


def check_gateway_page(text, tmp_path):
    page = document.with_ports(text, ["8090", "9001", "8091", "8815"])
    for block, said in document.run(page, tmp_path):
        assert block.output is None or document.matches(block.output, said), (
            f"line {block.line}:\n{block.commands}\nprinted\n{said}\ninstead of\n{block.output}"
        )


def test_the_page_of_the_gateway_works_as_it_is_written(tmp_path):
    page, _, end = gateway_page()
    check_gateway_page(page + end, tmp_path)


@pytest.mark.jdbc
def test_the_java_of_the_page_of_the_gateway_works_as_it_is_written(tmp_path):
    jdbc.require()
    page, java, end = gateway_page()
    check_gateway_page(page + java + end, tmp_path)


def test_a_page_that_is_wrong_is_noticed(tmp_path):
    page = "```sh\necho one; echo two\n```\n\n```text\n{}\n```\n"
    for expected, right in [("one\ntwo", True), ("…two", True), ("one", False), ("two…", False), ("one…three", False)]:
        folder = tmp_path / str(abs(hash(expected)))
        folder.mkdir()
        [(block, said)] = document.run(page.replace("{}", expected), folder)
        assert document.matches(block.output, said) is right, expected
