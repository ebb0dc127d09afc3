"""What is the same in every client: requests, answers and errors. Standard library only."""

from __future__ import annotations

import http.client
import json
import select
import socket
import ssl
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Dict, Generic, List, Literal, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import urlsplit

Inputs = TypeVar("Inputs", contravariant=True)
Output = TypeVar("Output", covariant=True)
Credentials = TypeVar("Credentials", contravariant=True)

Context = Literal["prod", "test", "dev"]
Charged = Literal["yes", "no", "unknown"]

# Time for the way there and back, beyond the limit that the service itself sets for a run.
_MARGIN_S = 10.0
# A connection that was idle for longer is not used again: a proxy may have closed it.
_IDLE_S = 30.0
# Codes of refusals for which nothing was run, and which may be over soon.
_RETRYABLE = frozenset(("overloaded", "unavailable"))


class DatarunError(Exception):
    """What the service has refused, or why no answer has arrived."""

    code: str
    """A code of the service, such as `unauthenticated`, `invalid_request`, `overloaded` or `internal`; or `timeout`, `connection`, `unreadable`."""
    status: Optional[int]
    """The HTTP status; `None` if no answer has arrived."""
    request_id: Optional[str]
    """The request's id at the service; `None` if no answer has arrived."""
    client_request_id: str
    """The id that was sent with the request. The operator finds its run by it, if there is one."""
    details: List[Dict[str, str]]
    """What is wrong with the request, by JSON pointers into its body."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        client_request_id: str,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        details: Optional[List[Dict[str, str]]] = None,
        was_sent: bool = True,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.client_request_id = client_request_id
        self.details = details or []
        self._was_sent = was_sent

    @property
    def retryable(self) -> bool:
        """Whether the service is at its limit for now, and has run nothing."""
        return self.code in _RETRYABLE

    @property
    def may_have_run(self) -> bool:
        """Whether vendors may have been called, and may bill that."""
        return self._was_sent and not (self.request_id or "").startswith("req_")


@dataclass(frozen=True)
class Failure:
    """Why a source or a function failed."""

    kind: str
    retryable: bool
    """Whether another call may succeed without placing a second order. It can be billed again."""
    charged: Charged
    order_id: Optional[str] = None
    """The vendor's number of an order that it has accepted."""
    order_source: Optional[str] = None
    """The source of the order, if a function placed it."""
    resumable: bool = False
    """Whether `resume` can fetch the result of the order."""


@dataclass(frozen=True)
class Found(Generic[Output]):
    """The source has found a record."""

    output: Output
    message: str
    response_time_ms: int
    success: Literal[True] = True
    match: Literal[True] = True


@dataclass(frozen=True)
class NotFound:
    """The source has found no record, which is a valid result. Its output may say more."""

    output: Mapping[str, object]
    message: str
    response_time_ms: int
    success: Literal[True] = True
    match: Literal[False] = False


@dataclass(frozen=True)
class Failed:
    """The source did not complete."""

    failure: Optional[Failure]
    """`None` if `failure_details` of the workflow is turned off."""
    message: str
    response_time_ms: int
    success: Literal[False] = False
    match: Literal[False] = False


@dataclass(frozen=True)
class Succeeded(Generic[Output]):
    """The function has ended with success."""

    output: Output
    pipes: Mapping[str, object]
    message: str
    response_time_ms: int
    success: Literal[True] = True


@dataclass(frozen=True)
class FunctionFailed:
    """The function has failed. Its output may be partial."""

    failure: Optional[Failure]
    output: Mapping[str, object]
    pipes: Mapping[str, object]
    message: str
    response_time_ms: int
    success: Literal[False] = False


class Source(Generic[Inputs, Output, Credentials]):
    """A source. Call it with its inputs for a question to it."""

    def __init__(self, id: str, timeout_s: float, resume_input: str = "order_id") -> None:
        self.id = id
        self.timeout_s = timeout_s
        self.resume_input = resume_input

    def __call__(
        self, inputs: Inputs, *, credentials: Optional[Credentials] = None, cred_id: Optional[str] = None
    ) -> Question:
        """`cred_id` names a stored credential, `credentials` are the fields of one."""
        entry: Dict[str, object] = {}
        if credentials is not None:
            entry["credentials"] = credentials
        if cred_id is not None:
            entry["cred_id"] = cred_id
        return Question(self.id, _members(inputs), entry or True, self.timeout_s, self.resume_input)


