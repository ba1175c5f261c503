import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import type { QueryLimits } from '../../server/src/dns/resolver.ts';
import { WINDOW_MS } from '../../server/src/domain/domain.ts';
import type { Answer } from '../../server/src/domain/observation.ts';
import { createMetrics, type Metrics } from '../../server/src/roles/metrics.ts';
import type { Store } from '../../server/src/store/store.ts';
import { createVerifier, type Verifier } from '../../server/src/verification/verifier.ts';
import { openEngine } from '../support/engine.ts';
import { attach, NOW, plant } from '../support/entities.ts';
import { fixedAnswers } from '../support/fixed-answers.ts';
import { cname, fails, NXDOMAIN } from '../support/observations.ts';

/** The nameserver of this zone never responds; every other name is a CNAME to its target. */
const SILENT = 'silent.example';

const resolver = fixedAnswers(({ name, type, stopAt = '' }, options) => {
  if (name.endsWith(SILENT)) return silence(options);
  return type === 'TXT' ? NXDOMAIN : cname(stopAt);
});

function silence({ signal }: QueryLimits) {
  return new Promise<Answer>((resolve) => {
    if (signal.aborted) resolve(fails('timeout'));
    signal.addEventListener('abort', () => resolve(fails('timeout')));
  });
}

let remove: () => Promise<void>;
let store: Store;
let verifier: Verifier;
let metrics: Metrics;
beforeEach(async () => {
  ({ store, remove } = await openEngine());
  metrics = createMetrics();
});
afterEach(async () => {
  await verifier.stop(0);
  await store.close();
  await remove();
});

function start(maxInFlight: number, deadlineMs = 10_000): Verifier {
  const clock = { now: () => NOW, isTrusted: () => true };
  const log = createLog('silent');
  return createVerifier({
    store,
    resolver,
    clock,
    random: () => 0.5,
    log,
    metrics,
    maxInFlight,
    deadlineMs,
    pollMs: 10,
  });
}

async function countOf(outcome: string): Promise<number> {
  const { values } = await metrics.checks.get();
  return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
}

async function inFlight(): Promise<number> {
  return (await metrics.checksInFlight.get()).values[0]?.value ?? 0;
}

test('a workspace whose nameservers are silent uses up its share, and delays no other workspace', async () => {
  const stalled = await plant(store);
  const healthy = await plant(store);
  // Due before the healthy one, and more than the limit.
  for (let i = 0; i < 150; i++) {
    await attach(store, stalled.environment, { name: `n${i}.${SILENT}`, createdAt: NOW - 60_000 });
  }
  const domain = await attach(store, healthy.environment, { name: 'www.healthy.example', createdAt: NOW });
  verifier = start(100, 59_000);
  verifier.start();
  // A busy machine has fewer in flight at first, and all before the first of them ends.
  await vi.waitFor(
    async () => {
      const found = await store.findDomainById(healthy.workspace.id, domain.id);
      expect(found?.status).toBe('verified');
      expect(await inFlight()).toBeGreaterThanOrEqual(80);
    },
    { timeout: 50_000 },
  );
  expect(await inFlight()).toBeLessThan(90);
  // The other domains of the stalled workspace are still due, next in order.
  expect(await store.earliestDueAt()).toBe(NOW - 60_000);
});

test('nor does it where the process is busy, and fewer may be in flight than at most', async () => {
  const stalled = await plant(store);
  const healthy = await plant(store);
  for (let i = 0; i < 300; i++)
    await attach(store, stalled.environment, { name: `n${i}.${SILENT}`, createdAt: NOW - 60_000 });
  const domain = await attach(store, healthy.environment, { name: 'www.healthy.example', createdAt: NOW });
  const busy = setInterval(() => {
    for (const end = performance.now() + 39; performance.now() < end; );
  }, 40);
  try {
    verifier = start(2000, 59_000);
    verifier.start();
    await vi.waitFor(
      async () => {
        const found = await store.findDomainById(healthy.workspace.id, domain.id);
        expect(found?.status).toBe('verified');
      },
      // Sooner than the first of the stalled checks ends.
      { timeout: 50_000 },
    );
  } finally {
    clearInterval(busy);
  }
});

test('runOnce completes everything that is due, also more than one claim takes', async () => {
  const { environment } = await plant(store);
  for (let i = 0; i < 600; i++) await attach(store, environment, { createdAt: NOW - WINDOW_MS / 2 });
  verifier = start(10_000);
  expect(await verifier.runOnce()).toBe(600);
  expect(await countOf('verified')).toBe(600);
  expect(await store.earliestDueAt()).toBe(null);
});
