import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLoadShedder } from '../../server/src/api/load-shedding.ts';
import { operations } from '../../server/src/api/operations.ts';
import { type Harness, startApi, type Tree } from '../support/api-harness.ts';

/**
 * Operations whose request names one domain, and the properties of the request. A name that is only examined is no
 * domain yet.
 */
const aboutDomains = operations
  .map((operation): [string, string[]] => [operation.name, Object.keys(Object(Object(operation.request).properties))])
  .filter(([name, properties]) => properties.includes('domain') && name !== 'domains.checkName');

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

/** The lines that were logged about one request, as soon as there is one. */
async function linesOf(requestId: string | undefined): Promise<Record<string, unknown>[]> {
  for (;;) {
    const lines = api.logged.map((line): Record<string, unknown> => JSON.parse(line));
    const mine = lines.filter((line) => line.requestId === requestId);
    if (mine.length > 0) return mine;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the log', () => {
  it('has one line for each request: id, operation, status, workspace and time', async () => {
    const { body } = await api.call('domains.getDomain', { domain: 'nobody.test' });
    expect(await linesOf(body.meta?.requestId)).toEqual([
      expect.objectContaining({
        level: 30,
        requestId: body.meta?.requestId,
        operation: 'domains.getDomain',
        status: 404,
        workspaceId: api.workspaceId,
        ms: expect.any(Number),
      }),
    ]);
  });

  it.each([
    ['a request without a key', { path: '/v2/domains.getDomain', key: null }, 'domains.getDomain', 401],
    ['an unknown path', { path: '/v2/nothing' }, 'none', 404],
    ['a path that cannot be decoded', { path: '/v2/%zz' }, 'none', 404],
    ['a wrong method', { path: '/v2/domains.getDomain', method: 'GET' }, 'none', 405],
    ['a probe', { path: '/v2/liveness', method: 'GET' }, 'liveness', 200],
  ])('has a line for %s', async (_what, sent, operation, status) => {
    const { headers } = await api.send(sent);
    expect(await linesOf(String(headers['x-request-id']))).toMatchObject([{ operation, status }]);
  });

  it.each(aboutDomains)('names the domain of %s', async (operation, properties) => {
    const name = `${operation.split('.')[1]?.toLowerCase()}.acme.test`;
    const known = operation === 'domains.createDomain' ? null : await api.createDomain(tree, name);
    if (operation === 'domains.restoreDomain') await api.call('domains.deleteDomain', { domain: name });
    const { project, app, environment } = tree;
    const files = { certificates: 'none', privateKey: 'none' };
    const more = operation === 'usage.getUsage' ? { from: 0 } : { to: name, ...files };
    const values = { project, app, environment, domain: name, ...more };
    const input = Object.entries(values).filter(([property]) => properties.includes(property));
    const sent = request(`${api.url}/v2/${operation}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${api.rootKey}`,
        accept: operation === 'domains.watchDomain' ? 'text/event-stream' : 'application/json',
        'content-type': 'application/json',
      },
    }).end(JSON.stringify(Object.fromEntries(input)));
    const [response]: IncomingMessage[] = await once(sent, 'response');
    response?.destroy();
    const { id } = known ?? (await api.store.findDomainByName(api.workspaceId, name)) ?? {};
    expect(await linesOf(String(response?.headers['x-request-id']))).toMatchObject([{ operation, domainId: id }]);
  });

  it('holds no key, no header, no body and no token', async () => {
    const domain = await api.createDomain(tree, 'private-name.acme.com');
    await api.call('domains.getDomain', { domain: 'private-name.acme.com' });
    await api.call('domains.getDomain', '{"domain":"private-name');
    await api.call('domains.getDomain', { domain: 1, 'private-name': 1 }, { headers: { 'x-secret': 'private-name' } });
    const mistyped = `${api.rootKey.slice(0, -1)}!`;
    await api.call('domains.getDomain', {}, { key: mistyped });
    const { body } = await api.send({ path: '/v2/private-name?private-name' });
    await linesOf(body.meta?.requestId);
    const everything = api.logged.join('\n');
    for (const secret of [api.rootKey, api.rootKey.slice(3, 30), domain.token, 'private-name', 'Bearer']) {
      expect(everything).not.toContain(secret);
    }
  });
});

describe('the metrics', () => {
  it('count every request by operation and status, and its time by operation', async () => {
    const { body } = await api.call('projects.listProjects', { limit: 0 });
    await linesOf(body.meta?.requestId);
    const text = await api.metrics.registry.metrics();
    expect(text).toContain('nameplate_requests_total{operation="projects.listProjects",status="400"} 1');
    expect(text).toContain('nameplate_request_seconds_count{operation="projects.listProjects"} 1');
  });

  it('count the requests that were refused because there was too much to do, and no other', async () => {
    const busy = await startApi({ loadShedder: createLoadShedder({ inFlight: 0 }) });
    try {
      const shed = async () => (await busy.metrics.requestsShed.get()).values[0]?.value;
      await busy.send({ path: '/v2/nothing' });
      expect(await shed()).toBe(0);
      for (let i = 0; i < 2; i++) expect(await busy.call('projects.listProjects')).toMatchObject({ status: 429 });
      expect(await shed()).toBe(2);
      expect(await busy.metrics.registry.metrics()).toContain('nameplate_requests_shed_total 2');
    } finally {
      await busy.close();
    }
  });

  it('count open connections', async () => {
    const until = async (line: string) => {
      while (!(await api.metrics.registry.metrics()).includes(`\n${line}\n`)) await new Promise(setImmediate);
    };
    const open = [api.port, api.port].map((port) => connect(port, '127.0.0.1'));
    await until('nameplate_connections 2');
    open.pop()?.destroy();
    await until('nameplate_connections 1');
    open.pop()?.destroy();
    await until('nameplate_connections 0');
  });

  it('have no labels that callers make up', async () => {
    for (const path of ['/a', '/b', '/v2/domains.invented']) {
      const { body } = await api.send({ path });
      await linesOf(body.meta?.requestId);
    }
    const text = await api.metrics.registry.metrics();
    expect(text).not.toContain('invented');
    expect(text).toContain('nameplate_requests_total{operation="none",status="404"}');
  });
});
