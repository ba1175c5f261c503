import { describe, expect, test } from 'vitest';
import {
  addresses,
  cname,
  everywhere,
  fails,
  NODATA,
  NXDOMAIN,
  observation,
  probe,
  rightTxt,
  type Seen,
  throughResolver,
  twice,
  txt,
  validation,
} from '../../../test/support/observations.ts';
import type { Domain } from './domain.ts';
import { findingsOf } from './findings/findings.ts';
import type { Observation } from './observation.ts';
import { readObservation } from './read-observation.ts';
import { ownershipName } from './records.ts';
import { type CheckMemory, NO_MEMORY, retry, transition, windowEndsAt } from './status.ts';

const CREATED = 1_000_000;
const NOW = CREATED + 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;

const subdomain: Domain = {
  id: 'dom_1',
  workspaceId: 'ws_1',
  projectId: 'proj_1',
  appId: 'app_1',
  environmentId: 'env_1',
  name: 'api.acme.com',
  kind: 'subdomain',
  service: 'service',
  target: 'k7mexample.cname.example',
  token: 'TOKEN',
  status: 'pending',
  routingVerifiedAt: null,
  ownershipVerifiedAt: null,
  challengeZone: null,
  challengeVerifiedAt: null,
  verificationError: null,
  createdAt: CREATED,
  updatedAt: null,
  verifiedAt: null,
  windowStartedAt: CREATED,
  revision: 1,
  externalId: null,
  metadata: null,
  sharedAddresses: null,
};
const apex: Domain = { ...subdomain, name: 'acme.com', kind: 'apex' };
const incumbent: Domain = {
  ...subdomain,
  id: 'dom_0',
  workspaceId: 'ws_0',
  target: 'oldtarget.cname.example',
  token: 'OLD',
  status: 'verified',
  createdAt: CREATED - 2 * DAY_MS,
  verifiedAt: CREATED - DAY_MS,
  routingVerifiedAt: CREATED - DAY_MS,
  windowStartedAt: CREATED - 2 * DAY_MS,
};
const fresh: CheckMemory = NO_MEMORY;

/** The nameservers' answers, by the conclusion from them. */
const ownerships = {
  matched: (domain: Domain): Seen => ({ ownership: everywhere(rightTxt(domain)) }),
  wrong: (): Seen => ({ ownership: everywhere(txt('something')) }),
  absent: (): Seen => ({ ownership: everywhere(NXDOMAIN) }),
  doubled: (domain: Domain): Seen => ({
    probes: [probe('doubled', 'ownership', `${ownershipName(domain)}.acme.com`, rightTxt(domain))],
  }),
  disagree: (domain: Domain): Seen => ({ ownership: [twice(rightTxt(domain)), twice(NXDOMAIN)] }),
  unreadable: (): Seen => ({ ownership: [fails('timeout')] }),
  bogus: (domain: Domain): Seen => ({
    ownership: everywhere(rightTxt(domain)),
    ownershipValidation: validation({ status: 'bogus' }),
  }),
} satisfies Record<string, (domain: Domain) => Seen>;
const routings = {
  matched: ({ target }: Domain): Seen => ({ routing: everywhere(cname(target)) }),
  elsewhere: (): Seen => ({ routing: everywhere(cname('old.example.net')) }),
  hidden: (): Seen => ({ routing: everywhere(addresses('192.0.2.1')) }),
  absent: (): Seen => ({ routing: everywhere(NODATA) }),
  doubled: ({ name, target }: Domain): Seen => ({
    probes: [probe('doubled', 'routing', `${name}.acme.com`, cname(target))],
  }),
  disagree: ({ target }: Domain): Seen => ({ routing: [twice(cname(target)), twice(NXDOMAIN)] }),
  unreadable: (): Seen => ({ routing: [fails('servfail')] }),
  bogus: ({ target }: Domain): Seen => ({
    routing: everywhere(cname(target)),
    routingValidation: validation({ status: 'bogus' }),
  }),
  conflicting: ({ target }: Domain): Seen => ({
    routing: everywhere({ kind: 'found', chain: [target], values: [], beside: ['192.0.2.1'] }),
  }),
} satisfies Record<string, (domain: Domain) => Seen>;
type OwnershipKey = keyof typeof ownerships;
type RoutingKey = keyof typeof routings;

