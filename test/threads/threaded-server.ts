import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { Worker } from 'node:worker_threads';
import { createRootKey } from '../../server/src/access/secret-text.ts';
import { createLog } from '../../server/src/base/log.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { type RunningServer, startServer } from '../../server/src/main.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';
import { aRootKey, type Planted, plant } from '../support/entities.ts';

/**
 * Over so many connections every one of four threads answers: that one is left out has a probability of 4 · 0.75^96.
 */
const CONNECTIONS = 96;

/** A server with several threads for the API, and clients that reach all of them. */
export interface ThreadedServer {
  server: RunningServer;
  tree: Planted;
  /** All worker threads so far, in the order of their start. */
  workers: { name: string; worker: Worker }[];
  createKey(): Promise<{ id: string; key: string }>;
  /** Sends a request over each connection at once. */
  askAll(operation: string, key: string, body?: object, headers?: Record<string, string>): Promise<Answer[]>;
  /** Number of open connections without a request. */
  idleConnections(): number;
  metric(line: string): Promise<number>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  remaining: number;
}

export async function startThreaded(
  database: string,
  apiThreads: number,
  variables: Record<string, string> = {},
): Promise<ThreadedServer> {
  const workers: ThreadedServer['workers'] = [];
  const onWorker = (message: unknown) => {
    const { worker } = message as { worker: Worker & { threadName: string } };
    workers.push({ name: worker.threadName, worker });
  };
  subscribe('worker_threads', onWorker);
  const config = readServerConfig({
    NAMEPLATE_DATABASE_URL: database,
    NAMEPLATE_API_THREADS: String(apiThreads),
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_RESOLVERS: '127.0.0.1',
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_ROLES: 'api',
    NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
    NAMEPLATE_LOG_LEVEL: 'silent',
    ...variables,
  });
  const server = await startServer(config, { log: createLog('silent') });
  const tree = await plant(server.store);
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));

  async function ask(
    agent: Agent,
    operation: string,
    key: string,
    body: object,
    more: Record<string, string>,
  ): Promise<Answer> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more };
    const asking = request(`${server.api}/v2/${operation}`, { method: 'POST', agent, headers });
    const [response] = await once(asking.end(JSON.stringify(body)), 'response');
    response.resume();
    await once(response, 'end');
    return { status: response.statusCode, remaining: Number(response.headers['ratelimit-remaining']) };
  }

  return {
    server,
    tree,
    workers,
    async createKey() {
      const { key, hash, start } = createRootKey(randomBytes);
      const permissions = ['environment.*.read_domain', 'environment.*.create_deployment'];
      const made = aRootKey({ workspaceId: tree.workspace.id, start, permissions });
      await server.store.createRootKey(made, hash);
      return { id: made.id, key };
    },
    askAll: (operation, key, body = {}, headers = {}) =>
      Promise.all(agents.map((agent) => ask(agent, operation, key, body, headers))),
    idleConnections: () => agents.flatMap(({ freeSockets }) => Object.values(freeSockets).flat()).length,
    async metric(line) {
      const text = await (await fetch(`${server.metrics}/metrics`)).text();
      return Number(
        text
          .split('\n')
          .find((one) => one.startsWith(`${line} `))
          ?.slice(line.length) ?? 0,
      );
    },
    async close() {
      unsubscribe('worker_threads', onWorker);
      for (const agent of agents) agent.destroy();
      await server.stop();
    },
  };
}
