import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, startApi } from '../../support/api-harness.ts';

const PAGE = '<!doctype html><title>Set up</title><script type="module" src="setup/assets/page-1a2b.js"></script>';
const GERMAN = '<!doctype html><html lang="de"><title>Einrichten</title>';
const SCRIPT = 'export const answer = 42;';

let directory: string;
let api: Harness;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-web-'));
  const web = join(directory, 'web');
  await mkdir(join(web, 'assets'), { recursive: true });
  await writeFile(join(directory, 'secret.js'), 'secret');
  await writeFile(join(web, 'index.html'), PAGE);
  await writeFile(join(web, 'index.de.html'), GERMAN);
  for (const name of ['nameplate-domain.js', 'assets/page-1a2b.js']) {
    await writeFile(join(web, name), SCRIPT);
    await writeFile(join(web, `${name}.br`), brotliCompressSync(SCRIPT));
    await writeFile(join(web, `${name}.gz`), gzipSync(SCRIPT));
  }
  await writeFile(join(web, 'assets/page-1a2b.css'), ':root{}');
  await writeFile(join(web, 'assets/notes.txt'), 'not for browsers');
  api = await startApi({ webDirectory: web });
});
afterAll(async () => {
  await api.close();
  await rm(directory, { recursive: true });
});

/** The path is sent as it is, and nothing is decoded. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, string>; body: Buffer }>((resolve, reject) => {
    const sent = request(`${api.url}/`, { path, headers, method, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.on('error', reject).end();
  });
}

describe('the page', () => {
  it('is served to anybody, and never kept by a cache', async () => {
    const { status, headers, body } = await get('/setup');
    expect([status, body.toString()]).toEqual([200, PAGE]);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  });

  it.each([
    ['the first that the browser has and it has', { 'accept-language': 'sv-SE,de-CH;q=0.9,en;q=0.8' }, '', GERMAN],
    ['English before others that come later', { 'accept-language': 'en-GB, de;q=0.5' }, '', PAGE],
    ['English where it has none of them', { 'accept-language': 'sv, ..;q=1' }, '', PAGE],
    ['the one in its address before that of the browser', { 'accept-language': 'en' }, '?lang=DE_at', GERMAN],
    ['the one chosen before', { 'accept-language': 'en', cookie: 'a=b; nameplate-language=de' }, '', GERMAN],
  ])('is in one language: %s', async (_, headers, query, text) => {
    expect((await get(`/setup${query}`, headers)).body.toString()).toBe(text);
  });

  it('runs only its own files, and loads, sends and embeds nothing else', async () => {
    const { headers } = await get('/setup');
    const policy = new Map(
      headers['content-security-policy']?.split('; ').map((directive) => {
        const [name = '', ...values] = directive.split(' ');
        return [name, values.join(' ')];
      }),
    );
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    });
    expect(headers['content-security-policy']).not.toMatch(/unsafe|http:|https:|\*|nonce/);
  });

  it('cannot be framed, tells no other site its address, and shares nothing with other windows', async () => {
    expect((await get('/setup')).headers).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringMatching(/^clipboard-write=\(self\), .*camera=\(\)/),
    });
  });

  it('sets no cookie, whatever is sent', async () => {
    const { headers } = await get('/setup?token=nps_1&x=<script>', { cookie: 'a=b' });
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('answers HEAD with the same headers, and refuses other methods', async () => {
    const { status, headers, body } = await get('/setup', {}, 'HEAD');
    expect([status, body.length]).toEqual([200, 0]);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const refused = await get('/setup', {}, method);
      expect([refused.status, refused.headers.allow]).toEqual([405, expect.stringContaining('GET')]);
    }
  });

  it('shows nothing of a request: every address has the same text', async () => {
    for (const path of ['/setup?<script>alert(1)</script>', '/setup?domain=shop.acme.com'])
      expect((await get(path)).body.toString()).toBe(PAGE);
    const missing = await get('/setup/assets/<script>alert(1)</script>');
    expect(missing.status).toBe(404);
    expect(missing.headers['content-type']).toContain('application/json');
    expect(missing.body.toString()).not.toContain('alert(1)');
  });
});

describe('its files', () => {
  it('are kept for good: their names have the hash of their content', async () => {
    const { status, headers, body } = await get('/setup/assets/page-1a2b.js');
    expect([status, body.toString()]).toEqual([200, SCRIPT]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect((await get('/setup/assets/page-1a2b.css')).headers['content-type']).toBe('text/css; charset=utf-8');
  });

  it('can be imported by the component in pages of other origins', async () => {
    const { headers } = await get('/setup/assets/page-1a2b.js', { origin: 'https://platform.example' });
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
  });

  it('are compressed for clients that take it', async () => {
    const path = '/setup/assets/page-1a2b.js';
    const brotli = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
    expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(brotliDecompressSync(brotli.body).toString()).toBe(SCRIPT);
    expect((await get(path, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
    for (const accept of ['identity', 'br;q=0, gzip;q=0', 'zstd'])
      expect((await get(path, { 'accept-encoding': accept })).headers['content-encoding'], accept).toBeUndefined();
  });

  it.each([
    '/setup/assets/../../secret.js',
    '/setup/assets/..%2f..%2fsecret.js',
    '/setup/assets/%2e%2e/%2e%2e/secret.js',
    '/setup/assets/..%5c..%5csecret.js',
    '/setup/assets/%00',
    '/setup/assets/',
    '/setup/assets',
    '/setup/assets/page-1a2b.js/',
    '/setup/assets/page-1a2b.js.br',
    '/setup/assets/notes.txt',
    '/setup/assets/__proto__',
    '/setup/index.html',
    '/setup/',
    '/setup/..',
    '//setup',
  ])('are these and no others: %s', async (path) => {
    const { status, body } = await get(path);
    expect([400, 404]).toContain(status);
    expect(body.toString()).not.toContain('secret');
  });
});

describe('the component', () => {
  it('is a script for the pages of any origin, kept for a few minutes and then asked for by its tag', async () => {
    const { status, headers, body } = await get('/setup/nameplate-domain.js', { origin: 'https://app.acme.com' });
    expect([status, body.toString()]).toEqual([200, SCRIPT]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=300',
    });
    const again = await get('/setup/nameplate-domain.js', { 'if-none-match': headers.etag ?? '' });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });
});

it('an installation that was not built responds with the command that builds it, and serves the rest', async () => {
  for (const webDirectory of [null, join(directory, 'none')]) {
    const unbuilt = await startApi({ webDirectory });
    for (const path of ['/setup', '/setup/nameplate-domain.js', '/setup/assets/page-1a2b.js']) {
      const answer = await fetch(unbuilt.url + path);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('npm run build');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(answer.headers.get('content-security-policy')).toBeNull();
    }
    expect((await fetch(`${unbuilt.url}/healthz`)).status).toBe(200);
    await unbuilt.close();
  }
});

it('files that could not be read once are read again', async () => {
  const web = join(directory, 'damaged');
  await mkdir(join(web, 'unreadable.js'), { recursive: true });
  await writeFile(join(web, 'index.html'), PAGE);
  const damaged = await startApi({ webDirectory: web });
  expect((await fetch(`${damaged.url}/setup`)).status).toBe(500);
  await rm(join(web, 'unreadable.js'), { recursive: true });
  expect((await fetch(`${damaged.url}/setup`)).status).toBe(200);
  await damaged.close();
});
