import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { entrypoint, type Image, instruction, makeImage } from './image.ts';

let image: Image;
beforeAll(() => {
  image = makeImage();
});
afterAll(async () => {
  await Promise.all(running.map((program) => program.stop()));
  image.remove();
});

const running: { stop(): Promise<Ended> }[] = [];

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs what the Dockerfile says, in the image's files and nothing but its environment. `ready` resolves once its log
 * says so.
 */
function runIn(command: string[], env: Record<string, string>) {
  const [program = '', ...args] = command.map((word) => word.replace(/^\/app\b/, image.app));
  const child = spawn(program, args, { ...image.user, cwd: image.app, env: { ...image.env, ...env } });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      if (output.stdout.includes('"msg":"ready"')) child.emit('ready');
    });
  }
  const ended = once(child, 'close').then(([code]): Ended => ({ code, ...output }));
  const early = ended.then(({ stdout, stderr }) => Promise.reject(new Error(`it ended: ${stdout}${stderr}`)));
  const ready = Promise.race([once(child, 'ready'), early]);
  ready.catch(() => {});
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  running.push({ stop });
  return { ended, ready, stop };
}

// Without the init of the image.
const start = entrypoint().program;
const serve = [...start, ...JSON.parse(instruction('CMD'))];
const check: string[] = JSON.parse(instruction('HEALTHCHECK').replace(/^.*? CMD /, ''));

async function surroundings(): Promise<Record<string, string>> {
  const [api, metrics, http, https, health] = await Promise.all(Array.from({ length: 5 }, freePort));
  return {
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
    NAMEPLATE_DATABASE_URL: `sqlite:${image.data}/${api}.db`,
    NAMEPLATE_LISTEN: `0.0.0.0:${api}`,
    NAMEPLATE_METRICS_LISTEN: `0.0.0.0:${metrics}`,
    NAMEPLATE_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
    NAMEPLATE_EDGE_HTTPS_LISTEN: `127.0.0.1:${https}`,
    NAMEPLATE_EDGE_HEALTH_LISTEN: `*:${health}`,
    NAMEPLATE_ISSUER: 'internal',
  };
}

test('the content of the image, read-only and without a home, migrates a store, serves it and stops', async () => {
  const env = await surroundings();
  expect(await runIn([...start, 'migrate'], env).ended).toMatchObject({ code: 0, stderr: '' });
  const server = runIn(serve, env);
  await server.ready;
  const address = `http://${env.NAMEPLATE_LISTEN}`;
  for (const path of ['/v2/liveness', '/readyz', '/openapi.json', '/docs']) {
    expect({ path, status: (await fetch(address + path)).status }).toEqual({ path, status: 200 });
  }
  const made = await runIn([...start, 'workspaces', 'create', 'acme'], env).ended;
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
});

test('the image has neither the playground nor its simulator', async () => {
  for (const command of ['dev', 'demo', 'dns']) {
    expect(await runIn([...start, command], {}).ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`unknown command '${command}'`),
    });
  }
  expect(existsSync(join(image.app, 'dist/panel'))).toBe(false);
});

test.each(['api,verifier,certificates,edge', 'edge'])(
  'the health check of the image tells a process with the roles %s from none',
  async (roles) => {
    const env = { ...(await surroundings()), NAMEPLATE_ROLES: roles };
    expect((await runIn(check, env).ended).code).toBe(1);
    const server = runIn(serve, env);
    await server.ready;
    expect(await runIn(check, env).ended).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await server.stop()).code).toBe(0);
  },
);
