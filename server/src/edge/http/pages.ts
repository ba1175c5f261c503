/** Pages that the edge sends itself, without a response of an origin. Pure. */

import type { Brand } from '../../domain/brand.ts';
import { HSTS } from './hsts.ts';

export type PageName =
  /** No domain of ours has this name. */
  | 'unknown_host'
  /** Nothing has been deployed to the name's environment yet. */
  | 'not_deployed'
  /** The workspace or the operator has suspended the site. */
  | 'suspended'
  /** The site is suspended for legal reasons (RFC 7725). */
  | 'suspended_legally'
  /** The name is ours and has no certificate yet. */
  | 'not_certified'
  /** The origin refused or closed the connection, or has no address. */
  | 'origin_down'
  /** The edge does not connect to the origin's address, such as one on the operator's own network. */
  | 'origin_forbidden'
  /** The origin's response is not HTTP, or exceeds a limit. */
  | 'origin_invalid'
  /** The origin did not respond in time. */
  | 'origin_timeout'
  /** The request has passed this edge before: the origin leads back to it (RFC 5842 section 7.2). */
  | 'origin_loop'
  /** The origin's certificate is for another name, has expired, or is not trusted. */
  | 'origin_certificate'
  /** The origin redirects to the URL that was asked for. */
  | 'origin_redirect'
  /** There is no such challenge (RFC 8555 section 8.3). */
  | 'no_challenge'
  /** The request is for another name than the TLS connection (RFC 9110 section 15.5.20). */
  | 'misdirected'
  /** The store is down and the name is not cached, or a limit is reached. */
  | 'unavailable'
  | 'bad_request'
  | 'request_timeout'
  | 'header_too_large'
  /** No method that can be forwarded (RFC 9110 section 15.6.2). */
  | 'not_implemented'
  /** No HTTP/1.0, 1.1 or 2 (RFC 9110 section 15.6.6). */
  | 'version_unsupported';

export interface PageContext {
  /** Null: the request has none that could be shown. */
  hostname: string | null;
  requestId: string;
  /** The brand of the workspace whose site it is; null: none. */
  brand?: Brand | null;
  /** The request's `Accept`: pages are HTML, JSON or plain text. */
  accept: string | undefined;
  /** Value of `Strict-Transport-Security`; null or absent: without. */
  hsts?: string | null;
}

export interface EdgePage {
  status: number;
  /** Names in lower case, as HTTP/2 requires; with `content-length`. */
  headers: Record<string, string>;
  body: string;
}

interface Content {
  status: number;
  title: string;
  /** `{host}` stands for the name. */
  happened: string;
  advice: string;
  /** The error type of RFC 9209. */
  error: string;
  retryAfterSeconds?: number;
}

/** Who hosts a site, where its brand has no name. */
const SERVICE = 'the service that hosts it';

/** Visitors know the owner of a website; only its owner knows who hosts it. */
const TELL = 'If this persists, tell the owner of the website. If that is you, tell the service that hosts it.';

