import { type ApiConnection, type Credential, callApi } from './api-call.ts';
import { type ApiCalls, type Domain, OPERATIONS } from './api-types.ts';
import type { CallOptions, CreationOptions, Page } from './call-types.ts';
import { isRead, takesKey } from './operation-kinds.ts';
import { type WatchOptions, watchDomain } from './watch-domain.ts';

/**
 * The client of Nameplate's API: `import { createClient } from '@nameplate/client'`. It needs `fetch`, and nothing else
 * of the program.
 */

export type { Credential } from './api-call.ts';
export type * from './api-types.ts';
export type { CallOptions, CreationOptions, Page } from './call-types.ts';
export {
  ConnectionError,
  type InputViolation,
  NameplateError,
  type Support,
  UnexpectedResponse,
} from './nameplate-error.ts';
export type { WatchOptions } from './watch-domain.ts';

export interface ClientOptions {
  /** Address of the API, such as `https://api.example.net`. */
  baseUrl: string;
  /** A root key, a token, or a function that returns a current one. */
  rootKey: Credential;
  /** Time limit of a call, with all its attempts and the waits between them; 30 s unless given. */
  timeoutMs?: number;
  /**
   * Attempts after the first one, where it is safe to repeat; 3 unless given. A call does not wait for an attempt that
   * `timeoutMs` would not allow: it rejects at once, with the last error.
   */
  retries?: number;
  /** In place of the global `fetch`. */
  fetch?: typeof fetch;
}

/**
 * Every operation of the API by its name, such as `client.domains.createDomain(…)`. Each call rejects with
 * `NameplateError` (an error response), `ConnectionError` (no response), `UnexpectedResponse` (something else
 * responded), or the reason of its signal.
 *
 * A call is repeated after 429. After a server error, or without a response, it is repeated where that does no harm:
 * reads, and creations and rotations, which send an `Idempotency-Key`.
 */
export interface NameplateClient extends Omit<ApiCalls, 'domains'> {
  domains: ApiCalls['domains'] & DomainWatches;
  /**
   * Calls an operation by its name, such as `projects.createProject`, and returns its `data`; of a list, its `Page`.
   * `isRead`: it may be repeated after a server error.
   */
  call<Data>(operation: string, body: object, options?: CreationOptions & { isRead?: boolean }): Promise<Data>;
}

interface DomainWatches {
  /** See `watchDomain`. */
  watchDomain(options: WatchOptions): AsyncGenerator<Domain, never, void>;
  /**
   * Resolves with the domain once it is verified. `onChange` gets each state until then. Rejects with
   * `VerificationFailed` when the verification window has ended without success, and as `watchDomain` does.
   */
  waitUntilVerified(options: WatchOptions & { onChange?: (domain: Domain) => void }): Promise<Domain>;
}

/** The verification window of the domain has ended without success; `domain.verificationError` says why. */
export class VerificationFailed extends Error {
  override name = 'VerificationFailed';
  readonly domain: Domain;

  constructor(domain: Domain) {
    super(domain.verificationError ?? `${domain.domain} was not verified`);
    this.domain = domain;
  }
}

const TIMEOUT_MS = 30_000;
const RETRIES = 3;

export function createClient(options: ClientOptions): NameplateClient {
  const { baseUrl, rootKey, timeoutMs = TIMEOUT_MS, retries = RETRIES, fetch = globalThis.fetch } = options;
  const connection: ApiConnection = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    credential: rootKey,
    timeoutMs,
    retries,
    fetch,
  };

  async function call<Data>(
    operation: string,
    body: object,
    { signal, isRead: reads = isRead(operation), ...creation }: CreationOptions & { isRead?: boolean } = {},
  ): Promise<Data> {
    const { idempotencyKey = takesKey(operation) ? crypto.randomUUID() : null } = creation;
    const isRepeatable = reads || (takesKey(operation) && idempotencyKey !== null);
    const { data, pagination } = await callApi(connection, operation, { body, signal, idempotencyKey, isRepeatable });
    return (pagination === undefined ? data : { items: data, cursor: pagination.cursor }) as Data;
  }

  const groups: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    const [group = '', name = ''] = operation.split('.');
    groups[group] ??= {};
    groups[group][name] = (input: object, rest?: CreationOptions) => call(operation, input, rest);
  }
  const calls = groups as unknown as ApiCalls;
  return { ...calls, domains: { ...calls.domains, ...domainWatches(connection) }, call };
}

function domainWatches(connection: ApiConnection): DomainWatches {
  return {
    watchDomain: (watch) => watchDomain(connection, watch),
    async waitUntilVerified({ onChange, ...watch }) {
      for await (const domain of watchDomain(connection, watch)) {
        onChange?.(domain);
        if (domain.status === 'verified') return domain;
        if (domain.status === 'failed') throw new VerificationFailed(domain);
      }
      throw new Error('a watch ended without a reason');
    },
  };
}

/**
 * The items of all pages of a list, one page after the other: `for await (const domain of
 * allItems(client.domains.listDomains, { project, app, environment }))`.
 */
export async function* allItems<Input extends { cursor?: string | undefined }, Item>(
  list: (input: Input, options?: CallOptions) => Promise<Page<Item>>,
  input: Input,
  options?: CallOptions,
): AsyncGenerator<Item, void, void> {
  let { cursor } = input;
  do {
    const page: Page<Item> = await list({ ...input, cursor }, options);
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
