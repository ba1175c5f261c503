import { createServer } from 'node:http';
import type { Closing } from '../closing.ts';
import { listen } from '../listen.ts';

/**
 * A stand-in for the part of Cloudflare's API that lists custom hostnames, written from its public documentation:
 * https://developers.cloudflare.com/api/resources/custom_hostnames/methods/list (parameters, fields, `result_info`),
 * https://developers.cloudflare.com/fundamentals/api/reference/limits/ (1,200 requests in five minutes; `retry-after`),
 * https://developers.cloudflare.com/fundamentals/api/troubleshooting/ (tokens), and the envelope of all responses.
 */

export interface CustomHostname {
  id: string;
  hostname: string;
  status?: string;
  ssl?: { status?: string; wildcard?: boolean } | null;
  custom_metadata?: Record<string, unknown> | null;
  custom_origin_server?: string;
  created_at?: string;
}

interface CloudflareOptions {
  token?: string;
  zone?: string;
  /** Requests of one window. */
  limit?: number;
  /** Seconds. */
  retryAfter?: number;
  /** Responses before all others, such as those of a proxy that fails. */
  failures?: { status: number; body: string; headers?: Record<string, string> }[];
  /** Runs before a page is read. */
  onPage?(page: number, hostnames: CustomHostname[]): void;
}

export const ZONE = '023e105f4ecef8ad9ca31a8372d0c353';
export const CLOUDFLARE_TOKEN = 'test-token-of-cloudflare';

/** In this order they are refused: neither is a secret. */
const PARAMETERS = [
  'page',
  'per_page',
  'id',
  'hostname',
  'hostname.contain',
  'order',
  'direction',
  'ssl',
  'ssl_status',
  'hostname_status',
  'certificate_authority',
  'custom_origin_server',
  'wildcard',
];

/** The hostname of a customer, as Cloudflare has it in use. */
export function customHostname(at: number, more: Partial<CustomHostname> = {}): CustomHostname {
  return {
    id: `0d89c70d-ad9f-4843-b99f-${String(at).padStart(12, '0')}`,
    hostname: `shop${at}.example.com`,
    status: 'active',
    ssl: { status: 'active', wildcard: false },
    created_at: new Date(1_700_000_000_000 + at).toISOString(),
    ...more,
  };
}

export async function startCloudflare(closing: Closing, hostnames: CustomHostname[], options: CloudflareOptions = {}) {
  const { token = CLOUDFLARE_TOKEN, zone = ZONE, limit = 1200, retryAfter = 300, onPage } = options;
  const failures = [...(options.failures ?? [])];
  const requests: string[] = [];
  let left = limit;

  function answer(url: URL, authorization: string | undefined): [status: number, body: object] {
    if (!/^Bearer \S+$/.test(authorization ?? '')) return refuse(400, 6003, 'Invalid request headers');
    if (authorization !== `Bearer ${token}`) return refuse(403, 9109, 'Invalid access token');
    if (left === 0) {
      left = limit;
      return refuse(429, 971, 'Please wait and consider throttling your request speed');
    }
    left -= 1;
    if (url.pathname !== `/client/v4/zones/${zone}/custom_hostnames`)
      return refuse(404, 7003, `Could not route to ${url.pathname}, perhaps your object identifier is invalid?`);
    const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
    if (unknown !== undefined) return refuse(400, 1400, `Unknown parameter: ${unknown}`);
    const page = Number(url.searchParams.get('page') ?? 1);
    const perPage = Number(url.searchParams.get('per_page') ?? 20);
    if (!Number.isInteger(page) || page < 1) return refuse(400, 1400, 'page must be at least 1');
    if (!Number.isInteger(perPage) || perPage < 5 || perPage > 50)
      return refuse(400, 1400, 'per_page must be from 5 to 50');
    onPage?.(page, hostnames);
    const result = hostnames.slice((page - 1) * perPage, page * perPage);
    const info = { page, per_page: perPage, count: result.length, total_count: hostnames.length };
    const total_pages = Math.ceil(hostnames.length / perPage);
    return [200, { success: true, errors: [], messages: [], result, result_info: { ...info, total_pages } }];
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    requests.push(`${request.method} ${url.pathname}${url.search}`);
    const failure = failures.shift();
    if (failure !== undefined) {
      response.writeHead(failure.status, failure.headers).end(failure.body);
      return;
    }
    const [status, body] = answer(url, request.headers.authorization);
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(status === 429 && { 'retry-after': `${retryAfter}` }),
    });
    response.end(JSON.stringify(body));
  });
  const port = await listen(closing, server);
  return { url: `http://127.0.0.1:${port}/client/v4`, requests };
}

function refuse(status: number, code: number, message: string): [number, object] {
  return [status, { success: false, errors: [{ code, message }], messages: [], result: null }];
}
