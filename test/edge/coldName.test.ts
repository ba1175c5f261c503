import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verify } from '../support/certificates.ts';
import { issue } from './authority.ts';
import { type Harness, handshake, overHttp2, overHttps, startHarness } from './harness.ts';

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness({
    threads: 1,
    async lookUp() {
      edge.calls.push('lookUp');
      return ['127.0.0.1'];
    },
  });
});
afterAll(() => edge.close());

/** Returns the calls of the edge thread to the main thread meanwhile: each call is a round trip. */
async function callsOf(act: () => Promise<unknown>): Promise<string[]> {
  edge.calls.length = 0;
  await act();
  return edge.calls.filter((call) => call !== 'changesSince');
}

describe('the round trips of a name', () => {
  it('are one for the first request over TLS, and none for the next', async () => {
    const { hostname } = await edge.addSite();
    await edge.heard();
    const port = edge.httpsPort;
    const request = async () => expect((await overHttps({ port, hostname })).status).toBe(200);
    expect(await callsOf(request)).toEqual(['findSite']);
    expect(await callsOf(request)).toEqual([]);
    expect(await callsOf(() => overHttp2({ port, hostname }))).toEqual([]);
  });

  it('are two where the address of the origin has to be looked up', async () => {
    const origin = await edge.addOrigin((_, response) => response.end('by name'));
    const { hostname } = await edge.addSite({ origin: origin.replace('127.0.0.1', 'origin.example') });
    await edge.heard();
    const request = async () => expect((await overHttps({ port: edge.httpsPort, hostname })).text).toBe('by name');
    expect(await callsOf(request)).toEqual(['findSite', 'lookUp']);
  });

  it('are one after a new deployment, for all names of the environment together', async () => {
    const { hostname, environment } = await edge.addSite();
    const other = `other.${hostname}`;
    await verify(edge.store, environment, { name: other, at: edge.clock.now() });
    const { serial: _, ...issued } = issue(other);
    await edge.store.importCertificate(other, issued, edge.clock.now());
    await edge.heard();
    const port = edge.httpsPort;
    for (const name of [hostname, other]) await overHttps({ port, hostname: name });
    await edge.deploy(environment, await edge.addOrigin((_, response) => response.end('next')));
    await edge.heard();
    for (const [name, calls] of [[hostname, ['findOrigin']] as const, [other, []] as const]) {
      const request = async () => expect((await overHttps({ port, hostname: name })).text).toBe('next');
      expect(await callsOf(request)).toEqual(calls);
    }
  });

  it('are one after a new certificate', async () => {
    const { hostname } = await edge.addSite();
    await edge.heard();
    await overHttps({ port: edge.httpsPort, hostname });
    const { serial, ...issued } = issue(hostname);
    await edge.store.importCertificate(hostname, issued, edge.clock.now());
    await edge.heard();
    const connect = async () => {
      const socket = await handshake(edge.httpsPort, { servername: hostname });
      expect(socket.getPeerX509Certificate()?.serialNumber).toBe(serial);
      socket.destroy();
    };
    expect(await callsOf(connect)).toEqual(['findSite']);
  });
});