class Function(Generic[Inputs, Output]):
    """A function. Call it with its inputs for a call that `Client.func` makes."""

    def __init__(self, id: str, timeout_s: float) -> None:
        self.id = id
        self.timeout_s = timeout_s


    def __call__(self, inputs: Inputs) -> FunctionCall[Output]:
        return FunctionCall(self.id, _members(inputs), self.timeout_s)


@dataclass(frozen=True)
class FunctionCall(Generic[Output]):
    """The inputs of one function."""

    function_id: str
    inputs: Mapping[str, object] = field(repr=False)
    timeout_s: float


@dataclass(frozen=True)
class Question:
    """The inputs of one source, and how its credential is chosen."""

    source_id: str
    inputs: Mapping[str, object] = field(repr=False)
    entry: object = field(repr=False)
    timeout_s: float
    resume_input: str


@dataclass(frozen=True)
class DataRequest:
    """A request to several sources. `Client.send` sends it."""

    questions: Tuple[Question, ...]
    context: Optional[Context] = None


@dataclass(frozen=True)
class DataAnswer:
    """The results of all requested sources. Index it with a source for its result."""

    transaction_id: str
    request_id: str
    """The request's id at the service, by which the operator finds it."""
    client_request_id: str
    """The id that was sent with the request."""
    config: Mapping[str, object] = field(repr=False)
    """`mode` is `simulated` if the data is invented."""
    response_time_ms: int
    request: DataRequest = field(repr=False)
    results: Mapping[str, Union[Found[Any], NotFound, Failed]]
    """All results, by the ids of their sources."""

    def __getitem__(self, source: Source[Any, Output, Any]) -> Union[Found[Output], NotFound, Failed]:
        return self.results[source.id]


@dataclass(frozen=True)
class FunctionAnswer(Generic[Output]):
    """The result of a function."""

    transaction_id: str
    request_id: str
    client_request_id: str
    config: Mapping[str, object] = field(repr=False)
    response_time_ms: int
    result: Union[Succeeded[Output], FunctionFailed]
    request: DataRequest = field(repr=False)
    """Only the sources whose credentials were sent with the call."""


def retryable(answer: DataAnswer) -> Optional[DataRequest]:
    """The request for exactly those sources whose failure is `retryable`; `None` if there are none.

    Wait before you send it, and longer each time: each call can be billed again.
    """
    again = tuple(
        question
        for question in answer.request.questions
        if _failure(answer.results.get(question.source_id)).retryable
    )
    return DataRequest(again, answer.request.context) if again else None


def resume(answer: Union[DataAnswer, FunctionAnswer[Any]]) -> List[DataRequest]:
    """For each order that is placed and can be fetched: the request that fetches its result, and orders nothing."""
    asked = {question.source_id: question for question in answer.request.questions}
    if isinstance(answer, DataAnswer):
        failures = [(id, _failure(result)) for id, result in answer.results.items()]
    else:
        failure = _failure(answer.result)
        failures = [] if failure.order_source is None else [(failure.order_source, failure)]
    requests: List[DataRequest] = []
    for id, failure in failures:
        if failure.resumable and failure.order_id is not None:
            known = asked.get(id) or Question(id, {}, True, 60.0, "order_id")
            inputs = {known.resume_input: failure.order_id}
            question = Question(id, inputs, known.entry, known.timeout_s, known.resume_input)
            requests.append(DataRequest((question,), answer.request.context))
    return requests


