from __future__ import annotations

import json
import sys
from typing import Any, Callable, Dict, Union, cast

from client import (
    Client,
    DatarunError,
    Failed,
    Found,
    NotFound,
    Succeeded,
    dfunc_contact_check,
    example_bureau__company_report,
    google__phone_number,
    hibp__breached_account,
    ibantools__bank_account,
    iptoasn__ip_country,
    resume,
    retryable,
    GooglePhoneNumberOutput,
)

url, token, workflow, stub, closed, is_mock = sys.argv[1:]
datarun = Client(url, token, workflow)


def say(result: Union[Found[GooglePhoneNumberOutput], NotFound, Failed, None]) -> str:
    """How a result narrows."""
    if result is None:
        return "not asked"
    if isinstance(result, Failed):
        return f"failed {result.failure.kind if result.failure else None}"
    if isinstance(result, NotFound):
        return f"no record {result.output}"
    return result.output["e164"]


def refusal(ask: Callable[[], object]) -> Dict[str, object]:
    """What is known of a request that has no answer."""
    try:
        ask()
    except DatarunError as error:
        return {
            "code": error.code,
            "status": error.status,
            "request": None if error.request_id is None else error.request_id[:4],
            "details": [detail["path"] for detail in error.details],
            "mine": "invented" if len(error.client_request_id) > 30 else error.client_request_id,
            "retryable": error.retryable,
            "mayHaveRun": error.may_have_run,
        }
    return {}


phone = google__phone_number({"phone": "+44 20 7946 0958"})
answer = datarun.data(
    phone,
    iptoasn__ip_country({"ip": "10.0.0.1"}),
    ibantools__bank_account({"iban": ""}),
    context="test",
    request_id=f"found-{is_mock}",
)
ip, iban = answer[iptoasn__ip_country], answer[ibantools__bank_account]
run = datarun.func(dfunc_contact_check({"phone": "+44 20 7946 0958"})).result
wrong = Client(url, "drt_wrong", workflow)
stubbed = Client(stub, token, workflow)
for _ in range(5):
    refusal(lambda: stubbed.data(phone))
seen: Dict[str, object] = {
    "found": say(answer[google__phone_number]),
    "noRecord": [ip.success, ip.match],
    "failed": iban.failure.kind if isinstance(iban, Failed) and iban.failure else None,
    "retryable": retryable(answer),
    "resume": resume(answer),
    "context": answer.config["context"],
    "ids": [answer.transaction_id == answer.request_id, answer.client_request_id],
    "verdict": run.output["verdict"] if isinstance(run, Succeeded) else None,
    "401": refusal(lambda: wrong.data(phone)),
    "422": refusal(lambda: datarun.data(phone, context=cast(Any, "nonsense"))),
    "500": refusal(lambda: datarun.data()),
    "busy": refusal(lambda: stubbed.data(phone)),
    "odd": refusal(lambda: stubbed.data(phone, request_id="odd")),
    "cut": refusal(lambda: stubbed.data(phone, request_id="cut")),
    "never": refusal(lambda: stubbed.data(phone, request_id="never", timeout=0.2)),
    "closed": refusal(lambda: Client(closed, token, workflow).data(phone)),
}

if is_mock == "mock":
    email = cast(Any, {"email": "ada@example.com", "simulate": {"hibp__breached_account": "vendor_5xx"}})
    several = datarun.data(
        phone, hibp__breached_account(email), example_bureau__company_report({"company_number": "00000003"})
    )
    again = retryable(several)
    if again is not None:
        asked = datarun.send(again).results.get("google__phone_number")
        seen["again"] = [[question.source_id for question in again.questions], say(asked)]
    (order,) = resume(several)
    seen["order"] = [[question.source_id for question in order.questions], order.questions[0].inputs]
    report = datarun.send(order)[example_bureau__company_report]
    seen["report"] = report.output.get("name") if isinstance(report, Found) else None
print(json.dumps(seen))
