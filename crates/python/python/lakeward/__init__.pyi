# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0

from collections.abc import Sequence
from datetime import date, datetime
from os import PathLike
from types import TracebackType
from typing import TypeAlias, final

Parameter: TypeAlias = None | bool | int | float | str | bytes | date | datetime

__all__ = [
    "AuthenticationError",
    "ConfigurationError",
    "Connection",
    "Error",
    "LimitError",
    "QueryError",
    "RefusedError",
    "Rows",
    "TableUse",
    "UnreachableError",
    "__version__",
    "connect",
]

__version__: str

class Error(Exception): ...
class ConfigurationError(Error): ...
class UnreachableError(Error): ...
class AuthenticationError(Error): ...
class RefusedError(Error): ...
class QueryError(Error): ...
class LimitError(Error): ...

@final
class TableUse:
    @property
    def name(self) -> str: ...
    @property
    def filtered(self) -> bool: ...
    @property
    def masks(self) -> list[tuple[str, str]]: ...

@final
class Rows:
    @property
    def columns(self) -> list[str]: ...
    @property
    def tables(self) -> list[TableUse] | None: ...
    def close(self) -> None: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Connection:
    def __init__(
        self,
        address: str,
        *,
        user: str | None = None,
        password: str | None = None,
        token: str | None = None,
        authority: str | PathLike[str] | None = None,
        identity: str | PathLike[str] | None = None,
        catalog: str | None = None,
        schema: str | None = None,
        timeout: float = 600.0,
        memory: int = 2048,
    ) -> None: ...
    def sql(self, query: str, parameters: Sequence[Parameter] | None = None) -> Rows: ...
    def close(self) -> None: ...
    def __enter__(self) -> Connection: ...
    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

def connect(
    address: str,
    *,
    user: str | None = None,
    password: str | None = None,
    token: str | None = None,
    authority: str | PathLike[str] | None = None,
    identity: str | PathLike[str] | None = None,
    catalog: str | None = None,
    schema: str | None = None,
    timeout: float = 600.0,
    memory: int = 2048,
) -> Connection: ...
