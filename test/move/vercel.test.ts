import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import type { OldName } from '../../server/src/cli/move/old-name.ts';
import { vendorApi } from '../../server/src/cli/move/vendor-api.ts';
import { vercelNames } from '../../server/src/cli/move/vercel-names.ts';
import { closingAfterEach } from '../support/closing.ts';
import { listen } from '../support/listen.ts';
import { PROJECT, projectDomain, startVercel, VERCEL_TOKEN } from '../support/vendors/vercel.ts';

const closing = closingAfterEach();

async function read(
  url: string,
  { token = VERCEL_TOKEN, project = PROJECT, team = undefined as string | undefined } = {},
) {
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  const ask = vendorApi(
    { vendor: 'Vercel', base: url, token, advice: 'Make a token.' },
    { signal: new AbortController().signal, wait },
  );
  const names: OldName[] = [];
  for await (const name of vercelNames(ask, project, team)) names.push(name);
  return { names, waits };
}

test('all domains of a project are read, page after page, newest first', async () => {
  const domains = Array.from({ length: 250 }, (_, at) => projectDomain(at));
  const { url, requests } = await startVercel(closing, domains, { team: 'team_1' });
  const { names } = await read(url, { team: 'team_1' });
  expect(names.map(({ domain }) => domain)).toEqual(domains.map(({ name }) => name).reverse());
  expect(requests).toHaveLength(3);
  expect(names[0]).toMatchObject({ own: { metadata: { moved_from: 'vercel' } }, notes: [], problem: null });
});

test('names that were added in the same millisecond are not lost between two pages', async () => {
  const domains = Array.from({ length: 150 }, (_, at) =>
    projectDomain(at, { createdAt: 1_700_000_000_000 + (at >> 3) }),
  );
  const { names } = await read((await startVercel(closing, domains)).url);
  expect(names.map(({ domain }) => domain).toSorted()).toEqual(domains.map(({ name }) => name).toSorted());
});

test("Vercel's own names, and those of branches and other environments, stay where they are", async () => {
  const { url } = await startVercel(closing, [
    projectDomain(5, { name: 'shop.vercel.app' }),
    projectDomain(4, { gitBranch: 'staging' }),
    projectDomain(3, { customEnvironmentId: 'env_1' }),
    projectDomain(2, { verified: false }),
    projectDomain(1, { redirect: 'example.com', redirectStatusCode: 308 }),
  ]);
  const { names } = await read(url);
  expect(names.map(({ leftOut }) => leftOut)).toEqual([
    "The name is one of Vercel's own.",
    'It serves the branch "staging". Add it to an environment of its own: nameplate domains create.',
    'It serves the environment "env_1". Add it to an environment of its own: nameplate domains create.',
    undefined,
    undefined,
  ]);
  expect(names[3]?.notes).toEqual(['Vercel had not verified it.']);
  expect(names[4]?.redirect).toEqual({ to: 'example.com', status: 308 });
});

test('a rate limit is waited out until the time that the error names', async () => {
  const domains = Array.from({ length: 250 }, (_, at) => projectDomain(at));
  const { names, waits } = await read((await startVercel(closing, domains, { limit: 2 })).url);
  expect(names).toHaveLength(250);
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThan(50_000);
});

test('a wrong token, a project of others and a list in a circle end the command', async () => {
  const { url } = await startVercel(closing, [projectDomain(1)]);
  await expect(read(url, { token: 'wrong' })).rejects.toThrow('status 403: "Not authorized". Make a token.');
  await expect(read(url, { project: '../v2/user' })).rejects.toThrow('status 404: "Project not found."');
  await expect(read(url, { team: 'team_2' })).rejects.toThrow('status 404');
  const circle = Array.from({ length: 150 }, (_, at) => projectDomain(at));
  const repeating = await startVercel(closing, circle, { repeats: true });
  await expect(read(repeating.url)).rejects.toThrow('Vercel lists the same domains again and again.');
});

test('pages without a new name, each of which names another one, end the command', async () => {
  let next = 1_700_000_000_000;
  const server = createServer((_request, response) => {
    next -= 3;
    response.end(JSON.stringify({ domains: [], pagination: { next } }));
  });
  const port = await listen(closing, server);
  await expect(read(`http://127.0.0.1:${port}`)).rejects.toThrow('Vercel lists the same domains again and again.');
});
