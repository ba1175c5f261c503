<?php
// A platform whose customers bring their own domains: docs/guides/stacks/laravel.md.
use Illuminate\Http\Client\ConnectionException;
use Illuminate\Http\Client\RequestException;
use Illuminate\Http\Middleware\TrustProxies;
use Illuminate\Http\RedirectResponse;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Http;
use Illuminate\Support\Facades\Route;
use Illuminate\Support\Str;

final class TrustEdge extends TrustProxies
{
    protected $headers = Request::HEADER_X_FORWARDED_FOR | Request::HEADER_X_FORWARDED_PROTO;

    protected function proxies()
    {
        return explode(',', setting('EDGE_ADDRESSES'));
    }
}

/** Requests from the edge are for customers' sites, whatever their path. */
final class ServeSites
{
    public function handle(Request $request, Closure $next)
    {
        // During a rotation the edge sends two secrets: "NEW, OLD".
        $sent = explode(', ', $request->header('Nameplate-Edge-Secret', ''));
        $hasSecret = collect($sent)->contains(fn ($secret) => hash_equals(setting('EDGE_SECRET'), $secret));
        if (!$hasSecret || !$request->isFromTrustedProxy()) return $next($request);
        [$name, $customer] = [$request->getHost(), customerOf($request->getHost())];
        if ($customer === null) return new Response('Not found', 404);
        return new Response("The site of $customer, at $name, for {$request->ip()}.\n", 200, ['Content-Type' => 'text/plain']);
    }
}

Route::post('/webhooks/nameplate', function (Request $request) {
    if (!isSigned($request)) return new Response('', 400);
    [$name, $customer] = [$request->json('data.domain.domain'), $request->json('data.externalId')];
    if ($request->json('type') === 'domain.verified') Cache::forever("site $name", $customer);
    if ($request->json('type') === 'domain.deleted' && customerOf($name) === $customer) Cache::forget("site $name");
    return new Response('', 204);
});

Route::post('/domains', function (Request $request) {
    [$domain, $customer] = [Str::lower($request->input('domain', '')), $request->header('X-Customer')];
    if ($customer === null) return new Response('', 401); // your own sign-in takes its place
    $new = ['environment' => setting('ENVIRONMENT_ID'), 'externalId' => $customer, 'replaceUnverified' => true];
    try {
        if (customerOf($domain) !== $customer) call('createDomain', ['domain' => $domain] + $new);
        Cache::forever("site $domain", $customer);
        return new RedirectResponse(call('createSetupLink', ['domain' => $domain])->json('data.url'), 303);
    } catch (RequestException $refused) {
        if (!in_array($refused->response->status(), [400, 409])) throw $refused;
        return new Response($refused->response->json('error.detail'), $refused->response->status());
    }
});

Route::any('{path}', fn () => new Response('Forbidden', 403))->where('path', '.*');

/** The customer of a name. The cache takes the place of your database. */
function customerOf(?string $name): ?string
{
    return Cache::get("site $name");
}

function isSigned(Request $request): bool
{
    [$id, $time, $signatures] = array_map(fn ($name) => $request->header("webhook-$name", ''), ['id', 'timestamp', 'signature']);
    // Strict: a key that is empty or cut short could be guessed.
    $key = base64_decode(Str::after(setting('WEBHOOK_SECRET'), 'whsec_'), true)
        ?: throw new RuntimeException('Set WEBHOOK_SECRET.');
    $signature = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.{$request->getContent()}", $key, true));
    $isNew = abs(time() - (int) $time) < 300;
    return $isNew && collect(explode(' ', $signatures))->contains(fn ($each) => hash_equals($signature, $each));
}

/** A call without a response is repeated with the same Idempotency-Key, so that it happens once. */
function call(string $operation, array $input): Illuminate\Http\Client\Response
{
    return Http::withToken(setting('NAMEPLATE_ROOT_KEY'))->withHeaders(['Idempotency-Key' => (string) Str::uuid()])
        ->retry(3, 100, fn ($error) => $error instanceof ConnectionException)
        ->post(setting('NAMEPLATE_URL') . "/v2/domains.$operation", $input);
}

function setting(string $name): string
{
    return env($name) ?: throw new RuntimeException("Set $name.");
}
