import { readFileSync } from 'node:fs';
import {
  ConnectionError,
  type CreationOptions,
  createClient,
  type Diagnosis,
  type Domain,
  type ErrorCode,
  type InputViolation,
  NameplateError,
  type Page,
  UnexpectedResponse,
} from '../../../../client/client.ts';
import { explainFailure, failureOf } from '../../../../client/connection-failure.ts';
import { takesKey } from '../../../../client/operation-kinds.ts';
import { isTemporary } from '../../../../client/retry.ts';
import { readCommandConfig } from '../../config/config.ts';
import { CliError, EXIT, messageOf } from '../cli-error.ts';
import { type PlaygroundFile, readPlaygroundFile } from '../data-dir.ts';
import { type ApiOptions, DEFAULT_DATA, dataFlag, IS_CLONE, PROGRAM } from '../options.ts';
import { paint, printable, show } from '../output/output.ts';

const TIMEOUT_MS = 30_000;
/** Most items of one page. */
const PAGE = 100;

/** The API of a running server. */
export interface ApiClient {
  /** The playground that the server belongs to, if known. */
  playground: PlaygroundFile | null;
  /**
   * Calls `<group>.<operation>`, and returns its `data`. Throws `CliError`; `ApiError` for an error response. A
   * creation is repeated twice while that may help: it has an `Idempotency-Key`, unless that is null.
   */
  call<T>(operation: string, body: object, options?: CreationOptions): Promise<T>;
  /** One page of a list operation. */
  page<T>(operation: string, body: object): Promise<Page<T>>;
  /** The items of a list operation, page after page: the first `most` of them, or all. */
  list<T>(operation: string, body: object, most?: number): Promise<T[]>;
  /**
   * Streams a domain: its state now, and each change. Connects again whenever the connection is lost, and calls
   * `onLost` then, once there was a state; before, it throws `CliError`. Throws `ApiError` when the domain was deleted,
   * or the key no longer works. `onDiagnosis` gets what the checks have found, before the state that it belongs to.
   */
  watch(
    domain: string,
    onLost: () => void,
    onDiagnosis: (diagnosis: Pick<Diagnosis, 'findings'>) => void,
  ): AsyncGenerator<Domain>;
}

/** Commands are typed by those who run the server: they are the support that the response names. */
const LOGGED = ": the server's log has the cause under this id";

/** An error response of the API. */
export class ApiError extends CliError {
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly detail: string;
  readonly errors: readonly InputViolation[];
  /** Seconds (Retry-After). */
  readonly retryAfter: number | null;

  constructor(error: NameplateError) {
    const { title, detail, status, code, type, errors, requestId, retryAfter } = error;
    // With violations, the detail refers to a field of the response, which the terminal does not show.
    const lines = [errors.length === 0 ? `${title}: ${detail}` : `${title}: the request is invalid.`];
    for (const { location, message, fix } of errors) {
      lines.push(`  ${location}: ${message}`);
      if (fix !== undefined) lines.push(`    fix: ${fix}`);
    }
    // An error that ends a stream has no request id: it came without a response.
    if (requestId !== '') lines.push(`  request ${requestId}${status === 500 ? LOGGED : ''}`);
    const violations = errors.length === 0 ? {} : { errors };
    const details = { title, detail, status, code, type, ...violations, requestId };
    super(lines.map(printable).join('\n'), { details, cause: error });
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }
}

/** No response from the server, or one of a proxy that cannot reach it. */
export class ServerUnreachable extends CliError {}

/**
 * Server and key come from, in this order: the options, the playground of an explicit `--data`, the environment, the
 * playground of the default directory. A playground's key is only ever sent to that playground. Throws `CliError`.
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
  if (key === undefined) throw new CliError(`No root key for ${url}. Set NAMEPLATE_ROOT_KEY, or use --key-file PATH.`);
  return apiClient(url, key, playground, options.data);
}

/** The arguments of a command's action. */
export interface CommandCall<O> {
  api: ApiClient;
  options: ApiOptions & O;
}

/** The action of a command that calls the API: prints what `run` returns. `args` are those of the command. */
export function apiAction<T, O extends object = object>(
  run: (call: CommandCall<O>, ...args: string[]) => Promise<T>,
  textOf: (value: T, call: CommandCall<O>) => string,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const options = given.at(-2) as ApiOptions & O;
    const call = { api: await connect(options), options };
    show(options, await run(call, ...(given.slice(0, -2) as string[])), (value) => textOf(value, call));
  };
}

/** The command to run next. For the playground it is written as it is typed beside it. */
export function nextCommand({ api, options }: CommandCall<object>, command: string): string {
  return `Next: ${paint('bold', typedCommand(api, options, command))}`;
}

/** A command as its reader types it. */
export function typedCommand({ playground }: ApiClient, options: ApiOptions, command: string): string {
  const program = playground === null ? 'nameplate' : PROGRAM;
  return `${program} ${printable(command)}${dataFlag(options.data)}`;
}

