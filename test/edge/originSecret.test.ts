import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeyring } from '../../server/src/store/sealing/keyring.ts';
import { sealedStore } from '../../server/src/store/sealing/sealed-store.ts';
import { type Environment, StoreUnavailable } from '../../server/src/store/store.ts';
import { ROOT } from './authority.ts';
import { type Harness, handshake, overHttp2, overHttps, type Site, startHarness } from './harness.ts';
import { asRaw } from './raw.ts';

const FIELD = 'Nameplate-Edge-Secret';
const SECRET = 'npe_the-secret-of-this-environment';
const FORGED = 'npe_forged';

let edge: Harness;
let site: Site;
let origin: string;
/** The requests that arrived at the origin: pairs of a name, in lower case, and its value. */
let arrived: { fields: [string, string][]; trailers: string[] }[] = [];
beforeAll(async () => {
  edge = await startHarness({ accessLog: { fraction: 1, withQuery: true } });
  origin = await edge.addOrigin(({ rawHeaders, headers, ...request }, response) => {
    const fields = rawHeaders.flatMap((name, i): [string, string][] =>
      i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1] ?? '']] : [],
    );
    const seen = { fields, trailers: [] as string[] };
    arrived.push(seen);
    const { req } = response;
    req.resume().on('end', () => {
      seen.trailers = req.rawTrailers;
      if (request.url === '/elsewhere') response.writeHead(302, { location: 'https://evil.example/' });
      // An origin that sends back what it got, as many debug pages do.
      else response.setHeader(FIELD, String(headers[FIELD.toLowerCase()]));
      response.end('ok');
    });
  });
  site = await edge.addSite({ origin });
  await setSecret(site.environment, SECRET);
  await edge.heard();
});
afterAll(() => edge.close());
beforeEach(() => {
  arrived = [];
});

async function setSecret({ workspaceId, id }: Environment, text: string, previousExpiresAt = 0): Promise<void> {
  const secret = { text: new TextEncoder().encode(text), createdAt: edge.clock.now() };
  await edge.store.rotateOriginSecret(workspaceId, id, secret, previousExpiresAt);
}

/** The secrets of each request that arrived, under whatever spelling of the name. */
const secrets = () =>
  arrived.map(({ fields }) =>
    fields.flatMap(([name, value]) => (name.replace(/[^a-z0-9]/g, '-') === FIELD.toLowerCase() ? [value] : [])),
  );

/** Sends these lines over HTTP/1.1, and resolves with the response. */
async function send(lines: string[], end: RegExp = /\r\n\r\n.*ok/s): Promise<string> {
  const socket = await handshake(edge.httpsPort, { servername: site.hostname });
  const raw = asRaw(socket).send(`${lines.join('\r\n')}`);
  await raw.heard(end);
  socket.destroy();
  return raw.text;
}
const request = (...fields: string[]) => ['GET / HTTP/1.1', `Host: ${site.hostname}`, ...fields, '', ''];

