import { type ApiConnection, type CallOptions, callApi } from './api-call.ts';
import type { CustomDomain, DomainPage, EnvironmentPath, RequiredRecord } from './domain-types.ts';
import { type WatchOptions, watchDomain } from './watch-domain.ts';

/** The client of Nameplate's API: `import { createClient } from 'nameplate/client'`. It needs `fetch`, and nothing else of the program. */

export type { CallOptions } from './api-call.ts';
export type {
  CustomDomain as Domain,
  DomainPage,
  EnvironmentPath,
  RequiredRecord as DnsRecord,
} from './domain-types.ts';
export { ConnectionError, type InputViolation, NameplateError } from './nameplate-error.ts';
export type { WatchOptions } from './watch-domain.ts';

export interface ClientOptions {
  /** Address of the API, such as `https://api.example.net`. */
  baseUrl: string;
  rootKey: string;
  /** Time limit of one attempt; 30 s unless given. */
  timeoutMs?: number;
  /** Attempts after the first one, where it is safe to repeat; 3 unless given. */
  retries?: number;
  /** In place of the global `fetch`. */
  fetch?: typeof fetch;
}

/** Every call rejects with `NameplateError` (an error response), `ConnectionError` (none), or the reason of its signal. */
export interface NameplateClient {
  domains: DomainCalls;
  /** Calls any operation, such as `projects.createProject`, and returns its `data`. `isRead`: it may be repeated after a server error. */
  call<Data>(operation: string, body: object, options?: CallOptions & { isRead?: boolean }): Promise<Data>;
}

interface DomainCalls {
  getDomain(input: { domain: string }, options?: CallOptions): Promise<CustomDomain>;
  createDomain(
    input: EnvironmentPath & { domain: string },
    options?: CallOptions,
  ): Promise<{ domainId: string; dnsRecords: RequiredRecord[] }>;
  /** One page. `limit`: 1 to 100. `search`: part of the name or id. */
  listDomains(
    input: EnvironmentPath & { limit?: number; cursor?: string; search?: string },
    options?: CallOptions,
  ): Promise<DomainPage>;
  /** Checks a domain now. */
  verifyDomain(input: { domain: string }, options?: CallOptions): Promise<void>;
  deleteDomain(input: { domain: string }, options?: CallOptions): Promise<void>;
  /** See `watchDomain`. */
  watchDomain(options: WatchOptions): AsyncGenerator<CustomDomain, never, void>;
  /**
   * Resolves with the domain once it is verified. `onChange` gets each state until then. Rejects with `VerificationFailed` when the window has ended, and as
   * `watchDomain` does.
   */
  waitUntilVerified(options: WatchOptions & { onChange?: (domain: CustomDomain) => void }): Promise<CustomDomain>;
}

/** The verification window of the domain has ended without success; `domain.verificationError` says why. */
export class VerificationFailed extends Error {
  override name = 'VerificationFailed';
  readonly domain: CustomDomain;

  constructor(domain: CustomDomain) {
    super(domain.verificationError ?? `${domain.domain} was not verified`);
    this.domain = domain;
  }
}

const TIMEOUT_MS = 30_000;
const RETRIES = 3;

export function createClient(options: ClientOptions): NameplateClient {
  const { baseUrl, rootKey, timeoutMs = TIMEOUT_MS, retries = RETRIES, fetch = globalThis.fetch } = options;
  const connection: ApiConnection = { baseUrl: baseUrl.replace(/\/+$/, ''), rootKey, timeoutMs, retries, fetch };

  async function call<Data>(
    operation: string,
    body: object,
    { isRead = false, ...rest }: CallOptions & { isRead?: boolean } = {},
  ) {
    return (await callApi(connection, operation, body, { ...rest, isRead })).data as Data;
  }

  return {
    call,
    domains: {
      getDomain: (input, rest) => call('domains.getDomain', input, { ...rest, isRead: true }),
      createDomain: (input, rest) => call('domains.createDomain', input, rest),
      async listDomains(input, rest) {
        const page = await callApi(connection, 'domains.listDomains', input, { ...rest, isRead: true });
        return { items: page.data as CustomDomain[], cursor: page.pagination?.cursor };
      },
      async verifyDomain(input, rest) {
        await call('domains.verifyDomain', input, rest);
      },
      async deleteDomain(input, rest) {
        await call('domains.deleteDomain', input, rest);
      },
      watchDomain: (watch) => watchDomain(connection, watch),
      async waitUntilVerified({ onChange, ...watch }) {
        for await (const domain of watchDomain(connection, watch)) {
          onChange?.(domain);
          if (domain.status === 'verified') return domain;
          if (domain.status === 'failed') throw new VerificationFailed(domain);
        }
        throw new Error('a watch ended without a reason');
      },
    },
  };
}
