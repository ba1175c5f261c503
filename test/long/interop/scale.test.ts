import { expect, onTestFinished, test } from 'vitest';
import type { Domain } from '../../../server/src/domain/domain.ts';
import { type Internet, startInternet } from '../../interop/internet.ts';
import { startMiddlebox } from '../../interop/middlebox.ts';
import {
  createInterop,
  type InteropOptions,
  type InteropWorld,
  ownershipLine,
  routingLine,
} from '../../interop/world.ts';

/** Domains created at once. */
const BATCH = 1000;

test('10,000 domains of one zone are all verified', async () => {
  const internet = await openInternet();
  let queries = 0;
  let checks = 0;
  const { promise: allVerified, resolve } = Promise.withResolvers<void>();
  let verified = 0;
  const world = await openWorld(internet, {
    onAnswer: () => queries++,
    onClaimed: () => checks++,
    onSaved({ status }) {
      if (status === 'verified') verified += 1;
      if (verified === 10_000) resolve();
    },
  });
  const zone = await internet.register('dense', internet.nameservers);
  const domains = await createMany(world, 10_000, zone.name);
  const records = domains.flatMap((domain) => [routingLine(domain), ownershipLine(domain)]);
  await zone.publish(records.join('\n'), internet.nameservers);

  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  world.verifier.start();
  await allVerified;
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  for (const domain of domains) expect((await world.read(domain)).status).toBe('verified');
  console.log(
    `10,000 domains verified in ${seconds.toFixed(1)} s: ${checks} checks, ${(checks / seconds).toFixed(0)} checks/s, ` +
      `${(queries / checks).toFixed(2)} queries a check, ${((user + system) / checks).toFixed(0)} CPU-µs a check`,
  );
});

test('while a nameserver answers after 9 s for 1,000 domains, each of 1,000 others is verified by its first check', async () => {
  const internet = await openInternet();
  const [first] = internet.nameservers;
  let delayMs = 0;
  const slow = await startMiddlebox(internet.spareHost(), {
    port: internet.port,
    to: first.address,
    delayMs: () => delayMs,
  });
  onTestFinished(() => slow.close());
  const lateMs = { onTime: [] as number[], slow: [] as number[] };
  const { promise: checkedTwice, resolve: onCheckedTwice } = Promise.withResolvers<void>();
  const { promise: allVerified, resolve: onAllVerified } = Promise.withResolvers<void>();
  const verifiedAt: number[] = [];
  let isVisible = false;
  const checkedSince: string[] = [];
  const world = await openWorld(internet, {
    onClaimed({ domain, dueAt }, now) {
      const isSlow = domain.name.endsWith('.slow.test');
      lateMs[isSlow ? 'slow' : 'onTime'].push(now - dueAt);
      if (lateMs.onTime.length === 2000) onCheckedTwice();
      if (!isSlow && isVisible) checkedSince.push(domain.name);
    },
    onSaved(domain) {
      if (domain.verifiedAt !== null) verifiedAt.push(domain.verifiedAt);
      if (verifiedAt.length === 1000) onAllVerified();
    },
  });
  const slowZone = await internet.register('slow', [slow]);
  const zone = await internet.register('on-time');
  await slowZone.publish('');
  await zone.publish('');
  await createMany(world, 1_000, slowZone.name);
  const domains = await createMany(world, 1_000, zone.name);

  delayMs = 9_000;
  world.verifier.start();
  await checkedTwice;
  await zone.publish(domains.map(routingLine).join('\n'));
  const visibleAt = world.clock.now();
  isVisible = true;
  await allVerified;
  // By the first check of each from then on: none was spoilt by the slow zone.
  expect(checkedSince.length).toBe(new Set(checkedSince).size);
  console.log(`claimed after they were due: on time ${spread(lateMs.onTime)}; slow ${spread(lateMs.slow)}`);
  console.log(`record visible → verified: ${spread(verifiedAt.map((at) => at - visibleAt))}`);
});

async function openInternet(): Promise<Internet> {
  const internet = await startInternet();
  onTestFinished(() => internet.close());
  return internet;
}

/** A world whose clock runs. */
async function openWorld(internet: Internet, options: InteropOptions): Promise<InteropWorld> {
  const openedAt = performance.now();
  let base = 0;
  const now = () => Math.round(base + performance.now() - openedAt);
  const world = await createInterop(internet, { ...options, clock: { now } });
  onTestFinished(() => world.close());
  base = world.clock.now();
  return { ...world, clock: { ...world.clock, now } };
}

async function createMany(world: InteropWorld, count: number, zone: string): Promise<Domain[]> {
  const domains: Domain[] = [];
  while (domains.length < count) {
    const numbers = Array.from({ length: Math.min(BATCH, count - domains.length) }, (_, at) => domains.length + at);
    domains.push(...(await Promise.all(numbers.map((number) => world.create(`n${number}.${zone}`)))));
  }
  return domains;
}

function spread(values: number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms (${sorted.length})`;
}
