import { expect, test } from 'vitest';
import { aDomain, anApp, anEnvironment, aProject } from '../../../../test/support/entities.ts';
import { observation } from '../../../../test/support/observations.ts';
import type { DiagnosisOutcome } from './diagnoser.ts';
import { createDiagnoser, type DiagnosisQuery } from './diagnoser.ts';

const environment = anEnvironment(anApp(aProject({ workspaceId: 'ws_1' })));

function aDiagnosis(name = 'api.acme.com', workspaceId = 'ws_1') {
  const domain = aDomain(environment, { name, kind: 'subdomain' });
  return { workspaceId, domain, incumbent: null };
}

/** Looks end when the test says so. */
function setUp() {
  let now = 1_800_000_000_000;
  const looks: { request: DiagnosisQuery; end(): void; fail(): void }[] = [];
  const diagnoser = createDiagnoser({
    clock: { now: () => now },
    observe: (request) =>
      new Promise((resolve, reject) => {
        const end = () => resolve(observation(request.domain, 'acme.com'));
        looks.push({ request, end, fail: () => reject(new Error('the thread has ended')) });
      }),
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { diagnoser, looks, pass };
}

const refusals = (outcomes: DiagnosisOutcome[]) => outcomes.map((one) => ('refused' in one ? one.refused : 'looked'));

test('requests for one domain within 5 s share a diagnosis, and its result', async () => {
  const { diagnoser, looks, pass } = setUp();
  const request = aDiagnosis();
  const first = diagnoser.diagnose(request);
  pass(4000);
  const second = diagnoser.diagnose(request);
  looks[0]?.end();
  expect(await first).toBe(await second);
  pass(999);
  expect(await diagnoser.diagnose(request)).toBe(await first);
  expect(looks).toHaveLength(1);
  pass(1);
  void diagnoser.diagnose(request);
  expect(looks).toHaveLength(2);
});

test('an eleventh diagnosis at once of one workspace is refused; another workspace is served, and both as soon as one has ended', async () => {
  const { diagnoser, looks } = setUp();
  const ten = Array.from({ length: 10 }, (_, i) => diagnoser.diagnose(aDiagnosis(`n${i}.acme.com`)));
  expect(await diagnoser.diagnose(aDiagnosis())).toEqual({ refused: 'workspace' });
  void diagnoser.diagnose(aDiagnosis('api.acme.com', 'ws_2'));
  expect(looks).toHaveLength(11);
  looks[0]?.end();
  await ten[0];
  void diagnoser.diagnose(aDiagnosis());
  expect(looks).toHaveLength(12);
});

test('diagnoses of names that are not attached count as well, and are shared', async () => {
  const { diagnoser, looks } = setUp();
  const ask = (name: string) =>
    diagnoser.diagnoseName({ workspaceId: 'ws_1', name, kind: 'subdomain', service: 'service' });
  for (let i = 0; i < 10; i++) void ask(`n${i}.acme.com`);
  void ask('n1.acme.com');
  expect(looks).toHaveLength(10);
  expect(await ask('n10.acme.com')).toEqual({ refused: 'workspace' });
});

test('a hundred and first diagnosis at once of one process is refused', async () => {
  const { diagnoser, looks } = setUp();
  for (let i = 0; i < 100; i++) void diagnoser.diagnose(aDiagnosis(`n${i}.acme.com`, `ws_${i % 10}`));
  expect(looks).toHaveLength(100);
  expect(await diagnoser.diagnose(aDiagnosis('api.acme.com', 'ws_10'))).toEqual({ refused: 'process' });
});

test('a diagnosis that fails is told as unavailable, and is not shared with later requests', async () => {
  const { diagnoser, looks } = setUp();
  const request = aDiagnosis();
  const both = [diagnoser.diagnose(request), diagnoser.diagnose(request)];
  looks[0]?.fail();
  expect(refusals(await Promise.all(both))).toEqual(['unavailable', 'unavailable']);
  void diagnoser.diagnose(request);
  expect(looks).toHaveLength(2);
});
