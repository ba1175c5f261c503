import { readFileSync } from 'node:fs';
import { readCommandConfig } from '../config/config.ts';
import { type PlaygroundFile, readPlaygroundFile } from '../playground/ready.ts';
import { CliError, EXIT } from './cli-error.ts';
import { type ApiOptions, DEFAULT_DATA, dataFlag } from './options.ts';
import { harmless } from './output.ts';

/** A running server, as commands speak to it. */
export interface ApiClient {
  url: string;
  /** The playground that the server belongs to, where that is known. */
  playground: PlaygroundFile | null;
  /** Calls `<group>.<operation>` and answers its `data`. Throws `CliError`, an `ApiError` where the server refused. */
  call<T>(operation: string, body: object): Promise<T>;
  /** Every item of a list operation, page after page. */
  list<T>(operation: string, body: object): Promise<T[]>;
}

/** An answer (spec: Response envelopes), as far as it can be trusted to be one. */
interface Envelope {
  meta: { requestId: string };
  data: unknown;
  pagination?: { cursor?: string };
  error?: ProblemBody;
}

interface ProblemBody {
  title: string;
  detail: string;
  status: number;
  type: string;
  errors?: { location: string; message: string; fix?: string }[];
}

/** The server refused a request. */
export class ApiError extends CliError {
  readonly status: number;
  /** Seconds to wait before trying again, where the server said so. */
  readonly retryAfter: number | null;

  constructor(problem: ProblemBody, requestId: string, retryAfter: number | null) {
    const lines = [`${problem.title}: ${problem.detail}`];
    for (const { location, message, fix } of problem.errors ?? []) {
      lines.push(`  ${location}: ${message}`);
      if (fix !== undefined) lines.push(`    fix: ${fix}`);
    }
    lines.push(`  request ${requestId}`);
    super(lines.map(harmless).join('\n'), { details: { ...problem, requestId } });
    this.status = problem.status;
    this.retryAfter = retryAfter;
  }
}

/** No server answered. */
export class ServerUnreachable extends CliError {}

/**
 * The server and key that the options, the playground of a `--data` that was typed, the environment, or the playground of the default
 * directory name, in this order. A playground's key is sent to that playground alone. Throws `CliError`.
 */
export async function connect(options: ApiOptions): Promise<ApiClient> {
  const config = readCommandConfig();
  const file = await readPlaygroundFile(options.data ?? DEFAULT_DATA);
  const chosen = options.data === undefined ? null : file;
  const environment = options.data === undefined ? config.url : undefined;
  const url = (options.url ?? chosen?.api ?? environment ?? file?.api)?.replace(/\/+$/, '');
  if (url === undefined) throw noPlayground(options.data);
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new CliError(`"${url}" is not an http or https URL.`, { exitCode: EXIT.usage });
  }
  const playground = file?.api === url ? file : null;
  const key = givenKey(options) ?? (chosen && playground?.rootKey) ?? config.rootKey ?? playground?.rootKey;
  if (key === undefined) throw new CliError(`No root key for ${url}. Set NAMEPLATE_ROOT_KEY, or give --key-file PATH.`);
  return serverAt(url, key, playground, options.data);
}

/** No playground was ever started in the data directory. */
export function noPlayground(data: string | undefined): CliError {
  return new CliError(
    `There is no playground in ${data ?? DEFAULT_DATA}. Start one with "${startCommand(data)}", or name a server with --url and its key with --key-file.`,
  );
}

/** What starts the playground of a `--data` that was typed, or of the default directory. */
export function startCommand(data: string | undefined): string {
  return dataFlag(data) === '' ? 'npm start' : `./bin/nameplate dev${dataFlag(data)}`;
}

function givenKey({ key, keyFile }: ApiOptions): string | undefined {
  if (key !== undefined && key !== '-') return key;
  if (key === undefined && keyFile === undefined) return undefined;
  const source = keyFile ?? '/dev/stdin';
  const text = readKey(keyFile === undefined ? 0 : keyFile, source).trim();
  if (text === '' || /\s/.test(text)) throw new CliError(`${source} does not hold one root key.`);
  return text;
}

function readKey(source: string | 0, name: string): string {
  try {
    return readFileSync(source, 'utf8');
  } catch (error) {
    throw new CliError(
      `The root key could not be read from ${name}: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Speaks to the server at `url` with one key. `data` is where `playground` was found. */
export function serverAt(
  url: string,
  key: string,
  playground: PlaygroundFile | null,
  data: string | undefined,
): ApiClient {
  const starter = playground && startCommand(data);

  async function request(
    operation: string,
    body: object,
  ): Promise<{ data: unknown; pagination?: { cursor?: string } }> {
    const response = await send(`${url}/v2/${operation}`, key, body, starter);
    const retryAfter = response.headers.get('retry-after');
    const answer = (await response.json().catch(() => null)) as Partial<Envelope> | null;
    if (response.ok && answer?.meta)
      return { data: answer.data, ...(answer.pagination && { pagination: answer.pagination }) };
    if (answer?.error) {
      throw new ApiError(answer.error, answer.meta?.requestId ?? '', retryAfter === null ? null : Number(retryAfter));
    }
    throw new CliError(
      `${url} answered with status ${response.status}, but not as Nameplate does. Is it the right address?`,
    );
  }

  return {
    url,
    playground,
    call: async <T>(operation: string, body: object) => (await request(operation, body)).data as T,
    async list<T>(operation: string, body: object) {
      const items: T[] = [];
      let cursor: string | undefined;
      do {
        const page = await request(operation, { ...body, ...(cursor === undefined ? {} : { cursor }) });
        items.push(...(page.data as T[]));
        cursor = page.pagination?.cursor;
      } while (cursor !== undefined);
      return items;
    },
  };
}

async function send(url: string, key: string, body: object, starter: string | null): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(30_000),
    });
  } catch (error) {
    throw unreachable(error, new URL(url).origin, starter);
  }
}

/** Why no answer came from an address, and what to do about it: type `starter`, where there is a command that starts it. */
export function unreachable(error: unknown, origin: string, starter: string | null): CliError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (cause instanceof Error && cause.name === 'TimeoutError')
    return new ServerUnreachable(`${origin} did not answer within 30 s.`);
  if (code !== 'ECONNREFUSED') {
    return new ServerUnreachable(`${origin} could not be asked: ${cause instanceof Error ? cause.message : cause}`);
  }
  const start = starter ? `Start the playground with "${starter}".` : 'Start it, or name another with --url.';
  return new ServerUnreachable(`No server is running at ${origin}. ${start}`);
}

/** Whether what answers at a URL, with whatever status, shows a sign of being ours. */
export async function answers(url: string, sign: (body: string, headers: Headers) => boolean): Promise<boolean> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(2000) });
    return sign(await response.text(), response.headers);
  } catch {
    return false;
  }
}

/** Whether Nameplate's API is at this address. */
export function isApi(url: string): Promise<boolean> {
  return answers(`${url}/v2/liveness`, (body) => body.includes('"requestId":"req_'));
}