interface Records {
  routing: RoutingKey;
  ownership: OwnershipKey;
  /** The same of the incumbent. */
  other?: [RoutingKey, OwnershipKey] | undefined;
}

function see(routing: RoutingKey, ownership: OwnershipKey, other?: [RoutingKey, OwnershipKey]): Records {
  return { routing, ownership, other };
}

function observe(domain: Domain, { routing, ownership, other }: Records, held: Domain | null): Observation {
  const [ofRouting, ofOwnership] = [routings[routing](domain), ownerships[ownership](domain)];
  const probes = [...(ofRouting.probes ?? []), ...(ofOwnership.probes ?? [])];
  const seen = observation(domain, 'acme.com', { ...ofRouting, ...ofOwnership, probes });
  if (other === undefined || held === null) return seen;
  const theirs = observation(held, 'acme.com', { ...routings[other[0]](held), ...ownerships[other[1]](held) });
  return { ...seen, incumbent: { routing: theirs.routing, ownership: theirs.ownership } };
}

type Start = Parameters<typeof transition>[0];

/** As the verifier does: reads what was seen, finds what is wrong, and decides. */
function complete(start: Start, records: Records, now: number, timing?: Parameters<typeof transition>[4]) {
  const seen = observe(start.domain, records, start.incumbent);
  const findings = findingsOf(start, seen, { edgeAddresses: [], caNames: [], now });
  return transition(start, readObservation(start, seen), findings, now, timing);
}

function check(domain: Domain, seen: Records, memory = fresh, now = NOW, held: Domain | null = null) {
  return complete({ domain, memory, incumbent: held, claimedAt: now }, seen, now);
}

