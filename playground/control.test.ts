import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Control, type ControlCommands, type PanelState, startControl } from './control.ts';
import { FAULTS } from './dns/simulated-fault.ts';
import { type Simulator, startSimulator } from './dns/simulator.ts';

const ROOT_KEY = 'np_root';
let simulator: Simulator;
let control: Control;
let saves = 0;

beforeEach(async () => {
  simulator = await startSimulator({ port: 0 });
  saves = 0;
  control = await startControl(simulator, ROOT_KEY, async () => {
    saves += 1;
  });
});

afterEach(async () => {
  await control.close();
  await simulator.close();
});

const tokenOf = ({ panel }: Control) => new URL(panel('acme.com')).hash.slice(1);
const A = { name: 'shop.acme.com', type: 'A', value: '192.0.2.1' };

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Any program on the machine can send such a request, with any `Host` and `Origin`. */
async function ask({ method = 'POST', path = '/addRecord', headers = {}, body = JSON.stringify(A) }: Sent) {
  const json = { 'content-type': 'application/json', authorization: `Bearer ${tokenOf(control)}` };
  const sent = request(`${control.url}${path}`, { method, headers: { ...json, ...headers }, agent: false });
  sent.end(method === 'POST' ? body : undefined);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode as number, headers: response.headers, body: await text(response) };
}

async function command<C extends keyof ControlCommands>(name: C, body: ControlCommands[C]) {
  const response = await ask({ path: `/${name}`, body: JSON.stringify(body) });
  return { status: response.status, body: JSON.parse(response.body) };
}

describe('the DNS panel', () => {
  test('changes the records of the simulator, and sees the changes that others make', async () => {
    await command('addZone', { apex: 'acme.com' });
    expect(await command('addRecord', A)).toEqual({ status: 200, body: {} });
    const to = { name: 'shop.acme.com', type: 'CNAME', value: 'target.example.net', ttl: 300 };
    expect(await command('editRecord', { from: A, to })).toEqual({ status: 200, body: {} });
    simulator.set('www.acme.co', 'TXT', ['x']);
    const { body } = await command('panel', {});
    expect((body as PanelState).zones).toEqual(['acme.co', 'acme.com']);
    expect((body as PanelState).records).toEqual(simulator.list());
    expect(simulator.list()).toContainEqual({ name: to.name, type: to.type, values: [to.value], ttl: to.ttl });
    expect(await command('removeRecord', to)).toEqual({ status: 200, body: { removed: true } });
    expect(saves).toBe(4);
  });

  test('says why a record is refused', async () => {
    expect(await command('addRecord', { ...A, value: 'x' })).toEqual({
      status: 400,
      body: { message: '"x" is not an IPv4 address.' },
    });
  });

  test('keeps its link and port over a restart, and gets another port where that one is taken', async () => {
    const port = Number(new URL(control.url).port);
    const other = await startControl(simulator, ROOT_KEY, async () => {}, port);
    expect(other.url).not.toBe(control.url);
    expect(tokenOf(other)).toBe(tokenOf(control));
    await other.close();
    const before = control;
    await control.close();
    control = await startControl(simulator, ROOT_KEY, async () => {}, port);
    expect(control.panel('acme.com')).toBe(before.panel('acme.com'));
  });

  test('offers every fault and type that the simulator has', async () => {
    const { body } = await ask({ method: 'GET', path: '/' });
    const select = (id: string) => new RegExp(`<select id="${id}">(.*?)</select>`, 's').exec(body)?.[1] ?? '';
    const offered = [...select('fault').matchAll(/value="(\w+)"/g)].map(([, fault]) => fault);
    expect(offered.sort()).toEqual([...FAULTS].sort());
    const refused = (await command('addRecord', { ...A, type: 'SRV' })).body.message as string;
    const types = [...select('type').matchAll(/<option[^>]*>(\w+)/g)].map(([, type]) => type);
    expect(refused).toContain(`only ${types.join(', ')}.`);
  });
});

describe('the page', () => {
  test('runs and loads only its own files, and cannot be framed', async () => {
    for (const path of ['/', '/?zone=acme.com', '/panel.css', '/panel.js', '/panel.svg']) {
      const { status, headers } = await ask({ method: 'GET', path });
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'/,
        ),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      });
      expect(headers['content-security-policy']).not.toContain('unsafe');
    }
  });

  test('has no script, style or address in its text, and names only files that are there', async () => {
    const { body } = await ask({ method: 'GET', path: '/' });
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:/);
    for (const [, file] of body.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect((await ask({ method: 'HEAD', path: `/${file}` })).status).toBe(200);
    }
  });

  test.each(['/../control.ts', '/panel.html', '/tsconfig.json', '/%2e%2e/control.ts', '/constructor'])(
    'has no file %s',
    async (path) => {
      expect((await ask({ method: 'GET', path })).status).toBe(404);
    },
  );
});

describe('a change is refused', () => {
  test.each<[string, number, Sent]>([
    ['without a token', 401, { headers: { authorization: '' } }],
    ['with a wrong token', 401, { headers: { authorization: `Bearer ${'0'.repeat(32)}` } }],
    ['from a page of another origin', 403, { headers: { origin: 'https://evil.example' } }],
    ['from a page of another port of this machine', 403, { headers: { origin: 'http://127.0.0.1:1' } }],
    ['from a sandboxed frame', 403, { headers: { origin: 'null' } }],
    ['for another host, as after DNS rebinding', 403, { headers: { host: 'evil.example' } }],
    ['for a host that begins like this one', 403, { headers: { host: '127.0.0.1.evil.example' } }],
    ['as a form sends it', 415, { headers: { 'content-type': 'text/plain' } }],
    ['with another method', 405, { method: 'PUT' }],
    ['that is no command', 404, { path: '/constructor' }],
    ['that is too large', 413, { body: JSON.stringify({ ...A, value: 'x'.repeat(1024 * 1024) }) }],
  ])('%s', async (_, status, sent) => {
    expect((await ask(sent)).status).toBe(status);
    expect(simulator.list()).toEqual([]);
    expect(saves).toBe(0);
  });

  test('and neither page nor state is shown for another host', async () => {
    const headers = { host: 'evil.example' };
    expect((await ask({ method: 'GET', path: '/', headers })).status).toBe(403);
    expect((await ask({ path: '/panel', headers })).status).toBe(403);
  });
});

test('the root key is an authorization, as of `nameplate dns`; the token of the panel is another one', async () => {
  const headers = { authorization: `Bearer ${ROOT_KEY}` };
  expect((await ask({ headers })).status).toBe(200);
  expect(control.panel('acme.com')).not.toContain(ROOT_KEY);
});
