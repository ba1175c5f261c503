import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import { FINDING_CODES } from '../../server/src/domain/finding.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type Lab, startLab } from './lab.ts';
import { allScenarios, failureOf, tryScenarios } from './scenarios.ts';
import { HEALTHY_ZONES } from './wildcard-mistakes.ts';
import { EDGE_ADDRESS, ownershipLine, routingLine } from './world.ts';

// Another workspace's name, and nameservers that never answer, take checks of their own; resolvers that fail:
// test/api/domains/deadResolvers.test.ts.
// These need web servers: test/verification/look-outside.test.ts.
const OUTSIDE = ['other_certificate', 'certificate_expired_outside', 'tls_unreachable'];
const APART = ['held_elsewhere', 'nameserver_timeout', 'resolvers_unreachable', ...OUTSIDE];

let lab: Lab;
let other: Domain;
beforeAll(async () => {
  lab = await startLab(1);
  other = await lab.createDomain('shop.other.test');
}, START_LIMIT_MS);
afterAll(() => lab.close());

test('every code is found where it belongs, and its fix is verified by the next check', async () => {
  const scenarios = allScenarios(lab, other).filter(({ isSlow }) => !isSlow);
  const first = scenarios.filter(({ code }, at) => scenarios.findIndex((each) => each.code === code) === at);
  expect([...first.map(({ code }) => code), ...APART].toSorted()).toEqual(FINDING_CODES.toSorted());
  const tried = await tryScenarios(lab, first, other);
  expect(tried.map(failureOf).filter((failure) => failure !== null)).toEqual([]);
});

test('a parked zone, records at another provider, a name that alone fails, CAA, wildcards and challenge records are told as what they are', async () => {
  const told = ['zone_parked', 'zone_elsewhere', 'nameserver_servfail', 'nameserver_refused', 'caa_forbids'];
  const scenarios = allScenarios(lab, other).filter(
    ({ code, host = '', isSlow }) => (told.includes(code) || host.startsWith('*')) && !isSlow,
  );
  const tried = await tryScenarios(lab, scenarios, other, 'again');
  expect(tried.map(failureOf).filter((failure) => failure !== null)).toEqual([]);
});

test('healthy wildcards and zones with CAA records are verified, and nothing is more than information', async () => {
  const { world } = lab;
  const zones: { what: string; domain: Domain }[] = [];
  for (const [number, { what, lines, ...options }] of HEALTHY_ZONES.entries()) {
    const subject = await lab.subject(`well${number}`, options);
    await subject.zone.publish(lines(subject));
    zones.push({ what, domain: subject.domain });
  }
  await world.check(other);
  const alarmed: string[] = [];
  for (const { what, domain } of zones) {
    const told = (await world.diagnose(domain)).filter(({ severity }) => severity !== 'info');
    const { status } = await world.read(domain);
    if (status !== 'verified' || told.length > 0) alarmed.push(`${what}: ${status}, ${told.map(({ code }) => code)}`);
  }
  expect(alarmed).toEqual([]);
});

test('CAA at the target takes a restriction of the zone away for a subdomain, and never for an apex or a proxied name', async () => {
  const { world, internet } = lab;
  const platform = lab.platform;
  const records = `*.cname A ${EDGE_ADDRESS}\n*.acme TXT "none"`;
  await platform.publish(`${records}\n*.cname CAA 0 issue "ca.nameplate.test"`);
  const codes: string[][] = [];
  for (const [label, kind, lines] of [
    ['caa-sub', 'subdomain', routingLine],
    ['caa-apex', 'apex', () => `@ A ${EDGE_ADDRESS}`],
    ['caa-proxied', 'subdomain', () => 'shop A 104.16.132.229'],
  ] as const) {
    const { zone, domain } = await lab.subject(label, { kind });
    await zone.publish(`${lines(domain)}\n${ownershipLine(domain)}\n@ CAA 0 issue "other-ca.test"`);
    await world.check(domain);
    codes.push((await world.diagnose(domain)).filter(({ severity }) => severity !== 'info').map(({ code }) => code));
  }
  await platform.publish(records);
  await internet.resolver.forget('nameplate.test');
  expect(codes).toEqual([[], ['caa_forbids'], ['caa_forbids']]);
});

test('held_elsewhere: removing the records of the other workspace moves the name', async () => {
  const { world, internet } = lab;
  const zone = await internet.register('held');
  const incumbent = await lab.createDomain(`shop.${zone.name}`);
  await zone.publish(`${routingLine(incumbent)}\n${ownershipLine(incumbent)}`);
  expect((await world.check(incumbent)).status).toBe('verified');
  world.clock.pass(60_000);
  const claimant = await lab.createDomain(`shop.${zone.name}`, 'subdomain', 'ws_2');
  await zone.publish(`${routingLine(claimant)}\n${ownershipLine(claimant)}\n${ownershipLine(incumbent)}`);
  expect((await world.check(claimant)).status).toBe('verifying');
  const [finding] = await world.diagnose(claimant, await world.read(incumbent));
  expect(finding).toMatchObject({ code: 'held_elsewhere', severity: 'blocking' });
  await zone.publish(`${routingLine(claimant)}\n${ownershipLine(claimant)}`);
  await world.check(claimant);
  expect((await world.check(claimant)).status).toBe('verified');
});
