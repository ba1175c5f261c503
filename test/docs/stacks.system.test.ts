import { execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createClient } from '../../client/client.ts';
import { CLONE, type Started, startPlayground, temporaryDirectory, type, watch } from '../support/command.ts';
import { findPrograms, START_LIMIT_MS, TOOLS } from '../support/debian.ts';
import { freePort } from '../support/free-port.ts';
import { npmPackages } from '../support/npm-packages.ts';

// The guides of docs/guides/stacks/, each with its application of docs/examples/, as readers run it.

const NPM_PACKAGES = [
  ...['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1', 'express@5.3.0', 'hono@4.13.19', '@hono/node-server@2.1.9'],
  ...['typescript@6.0.3', '@types/node@24.19.2', '@types/react@19.3.3', '@types/express@5.0.6'],
];

/** Where an application runs, and the programs that the command of its guide needs. */
interface Place {
  directory: string;
  env: Record<string, string>;
  /** Lines of shell, for programs that are not where they look for themselves. */
  programs: Record<string, string>;
  /** Files beside those of the example. */
  files?: Record<string, string>;
}

/** A stack: how it is there without being installed. Next.js shows no address of a connection. With the client, none decodes a secret itself. */
const STACKS: { stack: string; place: () => Place | Promise<Place>; knowsAddresses?: false; decodes?: true }[] = [
  { stack: 'express', place: nodePlace },
  { stack: 'hono', place: nodePlace },
  { stack: 'nextjs', place: nodePlace, knowsAddresses: false },
  { stack: 'rails', place: rubyPlace, decodes: true },
  { stack: 'django', place: pythonPlace, decodes: true },
  { stack: 'laravel', place: phpPlace, decodes: true },
  { stack: 'go', place: goPlace, decodes: true },
];

/** With links to the files of the packages: Next.js takes no folder of packages that is a link itself. */
function nodePlace(): Place {
  npmPackages('stacks', NPM_PACKAGES, 'next/package.json');
  const directory = mkdtempSync(join(TOOLS, 'stacks-'));
  execFileSync('cp', ['--archive', '--link', join(TOOLS, 'stacks/node_modules'), directory]);
  const client = join(directory, 'node_modules/@nameplate/client');
  for (const part of ['package.json', 'dist'])
    cpSync(join(CLONE, 'client', part), join(client, part), { recursive: true });
  // npx runs a program of the project's packages.
  const npx = `name=$1; shift; exec ${directory}/node_modules/.bin/$name "$@"`;
  const programs = { node: `exec ${process.execPath} "$@"`, npx };
  return { directory, env: { NEXT_TELEMETRY_DISABLED: '1' }, programs, files: { 'package.json': '{"type":"module"}' } };
}

async function rubyPlace(): Promise<Place> {
  const { path, env } = await findPrograms('stack-ruby', ['ruby', 'ruby-railties', 'puma']);
  const root = join(TOOLS, 'stack-ruby/usr');
  const folders = (pattern: string) =>
    globSync(pattern, { cwd: root })
      .map((folder) => join(root, folder))
      .join(':');
  return {
    directory: temporaryDirectory().path,
    env: {
      ...(env as Record<string, string>),
      RUBYLIB: folders('lib/{ruby,*-linux-*/ruby}/{vendor_ruby,[0-9]*,vendor_ruby/[0-9]*}'),
      GEM_PATH: folders('{share/rubygems-integration/all,lib/*-linux-*/rubygems-integration/*,lib/ruby/gems/*}'),
    },
    programs: { puma: `exec ${path('ruby')} ${path('puma')} "$@"` },
  };
}

/** Debian has its Python everywhere, so apt fetches none. */
async function pythonPlace(): Promise<Place> {
  await findPrograms('stack-python', ['python3-django']);
  const PYTHONPATH = join(TOOLS, 'stack-python/usr/lib/python3/dist-packages');
  return {
    directory: temporaryDirectory().path,
    env: { PYTHONPATH },
    programs: { python3: 'exec /usr/bin/python3 "$@"' },
  };
}

