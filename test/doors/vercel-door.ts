import type { Domain } from '../../server/src/domain/domain.ts';
import { createDiagnoser } from '../../server/src/verification/observation/diagnoser.ts';
import { type Harness, START, startApi, type Tree } from '../support/api-harness.ts';
import { cname, everywhere, observation, type Seen } from '../support/observations.ts';
import { observed } from '../support/observed.ts';

/** The API with its door for Vercel's clients, and a DNS whose records tests publish. */
export interface VercelDoor {
  api: Harness;
  tree: Tree;
  /** The base URL of clients. */
  url: string;
  /** The DNS has these records from now on. */
  publish(name: string, seen: Seen): void;
  /** Until the promise is fulfilled, nameservers do not answer for the name. */
  hold(name: string, until: Promise<void>): void;
  /** The verifier sees what was published. */
  check(name: string): Promise<void>;
  /** A domain that its CNAME record has verified. */
  verified(name: string, tree?: Tree): Promise<Domain>;
  request(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answered>;
}

export interface RequestOptions {
  key?: string | null;
  headers?: Record<string, string>;
}

export interface Answered {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: as a client of the vendor's reads it.
  body: any;
}

export async function openVercelDoor(): Promise<VercelDoor> {
  const published = new Map<string, Seen>();
  const held = new Map<string, Promise<void>>();
  const look = async ({ domain }: { domain: Domain }) => {
    await held.get(domain.name);
    return observation(domain, domain.name.split('.').slice(-2).join('.'), published.get(domain.name));
  };
  const clock = { now: () => START };
  const diagnoser = createDiagnoser({ clock, observe: look, sharedForMs: 0 });
  const api = await startApi({ diagnoser, settings: { edgeAddresses: ['203.0.113.7', '2001:db8::7'] } });
  const tree = await api.createTree();
  const url = `${api.url}/compat/vercel`;

  async function stored(name: string): Promise<Domain> {
    const domain = await api.store.findDomainByName(api.workspaceId, name);
    if (domain === null) throw new Error(`${name} is not attached`);
    return domain;
  }

  async function check(name: string): Promise<void> {
    await observed(api, await stored(name), published.get(name) ?? {});
  }

  return {
    api,
    tree,
    url,
    publish: (name, seen) => void published.set(name, seen),
    hold: (name, until) => void held.set(name, until),
    check,
    async verified(name, place = tree) {
      const { target } = await api.createDomain(place, name);
      published.set(name, { routing: everywhere(cname(target)) });
      await check(name);
      return stored(name);
    },
    async request(method, path, body, { key = api.rootKey, headers = {} } = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
  };
}
