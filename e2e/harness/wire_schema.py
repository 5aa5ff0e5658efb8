# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Every answer that a test or one of its clients receives is looked at: no `read-restrictions` object may have a form that
our JSON Schema of the wire does not allow."""

import json
from pathlib import Path

import jsonschema
import requests

_SCHEMA = Path(__file__).parents[2] / "fixtures" / "read-restrictions.schema.json"
# Addresses that serve wrong forms on purpose.
UNWATCHED = set()
VALIDATOR = jsonschema.Draft202012Validator(json.loads(_SCHEMA.read_text()))


def check(answer):
    """Asserts the form of every member `read-restrictions` anywhere in the answer."""
    if isinstance(answer, dict):
        if answer.get("read-restrictions") is not None:
            problems = [problem.message for problem in VALIDATOR.iter_errors(answer["read-restrictions"])]
            assert not problems, f"not in the form of the wire: {problems}"
        for member in answer.values():
            check(member)
    elif isinstance(answer, list):
        for element in answer:
            check(element)


def watch(patch):
    """Looks at every answer that anything in this process receives by `requests`, PyIceberg included."""
    send = requests.Session.send

    def checked(session, request, **options):
        response = send(session, request, **options)
        if any(request.url.startswith(address) for address in UNWATCHED):
            return response
        if not options.get("stream") and "json" in response.headers.get("Content-Type", "") and response.content:
            check(response.json())
        return response

    patch.setattr(requests.Session, "send", checked)
