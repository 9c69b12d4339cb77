"""Uses the client that was generated from the document: imports, makes a form and a link, answers, and reads all reports.

generated_client.py URL API_KEY SECRET_KEY
"""

import datetime
import sys
import time

from generated import Client
from generated.api.form import create_form, publish_form
from generated.api.link import create_link, create_plain_link, read_link
from generated.api.public import submit_answers
from generated.api.report import (
    form_report,
    form_report_of,
    list_comments,
    list_comments_of,
    list_feedbacks,
    list_feedbacks_of,
    overview,
    summary,
    summary_of,
)
from generated.api.sms import import_sms, read_batch, read_recipient
from generated.models import AnswersRequest, FormRequest, LinkRequest, Problem, Record, Records

BUS_PROP = "store:Berlin"


def got(answer):
    """What an operation answers, if that is no problem."""
    assert answer is not None and not isinstance(answer, Problem), answer
    return answer


def eventually(condition):
    """Waits for a condition, for half a minute."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "not within half a minute"
        time.sleep(0.05)


def import_a_record(client):
    record = Record.from_dict({"docid": "A1", "phone": "+4915112345678", "store_code": "S1"})
    accepted = got(import_sms.sync(client=client, body=Records(data=[record])))
    assert (accepted.accepted, accepted.rejected) == (1, 0), accepted
    read = lambda: got(read_batch.sync(accepted.batch_id, client=client))
    eventually(lambda: read().status == "completed")
    assert read().outcomes.created == 1, read()
    assert got(read_recipient.sync("A1", client=client)).phone == "+4915112345678"


def make_a_form(client):
    request = {
        "title": "How was it?",
        "bus_props": [BUS_PROP],
        "fields": [
            {"key": "recommend", "type": "nps", "label": "Would you recommend us?"},
            {"key": "more", "type": "comment", "label": "Anything else?"},
        ],
    }
    form = got(create_form.sync(client=client, body=FormRequest.from_dict(request)))
    return got(publish_form.sync(form.form_id, client=client)).form_id


def answer_through_a_link(client, form_id):
    got(create_plain_link.sync(form_id, client=client))
    tracked = LinkRequest(track_field=["order=4711"])
    link = got(create_link.sync(form_id, "1", client=client, body=tracked))
    assert link.track_fields.to_dict() == {"order": "4711"}, link
    answers = AnswersRequest.from_dict({"answers": {"recommend": 9, "more": "a word"}})
    got(submit_answers.sync(link.token, client=client, body=answers))
    eventually(lambda: got(read_link.sync(link.token, client=client)).responses == 1)


def read_all_reports(client, form_id):
    today = datetime.datetime.now(datetime.timezone.utc).date()
    days = (today - datetime.timedelta(days=1), today + datetime.timedelta(days=1))
    eventually(lambda: got(overview.sync(*days, client=client)).metrics.responses == 1)
    for report in [
        form_report.sync(form_id, *days, client=client),
        form_report_of.sync(form_id, *days, BUS_PROP, client=client),
        summary.sync(*days, form_id, client=client),
        summary_of.sync(*days, form_id, BUS_PROP, client=client),
    ]:
        assert got(report).metrics.responses == 1, report
    tracked = ["order=4711"]
    for listed in [
        list_feedbacks.sync(*days, form_id, client=client, track_field=tracked),
        list_feedbacks_of.sync(*days, form_id, BUS_PROP, client=client),
        list_comments.sync(*days, form_id, client=client),
        list_comments_of.sync(*days, form_id, BUS_PROP, client=client),
    ]:
        assert got(listed).total == 1 and len(listed.items) == 1, listed


if __name__ == "__main__":
    url, api_key, secret_key = sys.argv[1:]
    keys = {"x-api-key": api_key, "x-secret-key": secret_key}
    with Client(base_url=url, headers=keys, raise_on_unexpected_status=True) as client:
        import_a_record(client)
        form_id = make_a_form(client)
        answer_through_a_link(client, form_id)
        read_all_reports(client, form_id)