async function phpPlace(): Promise<Place> {
  const packages = ['php-cli', 'php-laravel-framework', 'php-guzzlehttp-guzzle'];
  const { path, env } = await findPrograms('stack-php', packages);
  const root = join(TOOLS, 'stack-php/usr');
  const [extensions = ''] = globSync('lib/php/20*', { cwd: root });
  const directory = temporaryDirectory().path;
  const settings = [
    `extension_dir = ${join(root, extensions)}`,
    `include_path = ${join(root, 'share/php')}`,
    ...['ctype', 'fileinfo', 'iconv', 'mbstring', 'tokenizer'].map((name) => `extension = ${name}`),
  ];
  return {
    directory,
    env: { ...(env as Record<string, string>), PHPRC: directory, PHP_INI_SCAN_DIR: '' },
    programs: { php: `exec ${path('php.default')} "$@"` },
    files: {
      'php.ini': settings.join('\n'),
      // Composer makes it: Debian's packages have one of their own each.
      'vendor/autoload.php': "<?php require 'GuzzleHttp/autoload.php'; require 'Illuminate/autoload.php';",
    },
  };
}

async function goPlace(): Promise<Place> {
  const { path } = await findPrograms('stack-go', ['golang-go']);
  const directory = temporaryDirectory().path;
  const env = {
    GOROOT: join(TOOLS, 'stack-go/usr/lib/go'),
    GOCACHE: join(directory, 'cache'),
    GOFLAGS: '',
    GOPROXY: 'off',
  };
  return { directory, env, programs: { go: `exec ${path('go')} "$@"` } };
}

/** A request around the edge. */
interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Address that it comes from. */
  from?: string;
  /** Port of the application. */
  at?: number;
}

