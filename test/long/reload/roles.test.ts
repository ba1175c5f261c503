import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startReloadable, threads } from '../../reload/reloading.ts';
import { closingAfterEach } from '../../support/closing.ts';
import { attach } from '../../support/entities.ts';
import { percentiles } from '../../support/figures.ts';

const closing = closingAfterEach();
const RELOADS = Number(process.env.ROLE_RELOADS ?? 20);
/** Enough that some are due at any moment. */
const DOMAINS = 3000;
const CHECK_INTERVAL_MS = 60_000;
/** Between two reloads: a drain without connections, and some checks. */
const BETWEEN_MS = 3000;

test(`on SQLite, checks pause for less than 2 s at each of ${RELOADS} reloads`, async () => {
  const resolver = await startResolver();
  const server = await startReloadable(closing, {
    env: { ...threads(2), NAMEPLATE_DNS_MODE: 'recursive', NAMEPLATE_DNS_RESOLVERS: `127.0.0.1:${resolver.port}` },
    async prepare(store, environment) {
      const now = Date.now();
      for (let i = 0; i < DOMAINS; i += 1)
        await attach(store, environment, { createdAt: now + (i / DOMAINS) * CHECK_INTERVAL_MS });
    },
  });
  await delay(BETWEEN_MS);
  const ordinary = resolver.longestPause(performance.now() - BETWEEN_MS / 2);
  const pauses: number[] = [];
  for (let i = 0; i < RELOADS; i += 1) {
    const begunAt = performance.now();
    expect(await server.reload()).toMatchObject({ code: 0 });
    await delay(BETWEEN_MS);
    pauses.push(resolver.longestPause(begunAt));
  }
  console.log(JSON.stringify({ reloads: RELOADS, pausesMs: percentiles(pauses), ordinaryMs: Math.round(ordinary) }));
  expect(Math.max(...pauses)).toBeLessThan(2000);
});

/** Says of every name that it does not exist, and when it was asked. */
async function startResolver() {
  const asked: number[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    asked.push(performance.now());
    const answer = Buffer.from(query);
    // QR and RD; RA and NXDOMAIN; no record but the question and EDNS.
    answer.writeUInt16BE(0x8183, 2);
    socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closing.push(() => void socket.close());
  return {
    port: socket.address().port,
    /** Between two queries, ms. */
    longestPause(since: number): number {
      const times = [since, ...asked.filter((at) => at > since), performance.now()];
      return Math.max(...times.map((at, i) => at - (times[i - 1] ?? at)));
    },
  };
}
