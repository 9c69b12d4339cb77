"""What the providers' own libraries send and sign.

    providers.py send ADDRESS MESSAGE   posts the message to http://ADDRESS, once as Twilio's library and once as Vonage's do
    providers.py sign REQUESTS          prints the headers and form of each callback, signed

MESSAGE and REQUESTS are JSON.
"""

import datetime
import json
import sys

from standardwebhooks import Webhook
from twilio.http.http_client import TwilioHttpClient
from twilio.request_validator import RequestValidator
from twilio.rest import Client
from vonage_http_client import Auth, HttpClient, HttpClientOptions
from vonage_sms import Sms, SmsMessage


class Redirected(TwilioHttpClient):
    """Twilio's client, for a server of the test's."""

    def __init__(self, address: str):
        super().__init__()
        self.address = address

    def request(self, method, url, *arguments, **named):
        return super().request(method, url.replace("https://api.twilio.com", f"http://{self.address}"), *arguments, **named)


def send(address: str, message: dict) -> None:
    twilio = Client(message["sid"], message["token"], http_client=Redirected(address))
    twilio.messages.create(**message["twilio"])
    vonage = HttpClient(Auth(api_key=message["key"], api_secret=message["secret"]), HttpClientOptions(rest_host=address))
    post = vonage._session.request
    vonage._session.request = lambda **named: post(**named | {"url": named["url"].replace("https://", "http://")})
    Sms(vonage).send(SmsMessage(**message["vonage"]))


def sign(request: dict) -> dict:
    kind, secret, body = request["kind"], request["secret"], request["body"]
    if kind == "twilio":
        signature = RequestValidator(secret).compute_signature(request["url"], body)
        return {"headers": {"x-twilio-signature": signature}, "form": body}
    if kind == "vonage":
        auth = Auth(api_key="key", signature_secret=secret, signature_method=request["method"])
        return {"headers": {}, "form": body | {"sig": auth.sign_params(body)}}
    now = datetime.datetime.now(datetime.timezone.utc)
    signature = Webhook(secret).sign("msg_1", now, body)
    headers = {"webhook-id": "msg_1", "webhook-timestamp": str(int(now.timestamp())), "webhook-signature": signature}
    return {"headers": headers, "body": body}


if sys.argv[1] == "send":
    send(sys.argv[2], json.loads(sys.argv[3]))
else:
    print(json.dumps([sign(request) for request in json.loads(sys.argv[2])]))
