import { connect } from 'node:net';
import { afterAll, expect, it, vi } from 'vitest';
import { temporaryDirectory } from '../support/command.ts';
import { threadedApi } from './api-threads.ts';
import { startThreaded } from './threaded-server.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());

let databases = 0;
async function newDatabase(): Promise<string> {
  databases += 1;
  return `sqlite:${directory.path}/${databases}.db`;
}

threadedApi(2, newDatabase);
threadedApi(4, newDatabase);

it('the connections of one address are limited in all threads together', async () => {
  const LIMIT = 1000;
  const { server, metric, close } = await startThreaded(await newDatabase(), 2);
  const { hostname, port } = new URL(server.api ?? '');
  const sockets = Array.from({ length: LIMIT + 200 }, () => connect({ host: hostname, port: Number(port) }));
  let opened = 0;
  let closed = 0;
  for (const socket of sockets) {
    socket.on('connect', () => {
      opened += 1;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      closed += 1;
    });
  }
  await vi.waitUntil(() => opened === sockets.length, { timeout: 20_000 });
  await vi.waitUntil(() => opened - closed <= LIMIT, { timeout: 20_000 });
  expect(await metric('nameplate_connections')).toBeLessThanOrEqual(LIMIT);
  for (const socket of sockets) socket.destroy();
  await close();
});

it('failed authentications of one address are limited in all threads together', async () => {
  const LIMIT = 300;
  const { askAll, close } = await startThreaded(await newDatabase(), 2);
  let failed = 0;
  for (let inARow = 0; inARow < 2; ) {
    const answers = await askAll('projects.listProjects', 'nobody');
    const limited = answers.filter(({ status }) => status === 429).length;
    failed += answers.length - limited;
    inARow = limited === answers.length ? inARow + 1 : 0;
  }
  expect(failed).toBeGreaterThanOrEqual(LIMIT);
  // A request counts when it has failed: those in flight at that moment have been let in.
  expect(failed).toBeLessThanOrEqual(LIMIT + 2);
  await close();
});
