import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSite } from '../../scripts/site.ts';
import { errorCodes } from '../../server/src/api/errors.ts';
import { operations } from '../../server/src/api/operations.ts';
import { FINDING_CODES } from '../../server/src/domain/finding.ts';
import { type Harness, startApi } from '../support/api-harness.ts';
import { temporaryDirectory } from '../support/command.ts';

// The documents as the build makes them, and as the API serves them.

const root = join(import.meta.dirname, '../..');
const directory = temporaryDirectory();
const site = join(directory.path, 'docs');
let api: Harness;
/** The HTML of each page, by its path. */
let pages: Map<string, string>;

beforeAll(async () => {
  await buildSite(root, site);
  const files = globSync('**/*.html', { cwd: site });
  pages = new Map(
    files.map((file) => [`/docs/${file.slice(0, -5)}`.replace(/\/index$/, ''), readFileSync(join(site, file), 'utf8')]),
  );
  api = await startApi({ settings: { service: 'acme' }, docsDirectory: site });
});
afterAll(async () => {
  await api.close();
  directory.remove();
});

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = (path: string, headers = {}) => api.send({ method: 'GET', path, key: null, headers });
const hrefs = (html: string) => [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, href = '']) => href);
/** The text that a reader sees. */
const plain = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');

describe('the documents', () => {
  it('have no link that leads nowhere, neither to a page nor to a section', () => {
    const broken = [...pages].flatMap(([path, html]) =>
      hrefs(html)
        .filter((href) => !/^(https?:|mailto:|data:)/.test(href) && href !== '/openapi.json')
        .filter((href) => {
          const [target = '', anchor] = href.split('#');
          const page = pages.get(target === '' ? path : target);
          if (page === undefined) return anchor !== undefined || !existsSync(join(directory.path, target));
          return anchor !== undefined && !page.includes(`id="${anchor}"`);
        })
        .map((href) => `${path}: ${href}`),
    );
    expect(broken).toEqual([]);
  });

  it('are all reached from the navigation, or from a page that is in it', () => {
    const home = pages.get('/docs') ?? '';
    const reached = new Set(['/docs', '/docs/404', ...hrefs(home)]);
    // Pages of single codes are sections of pages that are in it, and decisions are listed by their index.
    for (const path of [...reached])
      for (const href of hrefs(pages.get(path) ?? '')) reached.add(href.replace(/#.*/, ''));
    const codes = [...errorCodes.map((code) => `errors/${code}`), ...FINDING_CODES.map((code) => `findings/${code}`)];
    for (const code of codes) reached.add(`/docs/${code}`);
    expect([...pages.keys()].filter((path) => !reached.has(path))).toEqual([]);
  });

  it('load nothing from elsewhere and have no script or style within', () => {
    for (const html of pages.values()) {
      expect(
        html.match(/<script(?! type="module" src="\/docs\/assets\/)|<style| style=|<[^>]*\son\w+=|<iframe|src="http/g),
      ).toBe(null);
    }
  });

  it('have every operation, with curl, the call of the client, and a response', () => {
    for (const { name } of operations) {
      const page = readFileSync(join(root, `docs/reference/operations/${name.replace(/\..*/, '')}.md`), 'utf8');
      const [, section = ''] = page.split(`\n## ${name}\n`);
      for (const part of [`/v2/${name} \\`, `client.${name}(`, 'Response:']) expect(section).toContain(part);
    }
  });

  it('have in llms.txt every page of the navigation, as Markdown that is served', async () => {
    const { status, text } = await get('/llms.txt');
    expect(status).toBe(200);
    const listed = [...text.matchAll(/\]\((\/docs\/[^)]+\.md)\)/g)].map(([, path = '']) => path);
    expect(listed.length).toBeGreaterThan(40);
    for (const path of listed) {
      const answer = await get(path);
      expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/markdown; charset=utf-8' } });
      expect(answer.text).toMatch(/^# /);
    }
  });
});

describe('the API', () => {
  it('serves every error under the type that its responses name, whatever the name of the service', async () => {
    for (const code of errorCodes) {
      const { status, text } = await get(`/docs/errors/acme/${code}`);
      expect(status).toBe(200);
      for (const part of [code, 'Why:', 'What to do:', '"error": {']) expect(plain(text)).toContain(part);
    }
  });

  it('serves every finding with what it means, how it happens, what to do, and the words that it uses', async () => {
    for (const code of FINDING_CODES) {
      const { status, text } = await get(`/docs/findings/${code}`);
      expect(status).toBe(200);
      for (const part of [code, 'How it happens:', 'What to do:', 'The company where you pay for the domain'])
        expect(plain(text)).toContain(part);
    }
  });

  it.each(['/', '/docs/errors', '/docs/findings', '/docs/errors/'])(
    'leads a browser from %s to a page',
    async (path) => {
      const { status, headers } = await get(path, BROWSER);
      expect(status).toBe(302);
      expect(await get(String(headers.location))).toMatchObject({ status: 200 });
    },
  );

  it.each(['/docs', '/docs/', '/docs/guides/webhooks/'])('serves %s', async (path) => {
    const { status, headers } = await get(path, BROWSER);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await api.send({ method: 'HEAD', path, key: null })).toMatchObject({ status: 200, text: '' });
    expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self'");
  });

  it.each([
    '/docs/nothing',
    '/docs/constructor',
    '/docs/__proto__',
    '/docs/errors/acme/data/nothing',
    '/docs/..%2f..%2fpackage.json',
    '/docs/.%2e/x',
    '/docs/a%00b',
  ])('answers %s with a page for a browser and JSON for a program', async (path) => {
    const page = await get(path, BROWSER);
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await get(path)).toMatchObject({ status: 404, body: { error: { type: 'not-found' } } });
  });

  it('answers a program that asks for / with JSON', async () => {
    expect(await get('/')).toMatchObject({ status: 404, body: { error: { status: 404 } } });
  });

  it('compresses a page, and says when it has not changed', async () => {
    const { headers } = await get('/docs', { 'accept-encoding': 'gzip, br' });
    expect(headers['content-encoding']).toBe('br');
    expect(await get('/docs', { 'if-none-match': headers.etag ?? '' })).toMatchObject({ status: 304, text: '' });
  });

  it('says so where the documents were not built', async () => {
    const unbuilt = await startApi({ docsDirectory: null });
    const { status, headers } = await fetch(`${unbuilt.url}/docs`);
    expect([status, headers.get('nameplate-error-code')]).toEqual([404, 'request/page_not_built']);
    await unbuilt.close();
  });
});
