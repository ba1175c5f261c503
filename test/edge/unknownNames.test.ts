import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { helloOf, inventedHello, inventedName } from '../support/client-hello.ts';
import { type Harness, handshake, overHttp, overHttps, startHarness } from './harness.ts';

const MOST = 30;

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness({ limits: { unknownPerMinute: MOST } });
});
beforeEach(() => edge.clock.advance(60_000));
afterAll(() => edge.close());

/** Begins a handshake, and resolves with the alert that it came to. */
async function alertFor(number: number): Promise<number | undefined> {
  const socket = connect(edge.httpsPort, '127.0.0.1').on('error', () => {});
  const heard: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => void heard.push(chunk));
  socket.write(inventedHello(number));
  await once(socket, 'close');
  return Buffer.concat(heard)[6];
}

const lookups = (kind: string) => edge.metric(`nameplate_edge_lookups_total{kind="${kind}"}`);

const UNRECOGNIZED_NAME = 112;
const CONTEXTS = 'nameplate_edge_open{what="tls_contexts"}';

describe('many handshakes at once', () => {
  it('for a name that is not ours cost one read of the store', async () => {
    const before = await lookups('site');
    const alerts = await Promise.all(Array.from({ length: 200 }, () => alertFor(1)));
    expect(new Set(alerts)).toEqual(new Set([UNRECOGNIZED_NAME]));
    expect(await lookups('site')).toBe(before + 1);
  });

  it('for a new name of ours cost one read of the store, and one TLS context', async () => {
    const { hostname } = await edge.addSite();
    await edge.heard();
    const before = await lookups('site');
    const opening = Array.from({ length: 50 }, () => handshake(edge.httpsPort, { servername: hostname }));
    for (const socket of await Promise.all(opening)) socket.destroy();
    expect(await lookups('site')).toBe(before + 1);
    expect(await edge.metric(CONTEXTS)).toBe(1);
  });
});

describe('a client that disconnects during a handshake', () => {
  it('leaves nothing behind', async () => {
    const { hostname } = await edge.addSite();
    await edge.heard();
    const hello = await helloOf({ servername: hostname });
    const closed = 'nameplate_edge_handshakes_total{outcome="closed"}';
    const before = await edge.metric(closed);
    const socket = connect(edge.httpsPort, '127.0.0.1');
    socket.write(hello);
    // The server's part of it: so far, so good.
    await once(socket, 'data');
    socket.end();
    await once(socket, 'close');
    expect(await edge.metric(closed)).toBe(before + 1);
    expect(await edge.metric('nameplate_edge_open{what="connections"}')).toBe(0);
  });
});

describe('a flood of invented names', () => {
  it('is refused with a limited number of reads per minute and without TLS state', async () => {
    const before = await lookups('site');
    const contexts = await edge.metric(CONTEXTS);
    for (let i = 0; i < 2000; i += 50) {
      const alerts = await Promise.all(Array.from({ length: 50 }, (_, n) => alertFor(100 + i + n)));
      expect(new Set(alerts)).toEqual(new Set([UNRECOGNIZED_NAME]));
    }
    // Those that were under way when the first of them turned out to be nobody's.
    expect((await lookups('site')) - before).toBeLessThanOrEqual(MOST + 64);
    expect(await edge.metric(CONTEXTS)).toBe(contexts);
    expect(await edge.metric('nameplate_edge_handshakes_total{outcome="refused"}')).toBeGreaterThan(1800);
  });

  it('does not affect cached names, and delays new ones by a minute at most', async () => {
    const [known, fresh] = [await edge.addSite(), await edge.addSite()];
    expect((await overHttps({ port: edge.httpsPort, hostname: known.hostname })).status).toBe(200);
    for (let i = 0; i < MOST; i += 1) await overHttp({ port: edge.httpPort, hostname: inventedName(5000 + i) });
    expect((await overHttp({ port: edge.httpPort, hostname: inventedName(6000) })).status).toBe(503);
    expect((await overHttp({ port: edge.httpPort, hostname: fresh.hostname })).status).toBe(503);
    expect((await overHttps({ port: edge.httpsPort, hostname: known.hostname })).status).toBe(200);
    edge.clock.advance(60_000);
    expect((await overHttps({ port: edge.httpsPort, hostname: fresh.hostname })).status).toBe(200);
  });

  it('costs the store nothing for invalid names', async () => {
    const before = await lookups('site');
    for (const hostname of ['127.0.0.1', '[::1]', 'localhost', 'a..b', `${'a'.repeat(70)}.com`, '*.example.com']) {
      expect((await overHttp({ port: edge.httpPort, hostname })).status).toBe(404);
    }
    for (const servername of ['localhost', '']) {
      await expect(handshake(edge.httpsPort, { servername })).rejects.toThrow(/unrecognized name/i);
    }
    expect(await lookups('site')).toBe(before);
  });
});
