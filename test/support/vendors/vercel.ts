import { createServer } from 'node:http';
import type { Closing } from '../closing.ts';
import { listen } from '../listen.ts';

/**
 * A stand-in for the part of Vercel's API that lists the domains of a project, written from its public documentation:
 * https://vercel.com/docs/rest-api/projects/retrieve-project-domains-by-project-by-id-or-name (parameters, fields),
 * https://vercel.com/docs/rest-api#pagination (`until`, `next`) and https://vercel.com/docs/rest-api/errors.
 */

export interface ProjectDomain {
  name: string;
  apexName?: string;
  projectId?: string;
  verified: boolean;
  redirect?: string | null;
  redirectStatusCode?: number | null;
  gitBranch?: string | null;
  customEnvironmentId?: string | null;
  createdAt: number;
}

interface VercelOptions {
  token?: string;
  project?: string;
  team?: string;
  /** Requests of one window. */
  limit?: number;
  /** Milliseconds. */
  windowMs?: number;
  /** Each page is the first, as of a server that ignores `until`. */
  repeats?: boolean;
}

export const PROJECT = 'prj_12HKQaOmR5t5Uy6vdcQsNIiZgHGB';
export const VERCEL_TOKEN = 'test-token-of-vercel';

const PARAMETERS = [
  ...['production', 'target', 'customEnvironmentId', 'gitBranch', 'redirects', 'redirect', 'verified'],
  ...['limit', 'since', 'until', 'order', 'teamId', 'slug'],
];

export function projectDomain(at: number, more: Partial<ProjectDomain> = {}): ProjectDomain {
  const name = more.name ?? `shop${at}.example.com`;
  return {
    name,
    apexName: name.split('.').slice(-2).join('.'),
    projectId: PROJECT,
    verified: true,
    redirect: null,
    redirectStatusCode: null,
    gitBranch: null,
    createdAt: 1_700_000_000_000 + at,
    ...more,
  };
}

export async function startVercel(closing: Closing, domains: ProjectDomain[], options: VercelOptions = {}) {
  const { token = VERCEL_TOKEN, project = PROJECT, team, limit = 500, windowMs = 60_000, repeats } = options;
  const requests: string[] = [];
  let left = limit;

  function answer(url: URL, authorization: string | undefined): [status: number, body: object] {
    if (authorization !== `Bearer ${token}`) return refuse(403, 'forbidden', 'Not authorized');
    if (left === 0) {
      left = limit;
      const resetMs = Date.now() + windowMs;
      const more = { limit: { remaining: 0, reset: Math.ceil(resetMs / 1000), resetMs, total: limit } };
      return refuse(429, 'rate_limited', 'The rate limit is exceeded. Try again in a minute', more);
    }
    left -= 1;
    const [, named] = /^\/v9\/projects\/([^/]+)\/domains$/.exec(url.pathname) ?? [];
    const query = url.searchParams;
    if (named !== project || (query.get('teamId') ?? undefined) !== team)
      return refuse(404, 'not_found', 'Project not found.');
    const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name));
    if (unknown !== undefined)
      return refuse(400, 'bad_request', `Invalid request: should NOT have additional property \`${unknown}\`.`);
    const count = Number(query.get('limit') ?? 20);
    if (!Number.isInteger(count) || count < 1 || count > 100)
      return refuse(400, 'bad_request', 'Invalid request: `limit` should be <= 100.');
    const until = Number(query.get('until') ?? Number.POSITIVE_INFINITY);
    const newestFirst = domains.toSorted((a, b) => b.createdAt - a.createdAt);
    const before = repeats ? newestFirst : newestFirst.filter(({ createdAt }) => createdAt < until);
    const page = before.slice(0, count);
    const next = before.length > count ? (page.at(-1)?.createdAt ?? null) : null;
    return [200, { domains: page, pagination: { count: page.length, next, prev: page[0]?.createdAt ?? null } }];
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    requests.push(`${request.method} ${url.pathname}${url.search}`);
    const [status, body] = answer(url, request.headers.authorization);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const port = await listen(closing, server);
  return { url: `http://127.0.0.1:${port}`, requests };
}

function refuse(status: number, code: string, message: string, more: object = {}): [number, object] {
  return [status, { error: { code, message, ...more } }];
}
