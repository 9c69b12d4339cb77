"""What no document can say of a valid request, for schemathesis."""

import datetime
import itertools
import json
import pathlib

import schemathesis

MOST_DAYS = 1_830
KEYS = (f"key-{number}" for number in itertools.count())
FORM = json.loads(pathlib.Path("forms.dict").read_text().splitlines()[0])
CAMPAIGNS = (
    "POST /api_v1/sms/campaign",
    "POST /api_v1/sms/campaign/preview",
    "PUT /api_v1/sms/campaign/{campaign_id}",
)
TEXTS = {
    "text/csv": b"docid,phone,area_code\r\nC1,+491701234567,030\r\n",
    "application/x-ndjson": b'{"docid":"N1","phone":"+491701234567"}\n',
}


@schemathesis.hook
def before_call(context, case, _):
    """Mends a valid request that would be refused for what the service holds, or for what two values are together."""
    # An HTTP library refuses such headers before any service sees them.
    for name, value in (case.headers or {}).items():
        if isinstance(value, str):
            case.headers[name] = "".join(letter for letter in value if letter >= " " and letter != "\x7f")
    # Links to others name its first business property.
    if case.operation.label == "POST /api_v1/form" and isinstance(case.body, dict) and case.body.get("bus_props", []) == []:
        case.body["bus_props"] = ["store:Berlin"]
    # Test messages have the fields of these recipients.
    erased = case.path_parameters if case.operation.label == "DELETE /api_v1/sms/recipient/{docid}" else {}
    if erased and erased.get("docid") in ("A-0", "A-1"):
        erased["docid"] = "A-2"
    if case.operation.label == "DELETE /api_v1/sms/recipient" and case.query:
        case.query["phone"] = "+4915199887766"
    if case.meta is None or case.meta.generation.mode.is_negative:
        return
    path, query, headers, body = case.path_parameters, case.query, case.headers, case.body
    if path and "start_date" in path and "end_date" in path:
        path.update(fitting(path["start_date"], path["end_date"]))
        # What is changed is judged anew, and must not be percent-encoded.
        path.update({"bus_prop": "store:Berlin"} if "bus_prop" in path else {})
    if query:
        # Days begin before they end, and are not too many.
        ends = [query[name] for name in ("from", "to") if name in query]
        if ends:
            days = fitting(ends[0], ends[-1])
            query.update({"from": days["start_date"], "to": days["end_date"]})
        # A cursor is what a list gave.
        query.pop("cursor", None)
        # A time begins before it ends.
        if "created_from" in query:
            query.pop("created_to", None)
        # An answer is one that the form asks for.
        if "answer" in query:
            query["answer"] = "recommend=9"
        one_name(query)
        if case.operation.label == "POST /api_v1/sms/import":
            case.body = mend_import(query, headers, body)
    # An idempotency key belongs to one body.
    if headers and "Idempotency-Key" in headers:
        headers["Idempotency-Key"] = next(KEYS)
    if case.media_type in TEXTS:
        case.body = TEXTS[case.media_type]
    elif isinstance(body, dict):
        case.body = body = whole(case.body)
        one_name(body)
        # A link ends in a time to come.
        body.pop("expires_at", None)
        if case.operation.label == "PUT /api_v1/account":
            body.update({"name": "Acme", "logo": "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=", "language": "de"})
        if case.operation.label == "POST /api_v1/report/share":
            tomorrow = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=1)
            body.update({"path": "/dashboard?days=30", "expires_at": tomorrow.strftime("%Y-%m-%dT%H:%M:%SZ")})
        if case.operation.label in ("POST /api_v1/form", "PUT /api_v1/form/{form_id}"):
            mend_form(body)
        if case.operation.label in CAMPAIGNS:
            mend_campaign(body)
        # What a template is, no schema can say; it is also looked at where a campaign is made.
        if case.operation.label == "POST /api_v1/sms/campaign/preview":
            body.update({"text": "How was it? {link}", "sender": "demo", "audience": {"on_import": True}})
            body.pop("reminder", None)
        if case.operation.label == "POST /api_v1/sms/campaign/{campaign_id}/test":
            body["docid"] = "A-0"


def fitting(start, end):
    """A range begins before it ends, and is not too long."""
    start, end = sorted([datetime.date.fromisoformat(start), datetime.date.fromisoformat(end)])
    longest = min(MOST_DAYS - 1, (datetime.date.max - start).days)
    return {"start_date": str(start), "end_date": str(min(end, start + datetime.timedelta(days=longest)))}


def whole(value):
    """40.0 is a whole number of JSON Schema, and none of the service."""
    if isinstance(value, dict):
        return {name: whole(member) for name, member in value.items()}
    if isinstance(value, list):
        return [whole(element) for element in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def one_name(pairs):
    """No tracking field comes twice."""
    for name in ("track_field", "field"):
        if isinstance(pairs.get(name), list):
            del pairs[name][1:]


def mend_form(form):
    """Nothing comes twice, a link is one, a business property has the id that the form gave it, and the only field depends on none."""
    form["bus_props"] = ["store:Berlin"]
    form["fields"] = [first for first in (form.get("fields") or [])[:1] if first["key"] != "visit"]
    # A brace in a text is one, and no text is translated into the form's own language.
    form.pop("piping", None)
    form.pop("language", None)
    for link in form.get("links") or []:
        link["url"] = "https://example.com/imprint"
    for field in form["fields"]:
        field.pop("show_if", None)
        if "options" in field:
            del field["options"][1:]


def mend_import(query, headers, body):
    """A preview has no key; a country is one that there is, where the phone is possible; a column is one of the body."""
    if query.get("preview") in (True, "true"):
        (headers or {}).pop("Idempotency-Key", None)
    for column in ("docid_column", "phone_column"):
        if column in query:
            query[column] = column.removesuffix("_column")
    query.pop("skip_column", None)
    if "country" not in query:
        return body
    query["country"] = "DE"
    return {"data": [{"docid": "J1", "phone": "+491701234567"}]}


def mend_campaign(campaign):
    """Its form is there, its window opens before it closes, and what has a number a day is one of its business properties. A
    share has few decimals."""
    # Its sender has no price.
    campaign.pop("budget", None)
    campaign["form_id"] = FORM
    window = campaign.get("send_window")
    if window and window.get("from", "09:00") >= window.get("to", "20:00"):
        window.update({"from": "09:00", "to": "20:00"})
    if campaign.get("sample"):
        campaign["sample"] = 0.2
    if campaign.get("per_day"):
        groups = campaign.get("bus_props_from") or {}
        campaign["per_day"] = {name: most for name, most in campaign["per_day"].items() if name in groups}


@schemathesis.serializer("text/csv", "application/x-ndjson")
def text(context, value):
    return value if isinstance(value, bytes) else str(value).encode()
