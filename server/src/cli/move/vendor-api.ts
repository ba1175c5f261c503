import { ConnectionError, UnexpectedResponse } from '../../../../client/client.ts';
import { explainFailure } from '../../../../client/connection-failure.ts';
import { quote } from '../../domain/text.ts';
import type { Retrying } from '../api/run-import.ts';
import { withRetries } from '../api/with-retries.ts';
import { CliError, EXIT, messageOf } from '../cli-error.ts';
import { shortDuration } from '../output/output.ts';
import { recordOf, textIn } from './old-name.ts';

const TIMEOUT_MS = 30_000;
/** A page of 100 names has some hundred KiB. */
const LARGEST_RESPONSE = 16 * 1024 * 1024;
/** Cloudflare's windows are of 5 minutes. */
const LONGEST_WAIT_MS = 15 * 60_000;

interface VendorSettings {
  /** `Cloudflare` */
  vendor: string;
  /** Address of its API. */
  base: string;
  /** Never in a message. */
  token: string | undefined;
  /** Where a token is made, and what it has to allow. */
  advice: string;
}

/** Reads JSON documents of a vendor's API. Throws `CliError`. */
export type VendorApi = (path: string, query: Record<string, string | number | undefined>) => Promise<unknown>;

/** Waits and asks again while a rate limit refuses, and for half a minute while the server fails. */
export function vendorApi({ vendor, base, token, advice }: VendorSettings, retrying: Retrying): VendorApi {
  if (token === undefined) throw new CliError(`NAMEPLATE_MOVE_TOKEN is not set. ${advice}`, { exitCode: EXIT.usage });
  requireSafe(base);
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };

  async function ask(url: URL): Promise<unknown> {
    let response: Response;
    let body: string;
    try {
      const signal = AbortSignal.any([retrying.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      // The token is for this server alone.
      response = await fetch(url, { headers, redirect: 'manual', signal });
      body = await textOf(response);
    } catch (error) {
      retrying.signal.throwIfAborted();
      if (error instanceof CliError) throw error;
      const cause = new ConnectionError(messageOf(error));
      throw new CliError(explainFailure(error, url.origin, TIMEOUT_MS), { cause });
    }
    const document = parse(body);
    if (response.ok && document !== undefined) return document;
    const { status } = response;
    const says = complaintOf(document);
    const what = `${vendor} responded with status ${status}${says === undefined ? '' : `: ${quote(says, 300)}`}.`;
    const waitMs = askedWaitMs(response, document);
    if (waitMs > LONGEST_WAIT_MS)
      throw new CliError(`${what} It asks to wait ${shortDuration(waitMs)}. Run the same command again then.`);
    if (status === 401 || status === 403) throw new CliError(`${what} ${advice}`);
    throw new CliError(what, { cause: new UnexpectedResponse(url.origin, status, waitMs > 0 ? waitMs / 1000 : null) });
  }

  async function textOf(response: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > LARGEST_RESPONSE) throw new CliError(`${vendor} responded with more than 16 MiB.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  }

  return (path, query) => {
    const url = new URL(`${base.replace(/\/+$/, '')}${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, `${value}`);
    return withRetries(() => ask(url), retrying);
  };
}

/** A token may be sent to this machine without encryption, and nowhere else. */
function requireSafe(base: string): void {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  const isHere = url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url?.protocol !== 'https:' && !isHere)
    throw new CliError('The address of the API has to begin with "https://".', { exitCode: EXIT.usage });
  if (url?.username || url?.password)
    throw new CliError('The address of the API must have no user name or password.', { exitCode: EXIT.usage });
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The first error of Cloudflare's envelope, or that of Vercel's. */
function complaintOf(document: unknown): string | undefined {
  const { errors, error } = recordOf(document);
  const first: unknown = Array.isArray(errors) ? errors[0] : error;
  const { code } = recordOf(first);
  const message = textIn(first, 'message');
  return message !== undefined && typeof code === 'number' ? `${message} (${code})` : message;
}

/** In ms, by Retry-After, or by the `limit` of Vercel's errors. */
function askedWaitMs({ status, headers }: Response, document: unknown): number {
  if (status !== 429) return 0;
  const given = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(given)) return 1000 * Number(given);
  const { resetMs } = recordOf(recordOf(recordOf(document).error).limit);
  return typeof resetMs === 'number' ? Math.max(0, resetMs - Date.now()) : 0;
}