describe('a domain that nobody else holds', () => {
  const routingKeys = Object.keys(routings) as RoutingKey[];
  const ownershipKeys = Object.keys(ownerships) as OwnershipKey[];
  const all = routingKeys.flatMap((r) => ownershipKeys.map((o) => [r, o] as const));

  test.each(all)(
    'a subdomain whose routing is %s and ownership is %s is verified exactly when the rule says so',
    (r, o) => {
      const { after } = check(subdomain, see(r, o));
      const expected = r === 'matched' || (r === 'hidden' && o === 'matched');
      expect(after.status).toBe(expected ? 'verified' : 'verifying');
      expect(after.routingVerifiedAt !== null).toBe(r === 'matched');
      expect(after.ownershipVerifiedAt !== null).toBe(o === 'matched');
    },
  );

  test.each(all)(
    'an apex whose routing is %s and ownership is %s is verified exactly when its ownership matched',
    (r, o) => {
      expect(check(apex, see(r, o)).after.status).toBe(o === 'matched' ? 'verified' : 'verifying');
    },
  );

  test('an apex domain cannot be verified through its routing record', () => {
    expect(check(apex, see('matched', 'absent')).after.status).toBe('verifying');
  });

  test('an apex may have its TXT record verified true while the routing record is false and the status verified', () => {
    const { after } = check(apex, see('hidden', 'matched'));
    expect(after).toMatchObject({ status: 'verified', routingVerifiedAt: null, ownershipVerifiedAt: NOW });
  });

  test('a subdomain may reach verified through the routing record alone; the TXT record may stay false', () => {
    const { after } = check(subdomain, see('matched', 'absent'));
    expect(after).toMatchObject({ status: 'verified', routingVerifiedAt: NOW, ownershipVerifiedAt: null });
  });

  test('verified: the error is cleared, the times are set, the revision is incremented', () => {
    const erring: Domain = { ...subdomain, status: 'verifying', verificationError: 'something', revision: 7 };
    expect(check(erring, see('matched', 'matched')).after).toEqual({
      ...erring,
      status: 'verified',
      verificationError: null,
      verifiedAt: NOW,
      updatedAt: NOW,
      routingVerifiedAt: NOW,
      ownershipVerifiedAt: NOW,
      revision: 8,
    });
  });

  test.each(all.filter(([r, o]) => r === 'unreadable' || o === 'unreadable'))(
    'pending becomes verifying when a check has completed, also one that read nothing (routing %s, ownership %s)',
    (r, o) => {
      const { status } = check(subdomain, see(r, o)).after;
      expect(status).not.toBe('pending');
    },
  );

  test('a flag stays true while the record is unreadable or disputed, and becomes false when it is gone', () => {
    const flagged: Domain = { ...subdomain, status: 'verifying', ownershipVerifiedAt: CREATED + 5 };
    for (const o of ['unreadable', 'disagree', 'matched'] as const) {
      expect(check(flagged, see('absent', o)).after.ownershipVerifiedAt).toBe(CREATED + 5);
    }
    for (const o of ['absent', 'wrong', 'doubled'] as const) {
      expect(check(flagged, see('absent', o)).after.ownershipVerifiedAt).toBe(null);
    }
  });

  test('a check without a visible result changes nothing, not even updatedAt', () => {
    const once = check(subdomain, see('absent', 'absent')).after;
    expect(once.updatedAt).toBe(NOW);
    const twice = check(once, see('absent', 'absent'), fresh, NOW + 60_000);
    expect(twice.after).toBe(once);
  });

  test('verificationError is null while records are merely absent', () => {
    expect(check(subdomain, see('absent', 'absent')).after.verificationError).toBe(null);
    expect(check(apex, see('absent', 'absent')).after.verificationError).toBe(null);
    expect(check(subdomain, see('absent', 'matched')).after.verificationError).toBe(null);
  });

  test('an error is cleared with its cause', () => {
    const wrong = check(subdomain, see('absent', 'wrong')).after;
    expect(wrong.verificationError).toContain('something');
    expect(check(wrong, see('absent', 'absent')).after.verificationError).toBe(null);
  });

  test('an unreadable zone is reported from the third consecutive check on, and not before', () => {
    let domain = subdomain;
    let memory = fresh;
    const errors: (string | null)[] = [];
    for (const seen of [see('unreadable', 'absent'), see('unreadable', 'unreadable'), see('absent', 'unreadable')]) {
      ({ after: domain, memory } = check(domain, seen, memory));
      errors.push(domain.verificationError);
    }
    expect(errors.slice(0, 2)).toEqual([null, null]);
    expect(errors[2]).toContain('could not be read');
    ({ after: domain, memory } = check(domain, see('absent', 'absent'), memory));
    expect(domain.verificationError).toBe(null);
    expect(memory.unreadableInARow).toBe(0);
  });

  test('one unreadable check keeps the previous error', () => {
    const wrong = check(subdomain, see('elsewhere', 'absent')).after;
    expect(check(wrong, see('unreadable', 'unreadable')).after).toBe(wrong);
  });
});

describe('a record that could not be read', () => {
  test('does not hide what is wrong with the other one', () => {
    expect(check(subdomain, see('elsewhere', 'unreadable')).after.verificationError).toContain('"old.example.net"');
    expect(check(subdomain, see('unreadable', 'wrong')).after.verificationError).toContain('"something"');
    expect(check(subdomain, see('elsewhere', 'unreadable')).after.verificationError).not.toContain('could not be read');
  });

  test('does not matter if it is the routing record of an apex', () => {
    expect(check(apex, see('unreadable', 'wrong')).after.verificationError).toContain('"something"');
    expect(check(apex, see('unreadable', 'absent')).memory.unreadableInARow).toBe(0);
  });

  test('is counted up to three, so that an unchanged check writes nothing', () => {
    const memory: CheckMemory = { ...NO_MEMORY, unreadableInARow: 3 };
    expect(check(subdomain, see('unreadable', 'unreadable'), memory).memory).toEqual(memory);
  });
});