const PAGES: Record<PageName, Content> = {
  unknown_host: {
    status: 404,
    title: 'No site at this name',
    happened: '{host} points to this server, but no site is set up for it here.',
    advice:
      'If this is your domain, add it in the settings of the service that hosts your site, or change its DNS records.',
    error: 'destination_not_found',
  },
  not_deployed: {
    status: 503,
    title: 'Nothing here yet',
    happened: '{host} is connected, but its site has not been published yet.',
    advice:
      'Try again later. If this is your website, publish it at the service that hosts it: it then appears here within a second.',
    error: 'destination_not_found',
    retryAfterSeconds: 60,
  },
  suspended: {
    status: 503,
    title: 'This site is suspended',
    happened: '{host} is connected here, but the service that hosts it does not show it at the moment.',
    advice: 'If this is your website, ask the service that hosts it.',
    error: 'http_request_denied',
    retryAfterSeconds: 3600,
  },
  suspended_legally: {
    status: 451,
    title: 'Not available for legal reasons',
    happened: '{host} is connected here, but the service that hosts it does not show it, for legal reasons.',
    advice: 'If this is your website, ask the service that hosts it.',
    error: 'http_request_denied',
  },
  not_certified: {
    status: 503,
    title: 'Almost ready',
    happened: '{host} is connected, but has no certificate for secure connections yet.',
    advice:
      'This usually takes less than a minute: try again then. If it takes longer, tell the owner of the website. If that is you, ask the service that hosts it.',
    error: 'tls_certificate_error',
    retryAfterSeconds: 10,
  },
  origin_down: {
    status: 502,
    title: 'The site is not responding',
    happened: '{host} is set up correctly, but the server behind it could not be reached.',
    advice: `Try again in a few minutes. ${TELL}`,
    error: 'destination_unavailable',
  },
  origin_forbidden: {
    status: 502,
    title: 'The site cannot be reached',
    happened: 'The server behind {host} has an address that this service does not connect to.',
    advice:
      'Tell the owner of the website. If that is you, tell the service that hosts it: its server needs a public address.',
    error: 'destination_ip_prohibited',
  },
  origin_invalid: {
    status: 502,
    title: 'The site sent an invalid response',
    happened: 'The server behind {host} did not send a valid response.',
    advice: `Try again in a few minutes. ${TELL}`,
    error: 'http_protocol_error',
  },
  origin_timeout: {
    status: 504,
    title: 'The site takes too long to respond',
    happened: '{host} is set up correctly, but the server behind it did not respond in time.',
    advice: `Try again in a few minutes. ${TELL}`,
    error: 'http_response_timeout',
  },
  origin_loop: {
    status: 508,
    title: 'The site leads back to itself',
    happened: 'The server that is set up for {host} is this service again, so the request would go in circles.',
    advice:
      'Tell the owner of the website. If that is you, tell the service that hosts it: the origin of this site has to be the server that runs it, not a name that leads back here.',
    error: 'proxy_loop_detected',
  },
  origin_certificate: {
    status: 502,
    title: 'The site has a wrong certificate',
    happened: 'The server behind {host} could not prove who it is, so no request was sent to it.',
    advice:
      'Tell the owner of the website. If that is you, tell the service that hosts it: the certificate of its own server has to be fixed, not the one that browsers see.',
    error: 'tls_certificate_error',
  },
  origin_redirect: {
    status: 508,
    title: 'The site redirects to itself',
    happened: 'The server behind {host} redirects this address to the same address, so a browser would go in circles.',
    advice:
      'Tell the owner of the website. If that is you, tell the service that hosts it: its server has to accept requests that arrive over HTTPS here.',
    error: 'proxy_loop_detected',
  },
  no_challenge: {
    status: 404,
    title: 'No such challenge',
    happened: 'No certificate authority is validating {host} with this URL.',
    advice: 'URLs that begin like this one are reserved for issuing certificates.',
    error: 'destination_not_found',
  },
  misdirected: {
    status: 421,
    title: 'Wrong connection for this name',
    happened: 'The request was for {host}, but arrived on a secure connection for another name.',
    advice: 'Browsers retry by themselves. Other clients need to open a separate connection for each name.',
    error: 'http_request_denied',
  },
  unavailable: {
    status: 503,
    title: 'Try again in a moment',
    happened: 'This service cannot look up {host} at the moment.',
    advice: `Try again in a few seconds. ${TELL}`,
    error: 'proxy_internal_error',
    retryAfterSeconds: 5,
  },
  bad_request: {
    status: 400,
    title: 'The request is not valid',
    happened: 'The request does not follow the rules of HTTP.',
    advice: 'The program that sent it needs to be fixed. Browsers do not send such requests by themselves.',
    error: 'http_request_error',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    happened: 'Only a part of the request arrived within the time limit.',
    advice: 'Try again, on a better connection if you can.',
    error: 'http_request_error',
  },
  header_too_large: {
    status: 431,
    title: 'The request is too large',
    happened: 'The address or the header fields of the request are too long.',
    advice: 'Deleting the cookies of this site often helps.',
    error: 'http_request_error',
  },
  not_implemented: {
    status: 501,
    title: 'The method is not supported',
    happened: 'The request uses a method that this service does not know.',
    advice: 'The program that sent it needs to use another method. Browsers do not send such requests by themselves.',
    error: 'http_request_error',
  },
  version_unsupported: {
    status: 505,
    title: 'The version of HTTP is not supported',
    happened: 'The request is in a version of HTTP that does not exist on this connection.',
    advice: 'The program that sent it needs to use HTTP/1.1 or HTTP/2. Browsers do not send such requests.',
    error: 'http_request_error',
  },
};

export const PAGE_NAMES = Object.keys(PAGES) as PageName[];

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Renders a page in the form that the client prefers. */
export function renderPage(name: PageName, { hostname, requestId, accept, brand = null, hsts }: PageContext): EdgePage {
  const content = PAGES[name];
  const service = brand?.name ?? SERVICE;
  const happened = content.happened
    .replace('{host}', (_, at) => hostname ?? (at === 0 ? 'This name' : 'this name'))
    .replaceAll(SERVICE, () => service);
  const advice = content.advice.replaceAll(SERVICE, () => service);
  const text = { ...content, happened, advice, requestId, brand };
  const { type, render } = preferredForm(accept);
  const body = render(text);
  return {
    status: content.status,
    headers: {
      'content-type': type,
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      'content-security-policy': brand?.logo === undefined ? POLICY : `${POLICY}; img-src data:`,
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
      'proxy-status': `nameplate; error=${content.error}`,
      ...(hsts != null && { [HSTS]: hsts }),
      ...(content.retryAfterSeconds && { 'retry-after': String(content.retryAfterSeconds) }),
    },
    body,
  };
}

