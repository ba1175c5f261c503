// node bench/looks.ts [names] [looks]: CPU time of looks from outside on both engines, for docs/guides/live.md. The store, the
// loop and the TLS connections are real; DNS answers at once, and one server in another process stands for all sites.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createLog } from '../server/src/base/log.ts';
import { certificatePem } from '../server/src/certificates/x509/pem.ts';
import { newPrivateKey, readPrivateKey } from '../server/src/certificates/x509/private-key.ts';
import { createServerCertificate } from '../server/src/certificates/x509/x509-certificate.ts';
import type { Look } from '../server/src/domain/live.ts';
import { createMetrics } from '../server/src/roles/metrics.ts';
import { migrate as migratePostgres, postgresStore } from '../server/src/store/engine/postgres/postgres.ts';
import { sqliteStore } from '../server/src/store/engine/sqlite/sqlite.ts';
import { createKeyedChallenge } from '../server/src/store/sealing/keyed-challenges.ts';
import { createKey, createKeyring, parseKeys } from '../server/src/store/sealing/keyring.ts';
import type { Store } from '../server/src/store/store.ts';
import { createLiveMonitor } from '../server/src/verification/live-monitor.ts';
import { createOutsideLooker } from '../server/src/verification/observation/look-outside.ts';
import { verify } from '../test/support/certificates.ts';
import { plant } from '../test/support/entities.ts';
import { addressOf, startPostgres } from '../test/support/postgres.ts';
import { cpuMicrosOf } from './postgres.ts';

const HOUR_MS = 3_600_000;
const names = Number(process.argv[2] ?? 100_000);
const looks = Number(process.argv[3] ?? 4000);

/** Answers as sites do, in a process of its own; tells its CPU time when asked. */
async function serveSites(): Promise<void> {
  const key = readPrivateKey(newPrivateKey());
  const validity = { notBefore: Date.now() - HOUR_MS, notAfter: Date.now() + 24 * HOUR_MS };
  const der = createServerCertificate(
    { hostname: 'site.example', key },
    { signer: { name: 'x', privateKey: key }, ...validity },
  );
  const tls = { cert: certificatePem(der), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
  const server = createServer(tls, (_, response) => response.end('np-response')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.send?.((server.address() as AddressInfo).port);
}

const micros = ({ user, system }: NodeJS.CpuUsage) => user + system;

/** CPU-µs of each look, by process, once the names are spread over the hours (`spread`). */
async function measure(
  store: Store,
  spread: (from: number, ms: number) => Promise<void>,
  engine: () => Promise<number>,
) {
  const { environment } = await plant(store);
  let next = 0;
  const at = Date.now() - HOUR_MS;
  const worker = async () => {
    while (next++ < names) await verify(store, environment, { at });
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  const from = Date.now();
  await spread(from, 6 * HOUR_MS);

  const sites = fork(import.meta.filename, ['sites']);
  const [port] = (await once(sites, 'message')) as [number];
  const cpuOfSites = async () => {
    sites.send('cpu');
    return micros(((await once(sites, 'message')) as [NodeJS.CpuUsage])[0]);
  };
  const keyring = createKeyring({ name: '', keys: () => parseKeys(KEY) });
  const look = createOutsideLooker({
    newChallenge: (hostname) => createKeyedChallenge(keyring, hostname),
    store,
    resolver: { lookupAddresses: async () => ({ kind: 'found', addresses: ['127.0.0.1'], chain: [] }) as never },
    mayDial: () => true,
    clock: { now: Date.now },
    port,
  });
  let now = from;
  const monitor = createLiveMonitor({
    ...{
      store,
      cnameZone: 'cname.nameplate.test',
      from: 'here',
      random: Math.random,
      log: createLog('error'),
      metrics: createMetrics(),
    },
    isOnline: async () => true,
    clock: { now: () => now },
    async look(...about): Promise<Look> {
      const seen = await look(...about);
      if (seen.kind !== 'seen') return seen;
      return { kind: 'seen', addresses: seen.addresses.map(({ address }) => ({ address, problem: null })) };
    },
    maxInFlight: 50,
  });
  const stepMs = (6 * HOUR_MS * looks) / names / 10;
  const run = async () => {
    let done = 0;
    for (let i = 0; i < 10; i++, now += stepMs) done += await monitor.runOnce();
    return done;
  };
  await run();
  const before = [process.cpuUsage(), await cpuOfSites(), await engine()] as const;
  const done = await run();
  const own = micros(process.cpuUsage(before[0])) / done;
  const [ofSites, ofEngine] = [(await cpuOfSites()) - before[1], (await engine()) - before[2]];
  sites.kill();
  await store.close();
  return `${done} looks: ${own.toFixed(0)} CPU-µs each; server of the database ${(ofEngine / done).toFixed(0)}; server of the site ${(ofSites / done).toFixed(0)}`;
}

const KEY = createKey();

async function onSqlite() {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-looks-'));
  const path = join(directory, 'nameplate.db');
  const store = await sqliteStore({ path });
  const found = await measure(
    store,
    async (from, ms) => {
      const db = new DatabaseSync(path);
      db.exec('pragma busy_timeout = 10000');
      db.exec(`update live_checks set next_check_at = ${from} + abs(random()) % ${ms}`);
      db.close();
    },
    async () => 0,
  );
  await rm(directory, { recursive: true });
  return found;
}

async function onPostgres() {
  const server = await startPostgres();
  const url = await server.createDatabase();
  await migratePostgres(addressOf(url));
  const cpu = await cpuMicrosOf(server);
  const found = await measure(
    await postgresStore({ address: addressOf(url) }),
    async (from, ms) => {
      await server.run(url, `update live_checks set next_check_at = ${from} + floor(random() * ${ms})::bigint`);
      await server.run(url, 'vacuum analyze');
    },
    cpu,
  );
  await server.close();
  return found;
}

if (process.argv[2] === 'sites') await serveSites();
else {
  console.log(`SQLite, ${names} names, ${await onSqlite()}`);
  console.log(`PostgreSQL, ${names} names, ${await onPostgres()}`);
}