describe('the window', () => {
  test('one millisecond before its end a domain is still verifying; at its end it fails, with a reason', () => {
    const end = windowEndsAt(subdomain);
    expect(end).toBe(CREATED + DAY_MS);
    expect(check(subdomain, see('absent', 'absent'), fresh, end - 1).after.status).toBe('verifying');
    const { after } = check(subdomain, see('absent', 'absent'), fresh, end);
    expect(after).toMatchObject({ status: 'failed', updatedAt: end, verifiedAt: null });
    expect(after.verificationError).toBe(
      'Not verified within 24 hours. There is no CNAME record at api.acme.com. Asked nameservers: ns1.acme.com and ns2.acme.com. In the DNS settings of acme.com, add a CNAME record. Name: `api`, Value: `k7mexample.cname.example`. Then verify the domain again.',
    );
  });

  test('the last check, at or after the end, still verifies a domain whose records are there', () => {
    const late = windowEndsAt(subdomain) + DAY_MS;
    expect(check(subdomain, see('matched', 'absent'), fresh, late).after.status).toBe('verified');
  });

  test('a check claimed before the end that completes after it leaves the failure to the last one', () => {
    const end = windowEndsAt(subdomain);
    const checked = { domain: subdomain, memory: fresh, incumbent: null, claimedAt: end - 1 };
    expect(complete(checked, see('absent', 'absent'), end + 9000).after.status).toBe('verifying');
    expect(complete(checked, see('matched', 'absent'), end + 9000).after.status).toBe('verified');
  });

  test('the reason of a failure is built from the last observation', () => {
    const end = windowEndsAt(apex);
    const { verificationError } = check(apex, see('absent', 'wrong'), fresh, end).after;
    expect(verificationError).toBe(
      'Not verified within 24 hours. The TXT record at _service.acme.com has the value "something". The value that proves ownership is missing. The other value may stay. In the DNS settings of acme.com, add a TXT record. Name: `_service`, Value: `service-domain-verify=TOKEN`. Then verify the domain again.',
    );
  });

  test('a window of another length ends when it ends', () => {
    const timing = { windowMs: 60_000, checkIntervalMs: 1000 };
    const checkAt = (claimedAt: number) => {
      const checked = { domain: subdomain, memory: fresh, incumbent: null, claimedAt };
      return complete(checked, see('absent', 'absent'), claimedAt, timing).after.status;
    };
    expect(checkAt(CREATED + 59_999)).toBe('verifying');
    expect(checkAt(CREATED + 60_000)).toBe('failed');
  });
});

describe('verified and failed', () => {
  test.each(['verified', 'failed'] as const)('no check moves a domain out of %s', (status) => {
    const domain: Domain = { ...subdomain, status };
    for (const r of Object.keys(routings) as RoutingKey[]) {
      expect(check(domain, see(r, 'matched'), fresh, CREATED + 2 * DAY_MS).after).toBe(domain);
    }
  });

  test('retry from failed: pending, a new window, createdAt, token and target unchanged, flags and error kept', () => {
    const failed: Domain = { ...subdomain, status: 'failed', verificationError: 'reason', ownershipVerifiedAt: 5 };
    expect(retry(failed, NOW)).toEqual({
      ...failed,
      status: 'pending',
      windowStartedAt: NOW,
      updatedAt: NOW,
      revision: failed.revision + 1,
    });
  });

  test.each(['pending', 'verifying'] as const)(
    'retry from %s changes nothing: the check at once is all there is to it',
    (status) => {
      const domain: Domain = { ...subdomain, status };
      expect(retry(domain, NOW)).toBe(domain);
    },
  );

  test('there is nothing to retry on a verified domain', () => {
    expect(retry({ ...subdomain, status: 'verified' }, NOW)).toBe(null);
  });
});