interface Text {
  status: number;
  title: string;
  happened: string;
  advice: string;
  requestId: string;
  brand: Brand | null;
}

interface Form {
  type: string;
  /** Media ranges of `Accept` that select it. */
  ranges: readonly string[];
  render(text: Text): string;
}

const PLAIN: Form = { type: 'text/plain; charset=utf-8', ranges: ['text/plain', '*/*'], render: plain };
/** In the order of preference among equals. */
const FORMS: readonly Form[] = [
  { type: 'text/html; charset=utf-8', ranges: ['text/html', 'application/xhtml+xml', 'text/*'], render: html },
  { type: 'application/json; charset=utf-8', ranges: ['application/json', 'application/*'], render: json },
  PLAIN,
];

/** Plain text where the client accepts none of the forms (RFC 9110 section 15.5.7). */
function preferredForm(accept: string | undefined): Form {
  const quality = new Map<string, number>();
  for (const range of (accept ?? '').slice(0, 1000).toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    quality.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const weightOf = ({ ranges }: Form) => Math.max(...ranges.map((range) => quality.get(range) ?? 0));
  const best = FORMS.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one));
  return weightOf(best) > 0 ? best : PLAIN;
}

function plain({ status, title, happened, advice, requestId, brand }: Text): string {
  const help = brand?.support === undefined ? '' : `Help: ${brand.support}\n`;
  return `${status} ${title}\n\n${happened}\n${advice}\n${help}\nRequest ${requestId}\n`;
}

/** The same envelope as errors of the API. */
function json({ status, title, happened, advice, requestId }: Text): string {
  return `${JSON.stringify({ meta: { requestId }, error: { title, detail: `${happened} ${advice}`, status } })}\n`;
}

function html(text: Text): string {
  const title = escaped(text.title);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}${coloursOf(text.brand)}</style>
<main>
${headOf(text.brand)}<p class="status">${text.status}</p>
<h1>${title}</h1>
<p>${escaped(text.happened)}</p>
<p>${escaped(text.advice)}</p>
${helpOf(text.brand)}<footer>Request <code>${escaped(text.requestId)}</code></footer>
</main>
</html>
`;
}

/** The logo and the name of the brand, above the page. */
function headOf(brand: Brand | null): string {
  const { name, logo } = brand ?? {};
  const parts = [
    ...(logo === undefined ? [] : [`<img src="${escaped(logo)}" alt="">`]),
    ...(name === undefined ? [] : [`<span>${escaped(name)}</span>`]),
  ];
  return parts.length === 0 ? '' : `<p class="brand">${parts.join(' ')}</p>\n`;
}

function helpOf(brand: Brand | null): string {
  return brand?.support === undefined ? '' : `<p><a href="${escaped(brand.support)}">Get help</a></p>\n`;
}

const COLOUR = /^#[0-9a-f]{6}$/i;

/** Nothing but a colour gets into the style sheet, where it could not be escaped. */
function coloursOf(brand: Brand | null): string {
  const { accent = '', accentDark = accent } = brand ?? {};
  const light = COLOUR.test(accent) ? `\n:root{--accent:${accent}}` : '';
  return COLOUR.test(accentDark) ? `${light}\n@media(prefers-color-scheme:dark){:root{--accent:${accentDark}}}` : light;
}

const STYLE = `:root{--ink:#1c2330;--faint:#5d6778;--line:#dfe3ea;--paper:#f5f7fa;--card:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8ef;--faint:#98a3b5;--line:#2c3442;--paper:#12161d;--card:#1a202a}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--paper);color:var(--ink);font:1.05rem/1.6 system-ui,sans-serif}
main{max-width:34rem;width:100%;background:var(--card);border:1px solid var(--line);border-top:4px solid var(--accent,var(--line));border-radius:12px;padding:2.25rem 2.5rem 1.5rem}
.status{margin:0;color:var(--faint);font-weight:600;letter-spacing:.08em}
h1{margin:.1rem 0 1rem;font-size:1.65rem;line-height:1.25}
p{margin:0 0 .9rem;overflow-wrap:anywhere}
a{color:inherit;text-decoration-color:var(--accent)}
.brand{display:flex;align-items:center;gap:.6rem;font-weight:600}
.brand img{max-height:2rem;max-width:10rem}
footer{margin-top:1.75rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--faint);font-size:.85rem;overflow-wrap:anywhere}`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