describe.each(STACKS)('the application in $stack', ({ stack, place, knowsAddresses = true, decodes = false }) => {
  const example = join(CLONE, 'docs/examples', stack);
  const files = globSync('**/*', { cwd: example }).filter((file) => statSync(join(example, file)).isFile());
  const page = readFileSync(join(CLONE, `docs/guides/stacks/${stack}.md`), 'utf8');
  const blocks = (language: string) =>
    [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
  const [, setUp = '', , run = '', customer = ''] = blocks('sh');
  const [printed = ''] = blocks('text');

  const data = temporaryDirectory();
  let directory = '';
  let playground: Awaited<ReturnType<typeof startPlayground>>;
  let nameplate: ReturnType<typeof createClient>;
  let application: Started;
  let port: number;
  let secrets: { edge: string; webhook: string };
  let start: (secret: string, at: number) => Started;

  /** The text of the page, with the ports of this test. */
  function here(text: string): string {
    return text
      .replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
      .replaceAll('7443', playground.ready.edge.https.split(':')[1] ?? '')
      .replaceAll('.nameplate/', `${data.path}/`)
      .replace(/^\.\/bin\/nameplate \w+ [\w-]+/gm, `$& --data ${data.path}`);
  }
  const typed = (text: string) => type(`sh -ec '${here(text).replaceAll("'", `'\\''`)}'`);

  /** The site of a name through the edge, as a visitor with an address of its own gets it. */
  const visit = async (url: string, options = '') => {
    const name = new URL(url).hostname;
    const curl = `curl -s --interface 127.0.0.3 --resolve ${name}:7443:127.0.0.1 --cacert .nameplate/ca.pem`;
    return (await typed(`${curl} -w ' %{http_code}' ${options} ${url.replace(name, `${name}:7443`)}`)).stdout;
  };

  /** Asks the application itself, around the edge. */
  function ask({ method = 'GET', path = '/', headers = {}, body, from = '127.0.0.1', at = port }: Asked) {
    return new Promise<{ status: number; location: string | undefined; body: string }>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: at, method, path, headers, localAddress: from, agent: false };
      const asked = request(options, async (response) => {
        const text = (await response.toArray()).join('');
        resolve({ status: response.statusCode ?? 0, location: response.headers.location, body: text });
      });
      asked.on('error', reject).end(body);
    });
  }

  /** A customer adds a name, as with a form. */
  function add(domain: string, headers: Record<string, string>) {
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
    return ask({ method: 'POST', path: '/domains', headers: form, body: new URLSearchParams({ domain }).toString() });
  }

  /** As the edge asks for the site of a name. */
  const asEdge = (name: string, secret = secrets.edge) => ({
    host: name,
    'nameplate-edge-secret': secret,
    'x-real-ip': '127.0.0.3',
    'x-forwarded-for': '127.0.0.3',
    'x-forwarded-host': name,
  });

  beforeAll(async () => {
    const { env, programs, files: others = {}, ...prepared } = await place();
    directory = prepared.directory;
    cpSync(example, directory, { recursive: true });
    const own = Object.entries(programs).map(([name, line]) => [`bin/${name}`, `#!/bin/sh\n${line}\n`] as const);
    for (const [name, text] of [...own, ...Object.entries(others)]) {
      mkdirSync(join(directory, name, '..'), { recursive: true });
      writeFileSync(join(directory, name), text);
    }
    for (const [name] of own) chmodSync(join(directory, name), 0o755);

    playground = await startPlayground(data.path, ['--check-interval', '0.5']);
    nameplate = createClient({ baseUrl: playground.ready.api, rootKey: playground.ready.rootKey });
    port = await freePort();
    const { stdout, stderr } = await typed(setUp);
    expect(stderr).toBe('');
    const found = (pattern: RegExp) => pattern.exec(stdout)?.[0] ?? '';
    secrets = { edge: found(/npe_[\w-]+/), webhook: found(/whsec_[\w+/=]+/) };
    start = (secret, at) => {
      const values: Record<string, string> = {
        'http://127.0.0.1:7070': playground.ready.api,
        'np_…': playground.ready.rootKey,
        'env_…': found(/env_\w+(?= +production)/),
        'npe_…': secrets.edge,
        'whsec_…': secret,
        'PORT=4000': `PORT=${at}`,
        '-p 4000': `-p ${at}`,
        [`127.0.0.1:${port}`]: `127.0.0.1:${at}`,
      };
      const line = Object.entries(values).reduce((text, [from, to]) => text.replaceAll(from, to), here(run));
      const child = spawn('sh', ['-ec', line], {
        cwd: directory,
        env: { PATH: `${directory}/bin:${process.env.PATH}`, HOME: directory, ...env },
        stdio: 'pipe',
        // A group, since some of the programs start others.
        detached: true,
      });
      return watch(child);
    };
    application = start(secrets.webhook, port);
    const over = application.ended.then(({ stdout: said, stderr: complained }) => said + complained);
    await Promise.race([
      vi.waitFor(async () => expect((await ask({})).status).toBe(403), { timeout: START_LIMIT_MS / 2, interval: 200 }),
      over.then((said) => Promise.reject(new Error(`the application ended: ${said}`))),
    ]);
  }, START_LIMIT_MS);
  afterAll(async () => {
    await stop(application);
    await playground?.stop();
    data.remove();
    if (directory !== '') rmSync(directory, { recursive: true, force: true });
  });

  test('is in its guide as it is, and as short as the guide says', () => {
    const shown = [...page.matchAll(/^`(.+)`:\n\n```\w+\n([\s\S]*?)^```$/gm)].map(([, file, text]) => [file, text]);
    const texts = files.map((file) => [file, readFileSync(join(example, file), 'utf8')] as const);
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(texts));
    const [, limit] = /fewer than (\d+) lines/.exec(page) ?? [];
    const lines = texts.map(([, text]) => text.split('\n').length - 1);
    expect(lines.reduce((sum, each) => sum + each)).toBeLessThan(Number(limit));
  });

  test('serves two customers over TLS, each at its own name, after the set-up page and a webhook', async () => {
    const { stdout, stderr } = await typed(customer);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^HTTP\/1\.1 303 /);
    expect(stdout).toMatch(/^location: http:\/\/127\.0\.0\.1:\d+\/setup#nps_[\w-]+\r?$/im);
    expect(stdout.trim().endsWith(printed.trim()), stdout).toBe(true);

    const { status, location } = await add('www.example.net', { 'x-customer': 'bolt' });
    expect({ status, location }).toEqual({ status: 303, location: expect.stringMatching(/\/setup#nps_/) });
    const published = await typed(
      './bin/nameplate dns publish www.example.net\n./bin/nameplate domains wait www.example.net --certificate',
    );
    expect(published).toMatchObject({ code: 0, stderr: '' });
    const sites = { 'shop.example.com': 'acme', 'www.example.net': 'bolt' };
    for (const [name, owner] of Object.entries(sites)) {
      const site = await visit(`https://${name}/`);
      expect(site).toContain(`The site of ${owner}, at ${name}, for 127.0.0.3.`);
      expect(site).toMatch(/ 200$/);
    }
    const { items } = await nameplate.webhooks.listWebhooks({});
    const webhookId = items[0]?.id ?? '';
    const delivered = async () => (await nameplate.webhooks.listDeliveries({ webhookId, state: 'delivered' })).items;
    await expect
      .poll(delivered, { timeout: 20_000 })
      .toMatchObject([{ type: 'domain.verified' }, { type: 'domain.verified' }]);
  });

  test('gives no visitor of a site a path to the platform itself', async () => {
    for (const path of ['/domains', '/%64omains', '/domains/']) {
      const posted = await visit(
        `https://shop.example.com${path}`,
        "-H 'X-Customer: mallory' -d domain=stolen.example.com",
      );
      expect(posted).not.toMatch(/ 303$/);
    }
    const stolen = nameplate.domains.getDomain({ domain: 'stolen.example.com' });
    await expect(stolen).rejects.toMatchObject({ status: 404 });
    expect(await visit('https://shop.example.com/any/path?query=1')).toContain('The site of acme');
  });

  test('refuses requests around the edge, whatever they forge', async () => {
    const name = 'shop.example.com';
    const forged: Asked[] = [
      { headers: { host: name } },
      { headers: { 'x-forwarded-host': name, 'x-forwarded-for': '127.0.0.1', forwarded: `host=${name}` } },
      { headers: asEdge(name, '') },
      { headers: asEdge(name, secrets.edge.slice(0, -1)) },
      { headers: asEdge(name, `${secrets.edge}x`) },
      { headers: asEdge(name, `npe_ü, npe_old`) },
      ...(knowsAddresses ? [{ headers: asEdge(name), from: '127.0.0.2' }] : []),
    ];
    for (const asked of forged) {
      const { status, body } = await ask(asked);
      expect({ asked, status, body }).toEqual({ asked, status: 403, body: expect.not.stringContaining('site of') });
    }
    for (const path of ['/domains', '/%64omains', '/webhooks/nameplate', '/_next/static/x'])
      expect((await ask({ path, headers: { host: name, 'x-forwarded-host': name } })).body).not.toContain('site of');
    for (const secret of [secrets.edge, `npe_new, ${secrets.edge}`, `${secrets.edge}, npe_old`])
      expect(await ask({ headers: asEdge(name, secret) })).toMatchObject({ status: 200 });
    expect(await ask({ headers: asEdge('unknown.example.com') })).toMatchObject({ status: 404 });
  });

  test('believes a webhook by its signature alone', async () => {
    const owner = async (name: string) => /site of (\w+)/.exec((await ask({ headers: asEdge(name) })).body)?.[1];
    const event = (kind: string, domain: string, externalId: string) =>
      JSON.stringify({
        type: kind,
        timestamp: new Date().toISOString(),
        data: { domain: { domain, note: 'ü' }, externalId },
      });
    const send = async (body: string, secret = secrets.webhook, { at = new Date(), more = '', signed = body } = {}) => {
      const headers = {
        'content-type': 'application/json',
        'webhook-id': 'evt_1',
        'webhook-timestamp': `${Math.floor(at.getTime() / 1000)}`,
        'webhook-signature': `${more}${new Webhook(secret).sign('evt_1', at, signed)}`,
      };
      return (await ask({ method: 'POST', path: '/webhooks/nameplate', headers, body })).status;
    };
    const other = `whsec_${Buffer.alloc(32).toString('base64')}`;
    const theft = event('domain.verified', 'shop.example.com', 'mallory');
    expect(await send(theft, other)).toBe(400);
    expect(await send(theft, secrets.webhook, { signed: theft.replace('mallory', 'acme') })).toBe(400);
    expect(await send(theft, secrets.webhook, { at: new Date(Date.now() - 600_000) })).toBe(400);
    expect(await ask({ method: 'POST', path: '/webhooks/nameplate', body: theft })).toMatchObject({ status: 400 });
    expect(await owner('shop.example.com')).toBe('acme');

    expect(await send(event('domain.verified', 'new.example.com', 'bolt'))).toBe(204);
    expect(await owner('new.example.com')).toBe('bolt');
    // As during a rotation.
    expect(await send(event('domain.verified', 'two.example.com', 'bolt'), secrets.webhook, { more: 'v1,AAAA ' })).toBe(
      204,
    );
    expect(await owner('two.example.com')).toBe('bolt');
    // Events of different domains come in no order: the name may have another customer by now.
    expect(await send(event('domain.deleted', 'new.example.com', 'acme'))).toBe(204);
    expect(await owner('new.example.com')).toBe('bolt');
    expect(await send(event('domain.deleted', 'new.example.com', 'bolt'))).toBe(204);
    expect(await owner('new.example.com')).toBeUndefined();
    expect(await send('{"type":"webhook.test","timestamp":"2026-11-20T12:00:00.000Z","data":{}}')).toBe(204);
  });

  test.runIf(decodes)(
    'believes no webhook while its secret is none, such as the placeholder of its guide',
    async () => {
      for (const secret of ['whsec_…', 'whsec_']) {
        const at = await freePort();
        const other = start(secret, at);
        const body = JSON.stringify({ type: 'domain.verified', data: { domain: { domain: 'x.example.com' } } });
        const time = `${Math.floor(Date.now() / 1000)}`;
        // A lenient decoder leaves nothing of such a secret.
        const signature = createHmac('sha256', '').update(`evt_1.${time}.${body}`).digest('base64');
        const headers = {
          'content-type': 'application/json',
          'webhook-id': 'evt_1',
          'webhook-timestamp': time,
          'webhook-signature': `v1,${signature}`,
        };
        const isUp = vi.waitFor(() => ask({ at }), { timeout: START_LIMIT_MS / 2, interval: 200 });
        const running = await Promise.race([isUp.then(() => true), other.ended.then(() => false)]);
        isUp.catch(() => {});
        const { status } = running
          ? await ask({ method: 'POST', path: '/webhooks/nameplate', headers, body, at })
          : { status: 'ended' };
        await stop(other);
        expect(status).toSatisfy((each) => each === 'ended' || each === 500);
      }
    },
    START_LIMIT_MS,
  );

  test('adds a name once, however it is typed, for whoever is signed in alone, and never the verified name of another customer', async () => {
    const acme = { 'x-customer': 'acme' };
    expect(await add('blog.example.com', acme)).toMatchObject({ status: 303 });
    const first = await nameplate.domains.getDomain({ domain: 'blog.example.com' });
    expect(await add('Blog.Example.com', acme)).toMatchObject({ status: 303 });
    expect(await nameplate.domains.getDomain({ domain: 'blog.example.com' })).toMatchObject({ id: first.id });
    expect(await add('blog.example.com', {})).toMatchObject({ status: 401, location: undefined });
    expect(await add('shop.example.com', { 'x-customer': 'bolt' })).toMatchObject({ status: 409, location: undefined });
    expect(await add('x', acme)).toMatchObject({ status: 400, location: undefined });
    expect(await visit('https://shop.example.com/')).toContain('The site of acme');
  });
});

async function stop(application: Started | undefined): Promise<void> {
  const { pid, exitCode, signalCode } = application?.child ?? {};
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGTERM');
  await application?.ended;
}

test(
  'the examples in Express and Hono pass the strictest checks of types',
  async () => {
    const { directory } = nodePlace();
    for (const stack of ['express', 'hono'])
      cpSync(join(CLONE, `docs/examples/${stack}/server.ts`), join(directory, `${stack}.ts`));
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    const strict = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --erasableSyntaxOnly --noEmit';
    const options = `--ignoreConfig --module nodenext --target es2024 --types node ${strict}`;
    const { stdout, code } = await type(
      `sh -c 'cd ${directory} && node_modules/.bin/tsc ${options} express.ts hono.ts'`,
    );
    rmSync(directory, { recursive: true });
    expect({ stdout, code }).toEqual({ stdout: '', code: 0 });
  },
  START_LIMIT_MS,
);