describe('two workspaces that claim one name', () => {
  const claim = (domain: Domain, seen: Records, memory = fresh, held = incumbent, now = NOW) =>
    check(domain, seen, memory, now, held);
  const proof = see('matched', 'matched', ['elsewhere', 'absent']);
  /** As after a check one period ago that proved it. */
  const proven: CheckMemory = { ...NO_MEMORY, provenSince: NOW - 60_000 };

  test('a claimant that proves itself while the incumbent is gone takes over in the second consecutive check', () => {
    const first = claim(subdomain, proof);
    expect(first).toMatchObject({
      after: { status: 'verifying', verificationError: null },
      memory: { provenSince: NOW },
    });
    expect(first.loser).toBeUndefined();
    const later = NOW + 54_000;
    const second = claim(first.after, proof, first.memory, incumbent, later);
    expect(second.after.status).toBe('verified');
    expect(second.loser).toMatchObject({
      id: 'dom_0',
      status: 'failed',
      verifiedAt: null,
      routingVerifiedAt: null,
      ownershipVerifiedAt: null,
      updatedAt: later,
      revision: incumbent.revision + 1,
    });
    expect(second.loser?.verificationError).toContain(
      'Another account of this service proved that it owns api.acme.com',
    );
  });

  test('requested checks in between do not shorten the time: a mistake of a second moves no traffic', () => {
    let { memory } = claim(subdomain, proof);
    for (const now of [NOW + 1, NOW + 583, NOW + 53_999]) {
      const next = claim(subdomain, proof, memory, incumbent, now);
      expect(next.after.status).toBe('verifying');
      memory = next.memory;
    }
    expect(memory.provenSince).toBe(NOW);
    expect(claim(subdomain, proof, memory, incumbent, NOW + 54_000).after.status).toBe('verified');
  });

  test('a clock that was set back does not let a claimant wait for hours', () => {
    const ahead: CheckMemory = { ...NO_MEMORY, provenSince: NOW + 10 * 3_600_000 };
    expect(claim(subdomain, proof, ahead).memory.provenSince).toBe(NOW);
  });

  test('a check in between without proof starts the time again', () => {
    for (const seen of [see('absent', 'matched'), see('matched', 'absent'), see('unreadable', 'unreadable')]) {
      expect(claim(subdomain, seen, proven)).toMatchObject({
        after: { status: 'verifying' },
        memory: { provenSince: null },
      });
    }
  });

  test('the routing record alone never takes a name from its incumbent', () => {
    const { after } = claim(subdomain, see('matched', 'absent', ['elsewhere', 'absent']), proven);
    expect(after.status).toBe('verifying');
    expect(after.verificationError).toContain('publish the TXT record of this domain');
  });

  const remains: [RoutingKey, OwnershipKey][] = [
    ['matched', 'absent'],
    ['absent', 'matched'],
    ['unreadable', 'absent'],
    ['absent', 'unreadable'],
    ['disagree', 'absent'],
    ['absent', 'disagree'],
  ];
  test.each(remains)("nothing moves while the incumbent's routing is %s and its ownership is %s", (r, o) => {
    const { after, memory } = claim(subdomain, see('matched', 'matched', [r, o]), proven);
    expect(after.status).toBe('verifying');
    expect(memory.provenSince).toBe(null);
    expect(after.verificationError).toContain('Its records are still in place.');
  });

  test('nothing moves while no nameserver answers, whatever a resolver has, and the error says why', () => {
    const { ownership, routing } = observe(subdomain, proof, incumbent);
    const records = { ownership: throughResolver(ownership), routing: throughResolver(routing) };
    let { after, memory } = claim(subdomain, proof);
    for (const now of [NOW + 60_000, NOW + 120_000, NOW + 180_000]) {
      const start = { domain: after, memory, incumbent, claimedAt: now };
      const seen = { ...records, incumbent: records };
      const findings = findingsOf(start, seen, { edgeAddresses: [], caNames: [], now });
      ({ after, memory } = transition(start, readObservation(start, seen), findings, now));
      expect(after.status).toBe('verifying');
      expect(memory.provenSince).toBe(null);
      expect(after.verificationError).toBe(
        'Another account of this service holds api.acme.com as verified. None of the nameservers of acme.com answers (ns1.acme.com and ns2.acme.com), and what resolvers have in their caches is not enough to move the name. Ask the DNS provider of acme.com why its nameservers do not answer. The name moves once they do, and have only the records of this domain.',
      );
    }
    // Where nobody else holds the name, it is enough.
    const alone = { domain: subdomain, memory: fresh, incumbent: null, claimedAt: NOW };
    expect(transition(alone, readObservation(alone, records), [], NOW).after.status).toBe('verified');
  });

  test.each([0, 1, DAY_MS])(
    'a claim made at or before the incumbent was verified is told to delete and add again (older by %i ms)',
    (byMs) => {
      const held: Domain = { ...incumbent, verifiedAt: CREATED + byMs };
      const { after, memory } = claim(subdomain, proof, proven, held);
      expect(memory.provenSince).toBe(null);
      expect(after.status).toBe('verifying');
      expect(after.verificationError).toContain('delete the domain, add it again');
    },
  );

  test('resolvers of ours that are down are never put on the customer: after three checks, and at the end of the window', () => {
    const seen = observe(subdomain, see('matched', 'matched'), null);
    const zone = { ...seen.routing.zone, failure: { reason: 'no_resolver' } } as const;
    const unseen = {
      routing: { ...seen.routing, zone, nameservers: [] },
      ownership: { ...seen.ownership, zone, nameservers: [] },
    };
    const checkAt = (now: number, domain = subdomain, memory = fresh) => {
      const start = { domain, memory, incumbent: null, claimedAt: now };
      const findings = findingsOf(start, unseen, { edgeAddresses: [], caNames: [], now });
      return transition(start, readObservation(start, unseen), findings, now);
    };
    const [first, second] = [checkAt(NOW), checkAt(NOW + 60_000, subdomain, { ...fresh, unreadableInARow: 2 })];
    expect(first.after.verificationError).toBe(null);
    expect(second.after.verificationError).toBe(
      'The DNS resolvers of this service give no usable answer, so api.acme.com could not be read. There is nothing for you to do: this service looks again by itself.',
    );
    expect(checkAt(windowEndsAt(subdomain)).after).toMatchObject({
      status: 'failed',
      verificationError:
        'Not verified within 24 hours. The DNS resolvers of this service give no usable answer, so api.acme.com could not be read. Leave the records as they are, and verify the domain again.',
    });
  });

  test.each([
    ['too_many_queries', 'because reading this name takes too many queries'],
    ['overloaded', 'because too many domains wait for it'],
  ] as const)(
    'a limit of ours that keeps a name from being read is told at the end of the window (%s)',
    (reason, why) => {
      const name = `${`${'a'.repeat(60)}.`.repeat(3)}${'b'.repeat(40)}.acme.com`;
      const domain = { ...subdomain, name };
      const unread = everywhere(fails(reason, `${'c'.repeat(60)}.`.repeat(4)));
      const seen = observation(domain, 'acme.com', { ownership: unread, routing: unread });
      const end = windowEndsAt(domain);
      const start = { domain, memory: fresh, incumbent: null, claimedAt: end };
      const findings = findingsOf(start, seen, { edgeAddresses: [], caNames: [], now: end });
      const { status, verificationError } = transition(start, readObservation(start, seen), findings, end).after;
      expect(status).toBe('failed');
      expect(verificationError).toContain(
        `Not verified within 24 hours. _service.${name} could not be read: its zone `,
      );
      expect(verificationError).toContain(why);
      expect(verificationError).toMatch(/ Leave the records as they are, and verify the domain again.$/);
      expect(verificationError?.length).toBeLessThanOrEqual(512);
    },
  );

  test('the error of a claimant without records says that the name is held', () => {
    const { after } = claim(subdomain, see('absent', 'absent'));
    expect(after.verificationError).toContain('Another account of this service holds api.acme.com as verified');
  });

  test('a claimant whose window ends has failed, and the incumbent is not touched', () => {
    const result = check(subdomain, proof, fresh, windowEndsAt(subdomain), incumbent);
    expect(result.after).toMatchObject({
      status: 'failed',
      verificationError:
        'Not verified within 24 hours. Only the last check proved that you own the name, and two checks in a row must prove it. Leave the records as they are, and verify the domain again.',
    });
    expect(result.loser).toBeUndefined();
  });

  test('a claim that is too old is told at the end of its window to be added again', () => {
    const held: Domain = { ...incumbent, verifiedAt: CREATED + 1 };
    for (const seen of [proof, see('absent', 'absent'), see('elsewhere', 'wrong')]) {
      const { verificationError } = check(subdomain, seen, fresh, windowEndsAt(subdomain), held).after;
      expect(verificationError?.match(/delete the domain/g)).toHaveLength(1);
      expect(verificationError).not.toContain('verify the domain again');
    }
  });

  test('at the end of its window the error of a claimant describes its own records', () => {
    const seen = see('elsewhere', 'wrong');
    const { verificationError } = check(subdomain, seen, fresh, windowEndsAt(subdomain), incumbent).after;
    expect(verificationError).toContain('api.acme.com is a CNAME to "old.example.net"');
  });
});
