import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { createRootKey } from '../../server/src/access/secret-text.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import { databaseAt } from '../../server/src/store/database.ts';
import { parseDatabaseUrl } from '../../server/src/store/url.ts';
import { type Data, embedded } from './server-data.ts';
import { type Server, startServer } from './server-process.ts';

/** The parts that outlive killed servers: a directory for their data, and the world's DNS. */
export interface Site {
  directory: string;
  data: Data;
  /** The database file of the embedded engine. */
  path: string;
  dns: Simulator;
  /** Length of the verification window of its servers. */
  windowMs: number;
  checkIntervalMs: number;
  /** Starts a server on the data; its clock is so far ahead. */
  serve(aheadMs?: number): Promise<Server>;
  /** Kills its servers and removes the data. */
  close(): Promise<void>;
}

/**
 * A workspace, and a key with which all can be done to its domains, and deployments created. Its project, app and
 * environment are `p`, `a` and `e` by their slugs.
 */
export interface Tenant {
  workspaceId: string;
  environmentId: string;
  key: string;
}

export async function createSite(
  schedule: { checkIntervalMs: number; windowMs: number },
  makeData = embedded,
): Promise<Site> {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-'));
  const data = await makeData(directory);
  const dns = await startSimulator({ port: 0 });
  const servers: Server[] = [];
  return {
    ...schedule,
    directory,
    data,
    path: join(directory, 'nameplate.db'),
    dns,
    async serve(aheadMs = 0) {
      const about = { ...schedule, aheadMs, database: data.url, nameserverPort: dns.port };
      const server = await startServer(about);
      servers.push(server);
      return server;
    },
    async close() {
      await Promise.all(servers.map((server) => server.kill()));
      await dns.close();
      await rm(directory, { recursive: true });
    },
  };
}

const PERMISSIONS = [
  'create_domain',
  'read_domain',
  'update_domain',
  'verify_domain',
  'delete_domain',
  'create_deployment',
].map((action) => `environment.*.${action}`);

/** Makes a tenant straight on the store. */
export async function plant({ data }: Pick<Site, 'data'>): Promise<Tenant> {
  const newId = idMaker(systemClock);
  const createdAt = systemClock.now();
  const store = await (await databaseAt(parseDatabaseUrl(data.url))).open();
  const ids = { workspaceId: newId('ws'), projectId: newId('proj'), appId: newId('app') };
  const { workspaceId, projectId } = ids;
  const environmentId = newId('env');
  const common = { workspaceId, name: null, createdAt };
  const limits = { rates: {}, domains: null };
  const { key, hash, start } = createRootKey(randomBytes);
  const about = { name: '', start, permissions: PERMISSIONS, expiresAt: null, disabledAt: null, createdAt };
  await store.createWorkspace({ id: workspaceId, name: 'acme', disabledAt: null, limits, createdAt });
  await store.createProject({ ...common, id: projectId, slug: 'ppp' });
  await store.createApp({ ...common, id: ids.appId, projectId, slug: 'aaa' });
  await store.createEnvironment({ ...common, ...ids, id: environmentId, slug: 'eee', currentDeploymentId: null });
  await store.createRootKey({ ...about, id: newId('key'), workspaceId }, hash);
  await store.close();
  return { workspaceId, environmentId, key };
}

/** Waits for something to become true; rejects after two minutes, or so many, or as soon as it throws. */
export async function until(wanted: string, holds: () => Promise<boolean> | boolean, minutes = 2): Promise<void> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > minutes * 60_000) throw new Error(`waited ${minutes} minutes in vain: ${wanted}`);
    await delay(25);
  }
}
