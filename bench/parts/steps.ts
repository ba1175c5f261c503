import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createAccess } from '../../server/src/access/access.ts';
import { memoryLimiter } from '../../server/src/access/ratelimit/limiter.ts';
import { createApi } from '../../server/src/api/api.ts';
import { getDomain } from '../../server/src/api/domains/getDomain.ts';
import { findDomain } from '../../server/src/api/find.ts';
import { authenticationHook, rateLimitHook, requestCounter } from '../../server/src/api/request-hooks.ts';
import { requestRecorder } from '../../server/src/api/request-log.ts';
import { parseBody } from '../../server/src/api/validation.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import { createLog } from '../../server/src/base/log.ts';
import { presentDomain } from '../../server/src/domain/presented-domain.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { cacheDomains } from '../../server/src/store/cache/cached-domains.ts';
import { startChangeFeed } from '../../server/src/store/cache/change-feed.ts';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import { blindDiagnoser } from '../../test/support/blind-diagnoser.ts';
import { cpuMicros, offer } from '../part.ts';
import type { Population } from '../population.ts';
import { spreadOf } from '../spread.ts';
import { nameOf } from '../zone.ts';

const ROUNDS = 7;
const ROUND_MS = 200;
const RUNS_AT_ONCE = 1000;

export interface Step {
  name: string;
  micros: number;
}

/** The steps of one getDomain request, each alone, run as often as fits into the time. */
const methods = {
  async measure(population: Population): Promise<Step[]> {
    const clock = systemClock;
    const store = await sqliteStore({ path: population.path });
    const changes = startChangeFeed(store);
    const rateLimits = { '*': { limit: 1e9, windowMs: 60_000 } };
    const settings = { service: 'service', docsUrl: undefined, cnameZone: 'cname.bench.test', rateLimits };
    const log = createLog('info');
    const metrics = createMetrics();
    const newId = idMaker(clock);
    const deps = { store, clock, changes, log, metrics, newId, randomBytes, diagnoser: blindDiagnoser };
    const app = createApi({
      ...deps,
      settings: {
        ...settings,
        reservedNames: [],
        webhooks: { perWorkspace: 10, schemes: ['https'], allowedNetworks: [] },
        windowMs: 60_000,
        deletedKeepMs: 0,
      },
    });
    await app.ready();
    const authenticate = authenticationHook(createAccess(store, clock, changes).authenticate);
    const limitRate = rateLimitHook(requestCounter(memoryLimiter(clock), rateLimits));

    const name = nameOf(0);
    const body = Buffer.from(JSON.stringify({ domain: name }));
    const about = { method: 'POST', url: `/v2/${getDomain.name}` };
    const validate = app.validatorCompiler?.({ ...about, schema: getDomain.request, httpPart: 'body' });
    const serialise = app.serializerCompiler?.({ ...about, schema: getDomain.response, httpStatus: '200' });
    const { workspaceId } = population.ids;
    const domain = await store.findDomainByName(workspaceId, name);
    if (domain === null || validate === undefined || serialise === undefined) throw new Error('nothing to measure');
    const { request, reply } = exchange(population.rootKey, (answer) => serialise(answer));
    const record = requestRecorder(deps);
    const answer = { meta: { requestId: newId('req') }, data: presentDomain(domain) };
    const cached = cacheDomains(store, changes);
    await changes.poll();
    await authenticate(request, reply);
    await findDomain(cached, workspaceId, name);

    const steps: Record<string, () => unknown> = {
      'request id': () => newId('req'),
      authenticate: () => authenticate(request, reply),
      'rate limit': () => limitRate(getDomain, request, reply),
      parse: () => parseBody(body),
      validate: () => validate({ domain: name }),
      find: () => findDomain(store, workspaceId, nameOf(Math.floor(Math.random() * population.domains))),
      'find a cached domain': () => findDomain(cached, workspaceId, name),
      present: () => presentDomain(domain),
      serialise: () => serialise(answer),
      'count and log': () => record(request, reply),
    };
    const measured: Step[] = [];
    for (const [step, run] of Object.entries(steps)) {
      measured.push({ name: step, micros: await costOf(run, () => changes.poll()) });
    }
    await app.close();
    await changes.stop();
    await store.close();
    return measured;
  },
};

/** The parts of a request and its reply that the steps use. */
function exchange(
  rootKey: string,
  serialize: (answer: unknown) => string,
): { request: FastifyRequest; reply: FastifyReply } {
  const request = {
    id: 'req_01kaghm5q6e8x9b2c3d4f5g6h7',
    ip: '127.0.0.1',
    headers: { authorization: `Bearer ${rootKey}` },
    principal: null,
    operation: getDomain.name,
    routeOptions: { config: { operation: getDomain.name } },
  };
  const reply = { statusCode: 200, elapsedTime: 0.123, header: () => reply, type: () => reply, serialize };
  return { request: request as unknown as FastifyRequest, reply: reply as unknown as FastifyReply };
}

/** CPU-µs of one run: the median of several rounds, after one to warm up. `between` keeps the change feed fresh. */
async function costOf(run: () => unknown, between: () => Promise<void>): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await between();
    const before = cpuMicros();
    const end = performance.now() + ROUND_MS;
    let runs = 0;
    for (; performance.now() < end; runs += RUNS_AT_ONCE) {
      for (let i = 0; i < RUNS_AT_ONCE; i++) await run();
    }
    if (round > 0) costs.push((cpuMicros() - before) / runs);
  }
  return spreadOf(costs).median;
}

export type Steps = typeof methods;
offer(methods);