/** The client of a running playground. */
export function playgroundClient(playground: PlaygroundFile, data: string | undefined): ApiClient {
  return apiClient(playground.api, playground.rootKey, playground, data);
}

export function noPlayground(data: string | undefined): CliError {
  return new CliError(
    `There is no playground in ${data ?? DEFAULT_DATA}. Start one with "${startCommand(data)}", or name a server with --url and its key with --key-file.`,
  );
}

/** Advice for when the playground of a data directory does not run. */
export function startAdvice(data: string | undefined): string {
  return `Start the playground with "${startCommand(data)}".`;
}

function startCommand(data: string | undefined): string {
  return dataFlag(data) === '' && IS_CLONE ? 'npm start' : `${PROGRAM} dev${dataFlag(data)}`;
}

function givenKey({ key, keyFile }: ApiOptions): string | undefined {
  if (key !== undefined && key !== '-') return key;
  const path = keyFile ?? key;
  return path === undefined ? undefined : readSecret(path, 'root key');
}

function apiClient(url: string, key: string, playground: PlaygroundFile | null, data: string | undefined): ApiClient {
  const advice = playground === null ? 'Start it, or name another with --url.' : startAdvice(data);

  const connection = { baseUrl: url, rootKey: key, timeoutMs: TIMEOUT_MS };
  const client = createClient({ ...connection, retries: 0 });
  const creator = createClient({ ...connection, retries: 2 });

  async function call<T>(operation: string, body: object, options: CreationOptions = {}): Promise<T> {
    const caller = takesKey(operation) && options.idempotencyKey !== null ? creator : client;
    try {
      return await caller.call<T>(operation, body, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw cliErrorOf(error);
    }
  }

  function cliErrorOf(error: unknown): unknown {
    if (error instanceof NameplateError) return new ApiError(error);
    if (error instanceof ConnectionError) return unreachable(error, new URL(url).origin, advice);
    if (!(error instanceof UnexpectedResponse)) return error;
    const message = `${url} returned status ${error.status}, not a response of Nameplate's API.`;
    return isTemporary(error)
      ? new ServerUnreachable(message, { cause: error })
      : new CliError(`${message} Check the address.`, { cause: error });
  }

  return {
    playground,
    call,
    page: call,
    async list<T>(operation: string, body: object, most = Number.POSITIVE_INFINITY) {
      const items: T[] = [];
      let cursor: string | undefined;
      do {
        const limit = Math.min(PAGE, most - items.length);
        const next = await call<Page<T>>(operation, { ...body, limit, cursor });
        items.push(...next.items);
        cursor = next.cursor;
      } while (cursor !== undefined && items.length < most);
      return items;
    },
    async *watch(domain, onLost, onDiagnosis) {
      let hasState = false;
      const onDisconnect = (error: Error) => {
        if (hasState) onLost();
        else throw error;
      };
      try {
        for await (const state of client.domains.watchDomain({ domain, onDisconnect, onDiagnosis })) {
          hasState = true;
          yield state;
        }
      } catch (error) {
        throw cliErrorOf(error);
      }
    },
  };
}

/** The error for a failed `fetch`; `advice` says what to do if nothing listens at the address. */
export function unreachable(error: unknown, origin: string, advice: string): ServerUnreachable {
  const isExplained = error instanceof ConnectionError;
  const message = isExplained ? error.message : explainFailure(error, origin, TIMEOUT_MS);
  const isRefused = failureOf(error) === 'refused';
  return new ServerUnreachable(isRefused ? `No server is running at ${origin}. ${advice}` : message, { cause: error });
}

/** Whether a URL returns a response, of any status, that passes the test. */
export async function respondsWith(url: string, test: (body: string, headers: Headers) => boolean): Promise<boolean> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(2000) });
    return test(await response.text(), response.headers);
  } catch {
    return false;
  }
}

/** Whether Nameplate's API is at this address. */
export function isApi(url: string): Promise<boolean> {
  return respondsWith(`${url}/v2/liveness`, (body) => body.includes('"requestId":"req_'));
}

const STANDARD_INPUT = 0;

/**
 * Reads a secret, which is the only word there, from a file, or with `-` from standard input. `what`: its name in
 * errors. Throws `CliError`.
 */
export function readSecret(path: string, what: string): string {
  const source = path === '-' ? 'standard input' : path;
  const text = readText(path, what, source).trim();
  if (text === '' || /\s/.test(text)) throw new CliError(`Expected one ${what} in ${source}, and nothing else.`);
  return text;
}

function readText(path: string, what: string, source: string): string {
  try {
    return readFileSync(path === '-' ? STANDARD_INPUT : path, 'utf8');
  } catch (error) {
    throw new CliError(`Cannot read the ${what} from ${source}: ${messageOf(error)}`);
  }
}