class Client:
    """Asks the service. It never repeats a request by itself, because each run can be billed. Threads may share it."""

    def __init__(
        self,
        url: str,
        token: str,
        workflow: str,
        *,
        timeout: Optional[float] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        """`timeout`: seconds to wait for an answer; by default 10 longer than the slowest source of a request may take."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url must begin with http:// or https:// and name a host")
        for name, value in (("token", token), ("workflow", workflow)):
            if not value:
                raise ValueError(f"{name} must not be empty")
        self._scheme, self._host, self._port = parts.scheme, parts.hostname, parts.port
        self._path = parts.path.rstrip("/")
        self._headers = {
            "Content-Type": "application/json",
            "X-Service-Access-Token": token,
            "X-Service-Workflow": workflow,
        }
        self._timeout = timeout
        self._ssl_context = ssl_context or (ssl.create_default_context() if parts.scheme == "https" else None)
        self._idle: List[Tuple[http.client.HTTPConnection, float]] = []
        self._lock = threading.Lock()

    def close(self) -> None:
        """Closes idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def data(
        self,
        *questions: Question,
        context: Optional[Context] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> DataAnswer:
        """Asks all these sources at once. Raises DatarunError.

        `request_id` is your own id of this request, 1 to 64 printable ASCII characters, new for each request. The
        operator finds the run by it, also if no answer has arrived. It does not prevent a second run.
        """
        return self.send(DataRequest(questions, context), request_id=request_id, timeout=timeout)

    def send(
        self, request: DataRequest, *, request_id: Optional[str] = None, timeout: Optional[float] = None
    ) -> DataAnswer:
        """Sends a request of `retryable` or `resume`. Raises DatarunError."""
        inputs: Dict[str, object] = {}
        if len({question.source_id for question in request.questions}) < len(request.questions):
            raise ValueError("a request asks each source once")
        for question in request.questions:
            for name, value in question.inputs.items():
                # All sources of a run get their inputs from one object.
                if name in inputs and inputs[name] != value:
                    raise ValueError(f"the input {name} has two values: send these sources in two requests")
                inputs[name] = value
        config: Dict[str, object] = {"sources": {one.source_id: one.entry for one in request.questions}}
        if request.context is not None:
            config["context"] = request.context
        limit = self._limit(timeout, [one.timeout_s for one in request.questions])
        body, found, sent = self._post("/data", {"config": config, "inputs": inputs}, limit, request_id)
        results = {id: _source_result(entry, body["outputs"][id]) for id, entry in body["status"].items()}
        return DataAnswer(
            transaction_id=body["transaction_id"],
            request_id=found,
            client_request_id=sent,
            config=body["config"],
            response_time_ms=body["response_time_ms"],
            request=request,
            results=results,
        )

    def func(
        self,
        call: FunctionCall[Output],
        *questions: Question,
        context: Optional[Context] = None,
        extra: Optional[Mapping[str, object]] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> FunctionAnswer[Output]:
        """Runs one function. Raises DatarunError.

        Of `questions`, only the credentials are used, for sources that the function asks. `extra` are further top-level
        fields, which are passed to the function.
        """
        config: Dict[str, object] = {"data_func": call.function_id}
        if questions:
            config["sources"] = {one.source_id: one.entry for one in questions}
        if context is not None:
            config["context"] = context
        sent_body: Dict[str, object] = dict(extra or {})
        sent_body.update(config=config, inputs=call.inputs)
        body, found, sent = self._post("/func", sent_body, self._limit(timeout, [call.timeout_s]), request_id)
        return FunctionAnswer(
            transaction_id=body["transaction_id"],
            request_id=found,
            client_request_id=sent,
            config=body["config"],
            response_time_ms=body["response_time_ms"],
            result=_function_result(body["status"][call.function_id], body["outputs"][call.function_id]),
            request=DataRequest(questions, context),
        )

    def _limit(self, timeout: Optional[float], limits: List[float]) -> float:
        own = timeout if timeout is not None else self._timeout
        return own if own is not None else max(limits, default=0.0) + _MARGIN_S

    def _post(
        self, path: str, body: Mapping[str, object], limit: float, request_id: Optional[str]
    ) -> Tuple[Dict[str, Any], str, str]:
        """Sends one request, once. Returns the answer, the service's id and the id that was sent."""
        sent = str(uuid.uuid4()) if request_id is None else request_id
        if not 1 <= len(sent) <= 64 or not all(" " <= char <= "~" for char in sent):
            raise ValueError("request_id must be 1 to 64 printable ASCII characters")
        text = json.dumps(body, allow_nan=False).encode()
        until = time.monotonic() + limit
        connection = self._connection()
        was_sent = False
        chunks: List[bytes] = []
        try:
            connection.timeout = limit
            if connection.sock is None:
                connection.connect()
            # The response takes the socket over if the connection does not stay open.
            sock = connection.sock
            _wait_until(sock, until)
            was_sent = True
            connection.request("POST", self._path + path, text, {**self._headers, "X-Request-Id": sent})
            _wait_until(sock, until)
            response = connection.getresponse()
            while True:
                chunk = response.read1(1 << 16)
                if not chunk:
                    break
                chunks.append(chunk)
                _wait_until(sock, until)
            if response.length:
                raise http.client.IncompleteRead(b"".join(chunks), response.length)
            # Read to its end, so that the connection can be used again.
            response.close()
        except (TimeoutError, socket.timeout) as error:
            connection.close()
            message = f"The service has not answered within {limit} s."
            raise DatarunError(message, code="timeout", client_request_id=sent, was_sent=was_sent) from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            message = "The connection failed before the answer was complete."
            raise DatarunError(message, code="connection", client_request_id=sent, was_sent=was_sent) from error
        except BaseException:
            connection.close()
            raise
        status, found = response.status, response.getheader("X-Request-Id")
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append((connection, time.monotonic()))
        try:
            answer: Dict[str, Any] = json.loads(b"".join(chunks))
        except ValueError as error:
            message = f"The answer with status {status} is not JSON."
            raise DatarunError(
                message, code="unreadable", status=status, request_id=found, client_request_id=sent
            ) from error
        if status == 200 and _is_answer(answer):
            return answer, found or "", sent
        refused = _members(_members(answer).get("error"))
        raise DatarunError(
            refused.get("message", f"The service answered with status {status}."),
            code=refused.get("code", "unreadable"),
            status=status,
            request_id=found,
            client_request_id=sent,
            details=refused.get("details"),
        )

    def _connection(self) -> http.client.HTTPConnection:
        """An idle connection that is still open, or a new one. Nothing is sent on one that the service has closed."""
        while True:
            with self._lock:
                if not self._idle:
                    break
                connection, since = self._idle.pop()
            sock = connection.sock
            if sock is not None and time.monotonic() - since < _IDLE_S and not select.select([sock], [], [], 0)[0]:
                return connection
            connection.close()
        if self._scheme == "https":
            return http.client.HTTPSConnection(self._host, self._port, context=self._ssl_context)
        return http.client.HTTPConnection(self._host, self._port)


def _wait_until(sock: Optional[socket.socket], until: float) -> None:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    if sock is not None:
        sock.settimeout(left)


def _is_answer(body: Any) -> bool:
    members = _members(body)
    return isinstance(members.get("status"), dict) and isinstance(members.get("outputs"), dict)


def _members(value: Any) -> Dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}  # pyright: ignore[reportUnknownArgumentType]


_NO_FAILURE = Failure(kind="", retryable=False, charged="no")


def _failure(result: object) -> Failure:
    found = getattr(result, "failure", None)
    return found if isinstance(found, Failure) else _NO_FAILURE


def _read_failure(entry: Mapping[str, Any]) -> Optional[Failure]:
    found = entry.get("failure")
    if found is None:
        return None
    return Failure(
        kind=found["kind"],
        retryable=found["retryable"],
        charged=found["charged"],
        order_id=found.get("order_id"),
        order_source=found.get("order_source"),
        resumable=found.get("resumable", False),
    )


def _source_result(entry: Mapping[str, Any], output: Any) -> Union[Found[Any], NotFound, Failed]:
    said = {"message": entry["message"], "response_time_ms": entry["response_time_ms"]}
    if not entry["success"]:
        return Failed(failure=_read_failure(entry), **said)
    return Found(output=output, **said) if entry["match"] else NotFound(output=output, **said)


def _function_result(entry: Mapping[str, Any], output: Mapping[str, Any]) -> Union[Succeeded[Any], FunctionFailed]:
    said = {
        "output": output["output"],
        "pipes": output["pipes"],
        "message": entry["message"],
        "response_time_ms": entry["response_time_ms"],
    }
    return Succeeded(**said) if entry["success"] else FunctionFailed(failure=_read_failure(entry), **said)
