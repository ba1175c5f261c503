import { rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { databaseAt, keyringFor } from '../../server/src/store/database.ts';
import { parseKeys } from '../../server/src/store/sealing/keyring.ts';
import type { Environment } from '../../server/src/store/store.ts';
import { parseDatabaseUrl } from '../../server/src/store/url.ts';
import { verify } from '../support/certificates.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';
import { aDeployment } from '../support/entities.ts';
import { type Server, startServer } from '../support/server-process.ts';
import { createSite, plant, until } from '../support/server-site.ts';
import { issue } from './authority.ts';
import { overHttps } from './harness.ts';

const NAME = 'shop.example.com';
const SCHEDULE = { checkIntervalMs: 1000, windowMs: 86_400_000 };

test('a damaged SQLite file takes down no name that was served: the edge starts without it, and goes on with a restored one', async () => {
  const site = await createSite(SCHEDULE);
  const origin = createServer((_, response) => response.end('the origin')).listen(0, '127.0.0.1');
  const nodes: Server[] = [];
  const serve = async () => {
    const node = await startServer({
      ...SCHEDULE,
      database: site.data.url,
      nameserverPort: site.dns.port,
      roles: 'api,verifier,certificates,edge',
      env: {
        NAMEPLATE_ISSUER: 'internal',
        NAMEPLATE_MONITORING: 'off',
        NAMEPLATE_EDGE_HTTP_LISTEN: '127.0.0.1:0',
        NAMEPLATE_EDGE_HTTPS_LISTEN: '127.0.0.1:0',
        NAMEPLATE_EDGE_ALLOWED_NETWORKS: '127.0.0.0/8',
      },
    });
    nodes.push(node);
    return node;
  };
  const expectServed = async ({ httpsPort }: Server) =>
    expect(await overHttps({ port: httpsPort ?? 0, hostname: NAME })).toMatchObject({
      status: 200,
      text: 'the origin',
    });
  try {
    const { workspaceId } = await plant(site);
    const database = await databaseAt(parseDatabaseUrl(site.data.url));
    const store = await database.open({ keyring: keyringFor(database, parseKeys(ENCRYPTION_KEY)) });
    const place = { project: 'ppp', app: 'aaa', environment: 'eee' };
    const environment = (await store.findEnvironment(workspaceId, place)) as Environment;
    const { port } = origin.address() as AddressInfo;
    await store.createDeployment(aDeployment(environment, { origin: `http://127.0.0.1:${port}` }));
    await verify(store, environment, { name: NAME, at: Date.now() });
    const { serial: _, ...issued } = issue(NAME);
    await store.importCertificate(NAME, issued, Date.now());
    await store.close();
    const before = await serve();
    await expectServed(before);
    await before.stop();

    await rename(site.path, `${site.path}.whole`);
    for (const end of ['-wal', '-shm']) await rm(site.path + end, { force: true });
    await writeFile(site.path, 'no database '.repeat(1000));
    const node = await serve();
    await expectServed(node);
    const readiness = async () => ((await (await fetch(`${node.url}/readyz`)).json()) as { status: string }).status;
    expect(await readiness()).toBe('degraded');

    await rename(`${site.path}.whole`, site.path);
    await until('it is ready', async () => (await readiness()) === 'ready');
    await expectServed(node);
  } finally {
    origin.close();
    await Promise.all(nodes.map((node) => node.kill()));
    await site.close();
  }
}, 120_000);
