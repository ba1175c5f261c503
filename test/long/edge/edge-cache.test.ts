import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { systemClock } from '../../../server/src/base/clock.ts';
import { createLog } from '../../../server/src/base/log.ts';
import { createEdgeCache, MAX_BYTES } from '../../../server/src/edge/cache/edge-cache.ts';
import { keyFile } from '../../../server/src/store/sealing/key-file.ts';
import { createKeyring } from '../../../server/src/store/sealing/keyring.ts';
import type { Site } from '../../../server/src/store/store.ts';

const NAMES = 100_000;
/** As long as a chain of Let's Encrypt: a leaf and one intermediate, in PEM. */
const CHAIN_BYTES = 3000;
const PRIVATE_KEY = new Uint8Array([0x30, ...randomBytes(137)]);

function aSite(serial: number): Site {
  const chain = randomBytes((CHAIN_BYTES * 3) / 4).toString('base64');
  return {
    hostname: `shop${serial}.customer.example.com`,
    domainId: `dom_${serial}`,
    environmentId: `env_${serial % 1000}`,
    origin: { deployment: { id: 'dep_1', origin: 'http://10.0.0.1:8080' }, settings: null },
    certificate: { chain, privateKey: PRIVATE_KEY, notAfter: 0, inherited: false },
    redirect: null,
    workspaceId: 'ws_1',
    suspendedStatus: null,
    usageNumber: 1,
    settings: null,
  };
}

test(`of ${NAMES} names that are served, those served last are kept, within the bounds of the file and of memory`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-edge-cache-'));
  const path = join(directory, 'edge-cache');
  const open = () => {
    const keyring = createKeyring(keyFile(join(directory, 'encryption.key')));
    const metrics = { registry: new Registry() };
    const log = createLog('silent');
    return createEdgeCache({ path, database: 'sqlite:/one.db', keyring, clock: systemClock, log, metrics });
  };
  try {
    const store = {
      findSite: async (hostname: string) => aSite(Number(/\d+/.exec(hostname)?.[0])),
      findOperatorSite: async () => null,
      findOrigin: async () => null,
      findBrand: async () => null,
      findChallenge: async () => null,
    };
    const changes = { isFresh: () => true, subscribe() {} };
    const kept = open().startRecording({ store, changes, recentNames: async () => [] });
    const began = performance.now();
    for (let serial = 0; serial < NAMES; serial += 1) await kept.store.findSite(`shop${serial}.customer.example.com`);
    const readMs = performance.now() - began;
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const writeBegan = performance.now();
    await kept.stop();
    const writeMs = performance.now() - writeBegan;
    delay.disable();
    const { size } = await stat(path);
    expect(size).toBeLessThan(MAX_BYTES * 1.1);

    const later = open();
    const loadBegan = performance.now();
    const count = await later.load();
    const loadMs = performance.now() - loadBegan;
    expect(await later.findSite(`shop${NAMES - 1}.customer.example.com`)).not.toBe(undefined);
    expect(await later.findSite(`shop${NAMES - count}.customer.example.com`)).not.toBe(undefined);
    expect(await later.findSite('shop0.customer.example.com')).toBe(undefined);
    console.log({
      count,
      megabytes: size / 1024 / 1024,
      'µs a name to keep': (readMs / NAMES) * 1000,
      'ms to write': writeMs,
      'longest turn while it is written, ms': delay.max / 1e6,
      'ms to read': loadMs,
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}, 300_000);
