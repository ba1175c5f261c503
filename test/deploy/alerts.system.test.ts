import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { type RunningServer, startServer } from '../../server/src/main.ts';
import { temporaryDirectory } from '../support/command.ts';
import { findPrograms, type Programs, START_LIMIT_MS } from '../support/debian.ts';
import { CASES, HEALTHY, type History } from './alert-histories.ts';
import { read } from './files.ts';

// Prometheus itself evaluates each rule of deploy/alerts.yml on made-up histories.

const RULES = read('deploy/alerts.yml');
const ALERTS = [...RULES.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

const directory = temporaryDirectory();
let prometheus: Programs;
let server: RunningServer;
/** The series of a process with all roles, right after its start. */
let exposed: Set<string>;

beforeAll(async () => {
  prometheus = await findPrograms('prometheus', ['prometheus']);
  const config = readServerConfig({
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
    NAMEPLATE_DATABASE_URL: `sqlite:${directory.path}/nameplate.db`,
    NAMEPLATE_ROLES: 'api,verifier,certificates,edge',
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_HTTP_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_HTTPS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_ACME_DIRECTORY: 'https://ca.test/directory',
  });
  server = await startServer(config, { log: createLog('fatal', { write: () => {} }) });
  const text = await (await fetch(`${server.metrics}/metrics`)).text();
  exposed = new Set(text.split('\n').map((line) => line.slice(0, line.lastIndexOf(' '))));
}, START_LIMIT_MS);
afterAll(async () => {
  await server?.stop();
  directory.remove();
});

/** Returns the output of `promtool test rules` for one history; empty: exactly these alerts fire at that minute. */
function evaluate(history: History, minute: number, firing: readonly string[]): string {
  const group = {
    interval: '1m',
    input_series: Object.entries(history).map(([series, values]) => ({ series: scraped(series), values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: `${minute}m`,
        exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
  const path = join(directory.path, 'test.yml');
  writeFileSync(path, JSON.stringify({ rule_files: [resolve('deploy/alerts.yml')], tests: [group] }));
  try {
    execFileSync(prometheus.path('promtool'), ['test', 'rules', path], { stdio: 'pipe', encoding: 'utf8' });
    return '';
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? error) + String((error as { stderr?: string }).stderr ?? '');
  }
}

/** With what Prometheus adds to a series. */
function scraped(series: string): string {
  const [name = '', labels = ''] = series.split(/[{}]/);
  return `${name}{${[labels, 'job="nameplate",instance="a:7071"'].filter((text) => text !== '').join(',')}}`;
}

test('every alert has a history on which it has to fire', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(ALERTS.toSorted());
});

test('the healthy history has every metric that an alert asks for', () => {
  const metrics = new Set(Object.keys(HEALTHY).map((series) => series.replace(/\{.*/, '')));
  for (const [name] of RULES.matchAll(/\b(?:nameplate|nodejs)_\w+/g)) expect(metrics).toContain(name);
});

test('no alert fires on a healthy history, from the start of the process on', () => {
  for (const minute of [1, 20, 80, 390]) expect(evaluate(HEALTHY, minute, [])).toBe('');
});

test.each(Object.entries(CASES))(
  '%s fires on its history, and no other alert does that is not said to',
  (alert, { history, minute, also = [] }) => {
    expect(evaluate({ ...HEALTHY, ...history }, minute, [alert, ...also].toSorted())).toBe('');
  },
);

/** Each counter of the histories, and whether a process shows it before its first increase. */
const counters = new Map(
  [HEALTHY, ...Object.values(CASES).map(({ history }) => history)]
    .flatMap((history) => Object.entries(history))
    .filter(([series]) => /_total(\{|$)/.test(series))
    .map(([series, values]) => [`${series} ${values.startsWith('_')}`, { series, isShown: !values.startsWith('_') }]),
);
test.each([...counters.values()])(
  '$series begins in a process as it begins in the histories',
  ({ series, isShown }) => {
    expect(exposed.has(series)).toBe(isShown);
  },
);
