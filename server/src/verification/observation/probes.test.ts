import { expect, test } from 'vitest';
import { aDomain, anApp, anEnvironment, aProject } from '../../../../test/support/entities.ts';
import { fixedAnswers } from '../../../../test/support/fixed-answers.ts';
import { cname, fails, NODATA, NXDOMAIN, observation, rightTxt, txt } from '../../../../test/support/observations.ts';
import { queryBudget } from '../../dns/query-budget.ts';
import type { RecordQuestion } from '../../dns/resolver.ts';
import type { Answer, Observation } from '../../domain/observation.ts';
import { runProbes } from './probes.ts';

const environment = anEnvironment(anApp(aProject({ workspaceId: 'ws_1' })));
const shop = aDomain(environment, { name: 'shop.acme.com', kind: 'subdomain' });
const nothing = observation(shop, 'acme.com');
/** The name exists, without the records. */
const empty = observation(shop, 'acme.com', { ownership: [NXDOMAIN], routing: [NODATA] });

async function around(
  seen: Observation,
  answerTo: (question: RecordQuestion) => Answer | Promise<Answer> = () => NXDOMAIN,
) {
  const asked: string[] = [];
  const dns = fixedAnswers((question) => {
    asked.push(`${question.type} ${question.name}`);
    return question.name === 'acme.com' ? NODATA : answerTo(question);
  });
  const options = { depth: 'thorough', signal: AbortSignal.timeout(10_000), random: () => 0.5 } as const;
  return { probes: await runProbes(dns, shop, seen, { ...options, budget: queryBudget() }), asked };
}

test('below a name that does not exist nothing is asked for, and does not exist either', async () => {
  const { probes, asked } = await around(nothing);
  expect(asked.filter((question) => question.endsWith('.shop.acme.com'))).toEqual([]);
  expect(probes.find(({ name }) => name === 'service.shop.acme.com')?.answer).toEqual(NXDOMAIN);
  // The doubled name of the routing record does not exist: nor does that of the ownership record, which is below it.
  expect(asked.filter((question) => question.endsWith('.acme.com.acme.com'))).toEqual(['A shop.acme.com.acme.com']);
});

test('no question is asked twice, whatever it is for', async () => {
  const { probes, asked } = await around(empty);
  expect(asked.length).toBe(new Set(asked).size);
  const text = probes.filter(({ name, type }) => name === 'shop.acme.com' && type === 'TXT');
  expect(text.map(({ record }) => record).toSorted()).toEqual(['ownership', 'routing']);
});

test('what is found at another name is told, and what cannot be read is left out', async () => {
  const { probes } = await around(empty, ({ name, type }) => {
    if (name === '_service.acme.com') return rightTxt(shop);
    return type === 'CAA' ? fails('servfail') : NXDOMAIN;
  });
  expect(probes.filter(({ answer }) => answer.kind !== 'absent')).toMatchObject([
    { purpose: 'other_name', record: 'ownership', name: '_service.acme.com', answer: { kind: 'found' } },
  ]);
});

test('a CNAME at the name of the TXT record, and NS records at that of the CNAME, are known without a question', async () => {
  const seen = observation(shop, 'shop.acme.com', { ownership: [cname(shop.target)], routing: [fails('refused')] });
  const { probes } = await around(seen);
  expect(probes.filter(({ purpose }) => purpose === 'other_type')).toMatchObject([
    { record: 'ownership', type: 'CNAME', answer: { chain: [shop.target] } },
    { record: 'routing', type: 'NS', answer: { values: ['ns1.shop.acme.com', 'ns2.shop.acme.com'] } },
    { record: 'routing', type: 'TXT' },
  ]);
});

test('probes that are not answered are waited for three seconds, all together', async () => {
  const startedAt = performance.now();
  const dns = fixedAnswers(async ({ name }, { signal }) => {
    if (!name.endsWith('.shop.acme.com')) return txt('other');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return fails('timeout');
  });
  const options = { depth: 'thorough', signal: AbortSignal.timeout(10_000), random: () => 0.5 } as const;
  const probes = await runProbes(dns, shop, empty, { ...options, budget: queryBudget() });
  expect(performance.now() - startedAt).toBeLessThan(4000);
  expect(probes.map(({ name }) => name)).toContain('_service.acme.com');
  expect(probes.map(({ name }) => name)).not.toContain('service.shop.acme.com');
});
