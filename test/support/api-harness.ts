import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRootKey } from '../../server/src/access/secret-text.ts';
import { type ApiDeps, createApi } from '../../server/src/api/api.ts';
import type { ApiSettings } from '../../server/src/api/operation.ts';
import { operations } from '../../server/src/api/operations.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import { createLog } from '../../server/src/base/log.ts';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import { serveDoors } from '../../server/src/doors/doors.ts';
import { createMetrics, type Metrics } from '../../server/src/roles/metrics.ts';
import { cacheDomains } from '../../server/src/store/cache/cached-domains.ts';
import { type PolledChangeFeed, startChangeFeed } from '../../server/src/store/cache/change-feed.ts';
import type { RootKey, Store, Workspace } from '../../server/src/store/store.ts';
import type { Diagnoser } from '../../server/src/verification/observation/diagnoser.ts';
import { type Answer, judge } from './api-contract.ts';
import { blindDiagnoser } from './blind-diagnoser.ts';
import { openEngine } from './engine.ts';

/** The whole API as it runs: a real listener on a real store. Only the clock is ours. */
export interface Harness {
  /** `http://127.0.0.1:…` */
  url: string;
  port: number;
  store: Store;
  metrics: Metrics;
  /** The change feed of the cache of keys. It polls often, as in the program, and whenever the test says so. */
  changes: PolledChangeFeed;
  /** Every line that was logged. */
  logged: string[];
  clock: { now(): number; set(ms: number): void; advance(ms: number): void };
  workspaceId: string;
  /** A key of the first workspace with every permission. */
  rootKey: string;
  /** Calls an operation; the answer has been held against openapi.json. */
  call(operation: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** Sends anything to any path; the answer has been held against openapi.json. */
  send(options: SendOptions): Promise<Answer>;
  createWorkspace(about?: Partial<Workspace>): Promise<Workspace>;
  createKey(about?: Partial<RootKey>): Promise<{ key: string; id: string; hash: Uint8Array }>;
  /** A project, an app and an environment. */
  createTree(slug?: string, key?: string): Promise<Tree>;
  /** Attaches a domain to an environment and returns it as it is stored. */
  createDomain(tree: Tree, name: string, key?: string): Promise<Domain>;
  close(): Promise<void>;
}

export interface CallOptions {
  /** A root key; null: no header. */
  key?: string | null;
  headers?: Record<string, string>;
}

export interface SendOptions extends CallOptions {
  method?: string;
  path: string;
  /** Sent as it is. */
  body?: string | Buffer;
}

export interface Tree {
  project: string;
  app: string;
  environment: string;
  projectId: string;
  appId: string;
  environmentId: string;
}

export interface HarnessOptions extends Pick<ApiDeps, 'loadShedder' | 'limits' | 'webDirectory' | 'docsDirectory'> {
  /** Asks DNS; refuses unless given. */
  diagnoser?: Diagnoser;
  settings?: Partial<ApiSettings>;
  /** Puts something between the API and the store. */
  wrap?: (store: Store) => Store;
}

/** Noon of a day in the design's year. */
export const START = Date.UTC(2026, 10, 20, 12);

/** Every grant that an operation asks for, for all resources of its kind. */
export const ALL_GRANTS = [
  ...new Set(
    operations
      .flatMap(({ permission, needs = [] }) => [permission, ...needs.map((need) => need.permission)])
      .map(({ resource, action }) => `${resource}.*.${action}`),
  ),
];

export async function startApi({
  settings,
  wrap,
  diagnoser = blindDiagnoser,
  ...deps
}: HarnessOptions = {}): Promise<Harness> {
  let nowMs = START;
  const clock = {
    now: () => nowMs,
    set: (ms: number) => {
      nowMs = ms;
    },
    advance: (ms: number) => {
      nowMs += ms;
    },
  };
  const { store: engine, remove } = await openEngine({ clock });
  const newId = idMaker(clock);
  const metrics = createMetrics();
  const logged: string[] = [];
  const log = createLog('debug', { write: (line: string) => void logged.push(line) });
  const changes = startChangeFeed(engine, { clock, log });
  const store = cacheDomains(engine, changes);
  const app = createApi({
    ...deps,
    diagnoser,
    store: wrap ? wrap(store) : store,
    uncached: wrap ? wrap(engine) : engine,
    clock,
    newId,
    randomBytes,
    log,
    metrics,
    settings: {
      service: 'service',
      cnameZone: 'cname.platform.test',
      reservedNames: ['platform.test'],
      publicUrl: 'https://api.platform.test',
      rateLimits: {},
      webhooks: { perWorkspace: 10, schemes: ['https'], allowedNetworks: [] },
      windowMs: WINDOW_MS,
      deletedKeepMs: 7 * 86_400_000,
      ...settings,
    },
    changes,
  });
  serveDoors(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  const workspace = await createWorkspace();
  const { key: rootKey } = await createKey();

  async function createWorkspace(about: Partial<Workspace> = {}): Promise<Workspace> {
    const made = {
      id: newId('ws'),
      name: 'Test',
      disabledAt: null,
      limits: { rates: {}, domains: null },
      createdAt: nowMs,
      ...about,
    };
    await store.createWorkspace(made);
    return made;
  }

  async function createKey(about: Partial<RootKey> = {}) {
    const { key, hash, start } = createRootKey(randomBytes);
    const id = newId('key');
    const made = {
      id,
      workspaceId: workspace.id,
      name: 'test',
      start,
      permissions: ALL_GRANTS,
      expiresAt: null,
      disabledAt: null,
      createdAt: nowMs,
      ...about,
    };
    await store.createRootKey(made, hash);
    return { key, id, hash };
  }

  function call(operation: string, body: unknown = {}, options: CallOptions = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return send({ path: `/v2/${operation}`, body: text, ...options });
  }

  async function send({ method = 'POST', path, body, key = rootKey, headers = {} }: SendOptions): Promise<Answer> {
    const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await exchange(port, method, path, { ...authorization, ...type, ...headers }, body);
    return judge(method, path, answer);
  }

  async function createTree(slug = 'demo', key = rootKey): Promise<Tree> {
    const { projectId } = dataOf<Tree>(await call('projects.createProject', { slug }, { key }));
    const { appId } = dataOf<Tree>(await call('apps.createApp', { project: slug, slug: 'web' }, { key }));
    const parents = { project: slug, app: 'web' };
    const environment = await call('environments.createEnvironment', { ...parents, slug: 'production' }, { key });
    const { environmentId } = dataOf<Tree>(environment);
    return { ...parents, environment: 'production', projectId, appId, environmentId };
  }

  async function createDomain({ project, app, environment }: Tree, name: string, key = rootKey): Promise<Domain> {
    const answer = await call('domains.createDomain', { project, app, environment, domain: name }, { key });
    const { domainId } = dataOf<{ domainId: string }>(answer);
    for (const { id } of [workspace, ...(await store.listWorkspaces())]) {
      const domain = await store.findDomainById(id, domainId);
      if (domain !== null) return domain;
    }
    throw new Error(`${name} was not created`);
  }

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    store,
    metrics,
    changes,
    logged,
    clock,
    workspaceId: workspace.id,
    rootKey,
    call,
    send,
    createWorkspace,
    createKey,
    createTree,
    createDomain,
    async close() {
      await app.close();
      await changes.stop();
      await store.close();
      await remove();
    },
  };
}

/** The data of a success; anything else fails the test, with its body. */
export function dataOf<T>({ status, body }: Answer): T {
  if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body.data as T;
}

/** One request, one answer, on a connection of its own. */
function exchange(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers['content-type']?.startsWith('application/json') && text !== '';
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: isJson ? JSON.parse(text) : {},
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
