# A platform whose customers bring their own domains: docs/guides/stacks/django.md.
import base64, hashlib, hmac, json, os, secrets, sys, time, urllib.error, urllib.request
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse, HttpResponseForbidden, HttpResponseNotFound
from django.http.request import split_domain_port
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

EDGE_SECRET, WEBHOOK_SECRET, EDGES = (
    os.environ.get(name) or sys.exit(f"Set {name}.") for name in ("EDGE_SECRET", "WEBHOOK_SECRET", "EDGE_ADDRESSES")
)
# A key that is empty or cut short could be guessed.
WEBHOOK_KEY = base64.b64decode(WEBHOOK_SECRET.removeprefix("whsec_"), validate=True) or sys.exit("Set WEBHOOK_SECRET.")
SITES = {}  # the customer of each name, in place of your database


def edge_middleware(get_response):
    """Requests from the edge are for customers' sites, whatever their path."""
    return lambda request: show_site(request) if is_from_edge(request) else get_response(request)


def is_from_edge(request):
    """During a rotation the edge sends two secrets: "NEW, OLD"."""
    sent = request.headers.get("Nameplate-Edge-Secret", "").split(", ")
    has_secret = any(hmac.compare_digest(each.encode(), EDGE_SECRET.encode()) for each in sent)
    return has_secret and request.META["REMOTE_ADDR"] in EDGES.split(",")


def show_site(request):
    host, _ = split_domain_port(request.get_host())
    if host not in SITES:
        return HttpResponseNotFound()
    text = f"The site of {SITES[host]}, at {host}, for {request.headers['X-Real-IP']}.\n"
    return HttpResponse(text, content_type="text/plain")


@csrf_exempt  # the signature takes the place of the token
@require_POST
def receive(request):
    event_id, timestamp, sent = (request.headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    digest = hmac.digest(WEBHOOK_KEY, f"{event_id}.{timestamp}.".encode() + request.body, hashlib.sha256)
    signature = b"v1," + base64.b64encode(digest)
    is_signed = any(hmac.compare_digest(each.encode(), signature) for each in sent.split())
    if not is_signed or abs(time.time() - int(timestamp)) > 300:
        return HttpResponse(status=400)
    event = json.loads(request.body)
    name, customer = event["data"].get("domain", {}).get("domain"), event["data"].get("externalId")
    if event["type"] == "domain.verified":
        SITES[name] = customer
    if event["type"] == "domain.deleted" and SITES.get(name) == customer:
        del SITES[name]
    return HttpResponse(status=204)


@csrf_exempt  # this example has no form: yours has one, with its token
@require_POST
def add_domain(request):
    domain, customer = request.POST.get("domain", "").lower(), request.headers.get("X-Customer")
    if customer is None:  # your own sign-in takes its place
        return HttpResponse(status=401)
    try:
        if SITES.get(domain) != customer:
            new = {"environment": os.environ["ENVIRONMENT_ID"], "externalId": customer, "replaceUnverified": True}
            call("domains.createDomain", {"domain": domain, **new})
            SITES[domain] = customer
        link = call("domains.createSetupLink", {"domain": domain})
    except urllib.error.HTTPError as refused:
        if refused.code not in (400, 409):
            raise
        return HttpResponse(json.load(refused)["error"]["detail"], status=refused.code)
    return HttpResponse(status=303, headers={"Location": link["url"]})


def call(operation, body):
    """A call without a response is repeated with the same Idempotency-Key, so that it happens once."""
    headers = {"Authorization": "Bearer " + os.environ["NAMEPLATE_ROOT_KEY"], "Content-Type": "application/json"}
    headers["Idempotency-Key"] = secrets.token_hex()
    url = f"{os.environ['NAMEPLATE_URL']}/v2/{operation}"
    for attempts_left in (2, 1, 0):
        try:
            request = urllib.request.Request(url, json.dumps(body).encode(), headers)
            return json.load(urllib.request.urlopen(request, timeout=30))["data"]
        except OSError as error:
            if isinstance(error, urllib.error.HTTPError) or attempts_left == 0:
                raise


urlpatterns = [path("webhooks/nameplate", receive), path("domains", add_domain)]
handler404 = lambda request, exception: HttpResponseForbidden("Forbidden")
settings.configure(
    ALLOWED_HOSTS=["*"],  # customers' names are not known in advance
    MIDDLEWARE=["__main__.edge_middleware"],
    ROOT_URLCONF="__main__",
    SECRET_KEY=secrets.token_hex(),  # your project has its own
)
execute_from_command_line()
