import { setTimeout as delay } from 'node:timers/promises';
import { CHECK_INTERVAL_MS } from '../../src/domain/schedule.ts';
import { alternate, type Bench, type Figure, type Row, showNumber, showSpread } from '../figure.ts';
import { type Listening, startServer } from '../http.ts';
import type { Part } from '../part.ts';
import type { Nameserver } from '../parts/nameserver.ts';
import type { Server } from '../parts/server.ts';
import { nameOf, type Population } from '../population.ts';
import { quantile, ratioOf } from '../spread.ts';

const DOMAINS = 5000;
/** Limits of one workspace. */
const AT_ONCE = 10;
const GOAL_MS = 1000;
const LIMIT_MS = 10_000;
/** Over the limit: the request itself. */
const SLACK_MS = 250;
const LATENESS_GOAL = 2;
const SETTLE_MS = 5000;
const ROUNDS = 3;

interface Asked {
  /** Of those that were answered, in ms. */
  tookMs: number[];
  refused: number;
}

/** How long somebody waits who asks why a domain is not verified, and what that costs the background checks of the same process. */
export const diagnoses: Figure = {
  name: 'diagnoses',
  async measure(bench) {
    const { effort } = bench;
    const population = await bench.populate(Math.min(DOMAINS, effort.mostDomains));
    const nameserver = await bench.start<Nameserver>('nameserver');
    const dnsPort = await nameserver.call.start('absent');
    const server = await startServer(bench, population, dnsPort);
    const ask = asking(population, server);

    await nameserver.call.delay(20);
    await ask.many(2 * AT_ONCE, AT_ONCE);
    const near = await ask.many(effort.rounds * 100, AT_ONCE);
    await nameserver.call.delay(null);
    const dead = await ask.many(AT_ONCE, AT_ONCE);
    await nameserver.call.delay(0);
    return [
      waitRow(`domains.diagnoseDomain, nameservers that answer in 20 ms, ${AT_ONCE} at once`, near, 0.95, GOAL_MS),
      waitRow('domains.diagnoseDomain, all nameservers dead', dead, 1, LIMIT_MS + SLACK_MS),
      await beside(bench, { population, server, dnsPort, nameserver, ask }),
    ];
  },
};

interface Beside {
  population: Population;
  server: Listening & { part: Part<Server> };
  nameserver: Part<Nameserver>;
  dnsPort: number;
  ask: ReturnType<typeof asking>;
}

/** 50 requests of one workspace at once, again and again, beside the checks of all its domains. */
async function beside(bench: Bench, { population, server, dnsPort, ask }: Beside): Promise<Row> {
  const seconds = 10 * bench.effort.seconds;
  const crowd = 50;
  let [answered, refused] = [0, 0];
  bench.say('a minute in which each domain is checked once, so that later checks find what they know');
  await server.part.call.check({ port: dnsPort, checkIntervalMs: CHECK_INTERVAL_MS });
  await delay(Math.min(75_000, bench.effort.scheduleSeconds * 1000 + 15_000));
  await server.part.call.rest();
  const p99 = async (isCrowded: boolean) => {
    await server.part.call.check({ port: dnsPort, checkIntervalMs: CHECK_INTERVAL_MS });
    // Those that were due together.
    await delay(SETTLE_MS);
    await server.part.call.report();
    const until = performance.now() + seconds * 1000;
    if (isCrowded) {
      const asked = await ask.until(until, crowd);
      answered += asked.tookMs.length;
      refused += asked.refused;
    }
    await delay(Math.max(0, until - performance.now()));
    const { latenessMs } = await server.part.call.report();
    await server.part.call.rest();
    return quantile(latenessMs, 0.99);
  };
  const { subject, baseline } = await alternate(
    { ...bench.effort, rounds: Math.min(ROUNDS, bench.effort.rounds) },
    () => p99(true),
    () => p99(false),
  );
  const ratio = ratioOf(subject, baseline);
  const show = (values: number[]) => `${quantile(values, 0.5).toFixed(0)} ms`;
  return {
    figure: `p99 delay of checks, ${showNumber(population.domains)} pending domains, beside ${crowd} diagnoses at once of one workspace (${showNumber(answered)} answered, ${showNumber(refused)} refused)`,
    measured: show(subject),
    baseline: show(baseline),
    result: `${showSpread(ratio)} times as long`,
    goal: `within ${LATENESS_GOAL} times`,
    met: ratio.median <= LATENESS_GOAL,
  };
}

/** Asks for diagnoses, each of another domain. */
function asking({ rootKey, domains }: Population, { port }: Listening) {
  const url = `http://127.0.0.1:${port}/v2/domains.diagnoseDomain`;
  const headers = { authorization: `Bearer ${rootKey}`, 'content-type': 'application/json' };
  let number = 0;

  async function ask(asked: Asked): Promise<void> {
    number = (number + 1) % domains;
    const began = performance.now();
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ domain: nameOf(number) }) });
    const body = await response.text();
    if (response.ok) asked.tookMs.push(performance.now() - began);
    else if (response.status === 429) asked.refused += 1;
    else throw new Error(`the server answers ${body}`);
  }

  async function each(atOnce: number, goesOn: () => boolean): Promise<Asked> {
    const asked: Asked = { tookMs: [], refused: 0 };
    const run = async () => {
      while (goesOn()) {
        const { refused } = asked;
        await ask(asked);
        // Retry-After.
        if (asked.refused > refused) await delay(1000);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, run));
    return asked;
  }

  return {
    many(count: number, atOnce: number): Promise<Asked> {
      let left = count;
      return each(atOnce, () => left-- > 0);
    },
    until: (end: number, atOnce: number): Promise<Asked> => each(atOnce, () => performance.now() < end),
  };
}

function waitRow(figure: string, { tookMs, refused }: Asked, share: number, goalMs: number): Row {
  const wait = quantile(tookMs, share);
  const result = `${share === 1 ? 'longest' : `p${share * 100}`} ${(wait / 1000).toFixed(2)} s`;
  return {
    figure,
    measured: `p50 ${(quantile(tookMs, 0.5) / 1000).toFixed(2)} s, ${result}; ${showNumber(tookMs.length)} answered, ${showNumber(refused)} refused`,
    baseline: '',
    result,
    goal: `under ${goalMs / 1000} s`,
    met: wait < goalMs,
  };
}
