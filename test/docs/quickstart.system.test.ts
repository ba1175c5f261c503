import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLONE, type Started, startCommand, startPlayground, temporaryDirectory, type } from '../support/command.ts';
import { START_LIMIT_MS, TOOLS } from '../support/debian.ts';
import { freePort } from '../support/free-port.ts';

const EXAMPLES = join(CLONE, 'docs/examples');
const page = readFileSync(join(CLONE, 'docs/guides/quickstart.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language, text = '']) => ({ language, text }));
const [, , setUp = '', , ...customer] = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
const printed = blocks.find(({ language }) => language === 'text')?.text ?? '';

/** Their packages, fetched once into the clone. */
const packages = join(TOOLS, 'examples');
const project = temporaryDirectory();

beforeAll(() => {
  if (!existsSync(join(packages, 'package-lock.json')) || isOutdated()) {
    const unfinished = `${packages}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(EXAMPLES, file), join(unfinished, file));
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: unfinished, stdio: 'pipe' });
    rmSync(packages, { recursive: true, force: true });
    renameSync(unfinished, packages);
  }
  // Where an engineer has them: beside the program, and with the client of this clone.
  cpSync(EXAMPLES, project.path, { recursive: true });
  mkdirSync(join(project.path, 'node_modules'));
  for (const name of readdirSync(join(packages, 'node_modules')))
    symlinkSync(join(packages, 'node_modules', name), join(project.path, 'node_modules', name));
  mkdirSync(join(project.path, 'node_modules/@nameplate'));
  symlinkSync(join(CLONE, 'client'), join(project.path, 'node_modules/@nameplate/client'));
}, START_LIMIT_MS);
afterAll(() => project.remove());

function isOutdated(): boolean {
  const [is, was] = [EXAMPLES, packages].map((folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  return is !== was;
}

test('the examples have less than 120 lines each, and pass the strictest checks of types', async () => {
  for (const file of ['express.ts', 'hono.ts'])
    expect(readFileSync(join(EXAMPLES, file), 'utf8').split('\n').length).toBeLessThan(120);
  const strict = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --erasableSyntaxOnly --noEmit';
  const options = `--ignoreConfig --module nodenext --target es2024 --types node ${strict}`;
  const { stdout, code } = await type(
    `sh -c 'cd ${project.path} && ${CLONE}/node_modules/.bin/tsc ${options} express.ts hono.ts'`,
  );
  expect({ stdout, code }).toEqual({ stdout: '', code: 0 });
});

describe.each(['express', 'hono'])('the platform in %s, set up as docs/guides/quickstart.md says', (framework) => {
  const directory = temporaryDirectory();
  let playground: Awaited<ReturnType<typeof startPlayground>>;
  let platform: Started;
  let ports: { platform: number; sites: number };
  let variables: Record<string, string>;

  /** The text of the page, with the ports of this test. */
  function here(text: string): string {
    return text
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.platform}`)
      .replaceAll('127.0.0.1:4000', `127.0.0.1:${ports.sites}`)
      .replaceAll('7443', playground.ready.edge.https.split(':')[1] ?? '')
      .replaceAll('.nameplate/', `${directory.path}/`)
      .replace(/^\.\/bin\/nameplate \w+ [\w-]+/gm, `$& --data ${directory.path}`);
  }
  const typed = (text: string) => type(`sh -ec '${here(text).replaceAll("'", `'\\''`)}'`);

  /** Asks the platform's own API, as a customer who is signed in. */
  async function ask(path: string, customerId: string, body?: object): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`http://127.0.0.1:${ports.platform}${path}`, {
      headers: { 'content-type': 'application/json', 'x-customer': customerId },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  beforeAll(async () => {
    playground = await startPlayground(directory.path, ['--check-interval', '0.5']);
    ports = { platform: await freePort(), sites: await freePort() };
    const { stdout, stderr } = await typed(setUp);
    expect(stderr).toBe('');
    const found = (pattern: RegExp) => pattern.exec(stdout)?.[0] ?? '';
    variables = {
      NAMEPLATE_URL: playground.ready.api,
      NAMEPLATE_ROOT_KEY: playground.ready.rootKey,
      ENVIRONMENT_ID: found(/env_\w+(?= +production)/),
      EDGE_SECRET: found(/npe_[\w-]+/),
      WEBHOOK_SECRET: found(/whsec_[\w+/=]+/),
    };
    const listening = { PLATFORM_PORT: `${ports.platform}`, SITES_PORT: `${ports.sites}` };
    platform = startCommand(process.execPath, [join(project.path, `${framework}.ts`)], {
      env: { ...variables, ...listening },
    });
    await platform.says(/The platform is up/);
  }, START_LIMIT_MS);
  afterAll(async () => {
    await platform?.stop();
    await playground?.stop();
    directory.remove();
  });

  test('takes a name from "add your domain" to the page of its customer, and hears of it by its webhook', async () => {
    const [add = '', look = '', visit = ''] = customer;
    const added = await typed(add);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(/^\{"domain":"shop\.example\.com","status":"pending","records":\[\{"type":"CNAME",/);
    const news = async () => (await ask('/domains', 'acme')).body;
    await expect.poll(news, { timeout: 20_000 }).toEqual({ 'shop.example.com': 'site.live' });
    expect((await typed(look)).stdout).toMatch(/"status":"verified",.*"certificate":"issued","live":"live"\}$/);
    expect((await typed(visit)).stdout).toBe(printed.trim());
  });

  test('shows nobody the domains of another customer, and gives a name to whoever proves it', async () => {
    expect(await ask('/domains/shop.example.com', 'bolt')).toEqual(await ask('/domains/missing.example.com', 'bolt'));
    expect(await ask('/domains', 'bolt', { domain: 'shop.example.com' })).toMatchObject({ status: 409 });
    expect(await ask('/domains', 'bolt', { domain: 'x' })).toMatchObject({
      status: 400,
      body: { message: 'The domain must have at least two labels with a dot between them: "x".' },
    });
    expect(await ask('/domains', 'nobody')).toMatchObject({ status: 401 });
    // Its checks begin between the two.
    const { body: first } = await ask('/domains', 'bolt', { domain: 'www.example.net' });
    expect(await ask('/domains', 'bolt', { domain: 'www.example.net' })).toEqual({
      status: 201,
      body: { ...(first as object), status: expect.stringMatching(/^(pending|verifying)$/) },
    });
    expect(await ask('/domains', 'acme', { domain: 'www.example.net' })).toMatchObject({ status: 201 });
    await expect.poll(async () => (await ask('/domains', 'bolt')).body).toEqual({});
  });

  test('takes no webhook without a signature, and no request around the edge', async () => {
    const [api, origin] = [`http://127.0.0.1:${ports.platform}`, `http://127.0.0.1:${ports.sites}`];
    const forged = { type: 'site.unreachable', data: { externalId: 'acme', domain: { domain: 'shop.example.com' } } };
    const headers = { 'content-type': 'application/json' };
    const sent = await fetch(`${api}/webhooks/nameplate`, { method: 'POST', headers, body: JSON.stringify(forged) });
    expect(sent.status).toBe(400);
    expect((await ask('/domains', 'acme')).body).toMatchObject({ 'shop.example.com': 'site.live' });
    const own = variables.EDGE_SECRET ?? '';
    for (const [secret, status] of [
      [own, 200],
      [`npe_new, ${own}`, 200],
      [`${own}, npe_old`, 200],
      ['', 403],
      [own.slice(0, -1), 403],
      [`${own}x`, 403],
    ] as const) {
      const response = await fetch(origin, {
        headers: { 'nameplate-edge-secret': secret, 'nameplate-external-id': 'acme' },
      });
      expect({ secret, status: response.status }).toEqual({ secret, status });
    }
  });
});