describe('the secret of an origin', () => {
  it.each([
    ['nothing', []],
    ['the field', [`${FIELD}: ${FORGED}`]],
    ['the field in lower case', [`${FIELD.toLowerCase()}: ${FORGED}`]],
    ['the field in capitals', [`${FIELD.toUpperCase()}: ${FORGED}`]],
    ['the field twice', [`${FIELD}: ${FORGED}`, `${FIELD}: ${FORGED}`]],
    ['the right secret', [`${FIELD}: ${SECRET}`]],
    ['an empty field', [`${FIELD}:`]],
    ['underscores', [`Nameplate_Edge_Secret: ${FORGED}`]],
    ['one underscore', [`nameplate-edge_secret: ${FORGED}`]],
    ['dots', [`nameplate.edge.secret: ${FORGED}`]],
    ['other characters', [`nameplate~edge!secret: ${FORGED}`]],
    ['Connection that names the field', [`Connection: keep-alive, ${FIELD}`, `${FIELD}: ${FORGED}`]],
  ])('is all that an origin gets when a visitor sends %s over HTTP/1.1', async (_, fields) => {
    await send(request(...fields));
    expect(secrets()).toEqual([[SECRET]]);
  });

  it.each([
    ['the field', FIELD.toLowerCase()],
    ['underscores', 'nameplate_edge_secret'],
    ['a dot', 'nameplate.edge-secret'],
  ])('is all that an origin gets when a visitor sends %s over HTTP/2', async (_, name) => {
    const { hostname } = site;
    const { status } = await overHttp2({ port: edge.httpsPort, hostname, headers: { [name]: FORGED } });
    expect([status, secrets()]).toEqual([200, [[SECRET]]]);
  });

  it.each([
    ['a space before the colon', `${FIELD} : ${FORGED}`],
    ['a folded line', `X-A: b\r\n ${FIELD}: ${FORGED}`],
  ])('a request with %s is rejected', async (_, line) => {
    expect(await send(request(line), /^HTTP\/1\.1 400 /)).toContain('400');
    expect(arrived).toEqual([]);
  });

  it('is sent with a request to upgrade, without that of the visitor', async () => {
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: eA==',
    ];
    await send(request(...upgrade, `${FIELD}: ${FORGED}`, `nameplate_edge_secret: ${FORGED}`));
    expect(secrets()).toEqual([[SECRET]]);
  });

  it('does not pass in trailers, over HTTP/1.1 and HTTP/2', async () => {
    const head = ['POST / HTTP/1.1', `Host: ${site.hostname}`, 'Transfer-Encoding: chunked', `Trailer: ${FIELD}`];
    await send([...head, '', '0', `${FIELD}: ${FORGED}`, `nameplate_edge_secret: ${FORGED}`, 'X-Sum: 1', '', '']);
    const session = connectHttp2(`https://${site.hostname}`, {
      createConnection: () =>
        connectTls({
          port: edge.httpsPort,
          host: '127.0.0.1',
          servername: site.hostname,
          ca: ROOT,
          ALPNProtocols: ['h2'],
        }),
    });
    const stream = session.request({ ':method': 'POST' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ [FIELD.toLowerCase()]: FORGED, 'x-sum': '2' }));
    stream.end('x');
    await once(stream.resume(), 'end');
    session.close();
    expect(arrived.map(({ trailers }) => trailers)).toEqual([
      ['X-Sum', '1'],
      ['x-sum', '2'],
    ]);
    expect(secrets()).toEqual([[SECRET], [SECRET]]);
  });

  it('is not shown to a visitor by an origin that sends its fields back, nor by TRACE', async () => {
    for (const ask of [overHttps, overHttp2]) {
      const answer = await ask({ port: edge.httpsPort, hostname: site.hostname });
      expect([answer.status, JSON.stringify(answer)]).toEqual([200, expect.not.stringContaining(SECRET)]);
    }
    arrived = [];
    expect(await send(['TRACE / HTTP/1.1', `Host: ${site.hostname}`, '', ''], /^HTTP\/1\.1 501 /)).toContain('501');
    expect(arrived).toEqual([]);
  });

  it('goes to its own environment alone: another one with the same origin sends its own, or none', async () => {
    const [other, without] = [await edge.addSite({ origin }), await edge.addSite({ origin })];
    await setSecret(other.environment, 'npe_another');
    await edge.heard();
    for (const { hostname } of [other, without, site]) await overHttps({ port: edge.httpsPort, hostname });
    expect(secrets()).toEqual([['npe_another'], [], [SECRET]]);
  });

  it('does not follow a redirect of the origin: the visitor gets it', async () => {
    const { hostname } = site;
    const { status, headers } = await overHttps({ port: edge.httpsPort, hostname, path: '/elsewhere' });
    expect([status, headers.location, arrived.length]).toEqual([302, 'https://evil.example/', 1]);
  });

  it('goes to whatever is deployed to its environment next', async () => {
    const moved = await edge.addSite({ origin });
    await setSecret(moved.environment, 'npe_moved');
    let sent: unknown;
    const next = await edge.addOrigin(({ headers }, response) => {
      sent = headers[FIELD.toLowerCase()];
      response.end();
    });
    await edge.deploy(moved.environment, next);
    await edge.heard();
    await overHttps({ port: edge.httpsPort, hostname: moved.hostname });
    expect(sent).toBe('npe_moved');
  });

  it('is sent with the one before it during a rotation, and then alone', async () => {
    const { hostname, environment } = await edge.addSite({ origin });
    await setSecret(environment, 'npe_one');
    await setSecret(environment, 'npe_two', edge.clock.now() + 3_600_000);
    await edge.heard();
    await overHttps({ port: edge.httpsPort, hostname });
    edge.clock.advance(3_600_000);
    await overHttps({ port: edge.httpsPort, hostname });
    const { workspaceId, id } = environment;
    await edge.store.updateOriginSettings(workspaceId, id, { secret: null });
    await edge.heard();
    await overHttps({ port: edge.httpsPort, hostname });
    expect(secrets()).toEqual([['npe_two, npe_one'], ['npe_two'], []]);
  });

  it('is sent while the store is down, as it was last', async () => {
    await overHttps({ port: edge.httpsPort, hostname: site.hostname });
    edge.setStore('away');
    await overHttps({ port: edge.httpsPort, hostname: site.hostname });
    edge.setStore('there');
    edge.clock.advance(2000);
    await edge.heard();
    expect(secrets()).toEqual([[SECRET], [SECRET]]);
  });

  it('is in no page for a failure, and in no line of a log', async () => {
    const failing = await edge.addSite({ origin: 'http://127.0.0.1:1' });
    await setSecret(failing.environment, SECRET);
    await edge.heard();
    for (const accept of ['text/html', 'application/json', 'text/plain']) {
      const page = await overHttps({ port: edge.httpsPort, hostname: failing.hostname, headers: { accept } });
      expect([page.status, JSON.stringify(page)]).toEqual([502, expect.not.stringContaining('npe_')]);
    }
    expect(edge.logged.join('\n')).toContain('an origin failed');
    expect(edge.logged.join('\n')).not.toContain(SECRET);
  });

  it('is sealed in the store, and nobody is served without it where it cannot be unsealed', async () => {
    const ring = createKeyring({ name: 'the test', keys: () => [new Uint8Array(32)] });
    const other = createKeyring({ name: 'another', keys: () => [new Uint8Array(32).fill(1)] });
    const { environment } = await edge.addSite({ origin });
    const text = new TextEncoder().encode(SECRET);
    const sealed = sealedStore(edge.store, ring);
    await sealed.rotateOriginSecret(environment.workspaceId, environment.id, { text, createdAt: 1 }, 0);
    const stored = await edge.store.findOrigin(environment.id);
    expect(Buffer.from(stored?.settings?.secret?.current ?? []).includes(SECRET)).toBe(false);
    expect((await sealed.findOrigin(environment.id))?.settings?.secret?.current).toEqual(text);
    const failing = sealedStore(edge.store, other).findOrigin(environment.id);
    await expect(failing).rejects.toThrow(/sealed under the key/);
    // The edge would take the whole store for unavailable.
    await expect(failing).rejects.not.toBeInstanceOf(StoreUnavailable);
  });
});
