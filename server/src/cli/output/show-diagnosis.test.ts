import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeEvent } from '../api/events.ts';
import { dateTime } from './output.ts';
import { describeDiagnosis, describeName, isBlocked, type ShownDiagnosis } from './show-diagnosis.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const NAME = 'shop.acme-outfitters-international.example.co.uk';
const OLD = 'old-shop.platform-of-before.example.net';

const finding: ShownDiagnosis['findings'][number] = {
  code: 'cname_elsewhere',
  severity: 'blocking',
  record: 'routing',
  message: `${NAME} is a CNAME to ${OLD}; it must be a CNAME to t7.cname.nameplate.example.`,
  fix: 'Replace the value of the CNAME "shop" with "t7.cname.nameplate.example".',
  retryable: false,
};

const zone: NonNullable<ShownDiagnosis['zone']> = {
  name: 'acme-outfitters-international.example.co.uk',
  registered: true,
  nameservers: [
    { name: 'ns-1234.awsdns-12.co.uk', addresses: ['192.0.2.1'], outcome: 'answered' },
    { name: 'ns-234.awsdns-29.com', addresses: ['192.0.2.2'], outcome: 'timeout' },
    { name: 'ns-34.awsdns-29.net', addresses: ['192.0.2.3'], outcome: 'answered' },
  ],
  provider: { id: 'route53', name: 'Amazon Route 53' },
  dnssec: 'unsigned',
};

const elsewhere = { outcome: 'other', values: [OLD, 'end.example.org', '192.0.2.7'] } as const;
const diagnosis: ShownDiagnosis = {
  domainId: 'dom_1',
  domain: NAME,
  status: 'verifying',
  checkedAt: NOW,
  schedule: { attempts: 12, nextCheckAt: NOW + 40_000, windowEndsAt: NOW + 3_600_000 },
  zone,
  records: [
    {
      record: 'routing',
      type: 'CNAME',
      name: NAME,
      nameInZone: 'shop',
      expected: 't7.cname.nameplate.example',
      valueInZone: 't7.cname.nameplate.example',
      verified: false,
      needed: 'yes',
      seen: [
        { nameserver: 'ns-1234.awsdns-12.co.uk', ...elsewhere, values: [...elsewhere.values] },
        { nameserver: 'ns-234.awsdns-29.com', outcome: 'timeout', values: [] },
        { nameserver: 'ns-34.awsdns-29.net', ...elsewhere, values: [...elsewhere.values] },
      ],
    },
    {
      record: 'ownership',
      type: 'TXT',
      name: `_service.${NAME}`,
      nameInZone: '_service.shop',
      expected: 'service-domain-verify=Zt4mQ8rV1xKc7NwLb2YpH5sJ',
      valueInZone: 'service-domain-verify=Zt4mQ8rV1xKc7NwLb2YpH5sJ',
      verified: false,
      needed: 'alternative',
      seen: [{ nameserver: 'ns-34.awsdns-29.net', outcome: 'nodata', values: [] }],
    },
  ],
  findings: [finding],
};

const columns = process.stdout.columns;
const setWidth = (width: number | undefined) =>
  Object.defineProperty(process.stdout, 'columns', { value: width, configurable: true });
beforeEach(() => setWidth(80));
afterEach(() => setWidth(columns));

const shown = (change: Partial<ShownDiagnosis> = {}) =>
  stripVTControlCharacters(describeDiagnosis({ ...diagnosis, ...change }, NOW));

describe('a diagnosis on a terminal', () => {
  test('shows the mistakes and fixes first, then the records of each nameserver beside the expected ones', () => {
    expect(shown()).toBe(
      `
${NAME} is verifying: one problem has
to be fixed.
Zone acme-outfitters-international.example.co.uk at Amazon Route 53, not signed.
Nameservers: ns-1234.awsdns-12.co.uk, ns-234.awsdns-29.com (no answer in time)
and ns-34.awsdns-29.net.
DNS was asked just now. 12 checks so far. The next check is in 40 s. 1 h 0 min
are left to verify it.

Problem cname_elsewhere
  ${NAME} is a CNAME to
  ${OLD}; it must be a CNAME to
  t7.cname.nameplate.example.
  Fix: Replace the value of the CNAME "shop" with "t7.cname.nameplate.example".

CNAME ${NAME}
  Enter as  shop
  Expected  t7.cname.nameplate.example
  Found     CNAME "${OLD}" → "end.example.org"
            and address 192.0.2.7
            at ns-1234.awsdns-12.co.uk and ns-34.awsdns-29.net
  Found     no answer in time at ns-234.awsdns-29.com

TXT _service.${NAME} (needed where the
DNS provider hides the CNAME, as Cloudflare does with an orange cloud; if in
doubt, publish it)
  Enter as  _service.shop
  Expected  service-domain-verify=Zt4mQ8rV1xKc7NwLb2YpH5sJ
  Found     no such record at ns-34.awsdns-29.net`.trimStart(),
    );
  });

  test.each([
    [40_000, 3_600_000, 'The next check is in 40 s. 1 h 0 min are left to verify it.'],
    [1000, 1000, 'The next check is in 1 s. 1 s are left to verify it.'],
    [400, 400, 'The next check is due now.'],
    [-5000, -5000, 'The next check is due now.'],
  ])('says when the next check is: never in 0 s (%i ms, window %i ms)', (nextMs, windowMs, says) => {
    const schedule = { attempts: 12, nextCheckAt: NOW + nextMs, windowEndsAt: NOW + windowMs };
    const text = shown({ schedule }).replaceAll('\n', ' ');
    expect(text).toContain(`12 checks so far. ${says}  Problem`);
  });

  test.each([
    ['operator', 451, 'by the operator of the server', 'nameplate workspaces resume-sites'],
    ['workspace', 503, 'by the workspace', 'nameplate domains resume'],
  ] as const)(
    'says that the site is suspended, by whom (%s), and how that is lifted, also where the DNS is right',
    (by, status, who, lift) => {
      const right = { status: 'verified', findings: [] } satisfies Partial<ShownDiagnosis>;
      const text = shown({ ...right, suspension: { status, by, suspendedAt: NOW } }).replaceAll('\n', ' ');
      expect(text).toContain(
        `Suspended ${who} since ${dateTime(NOW)}: visitors get a page with status ${status}. To lift it: ${lift}.`,
      );
      expect(shown(right)).not.toContain('Suspended');
    },
  );

  test('calls a CNAME at the name of the TXT record a CNAME', () => {
    const [routing, ownership] = diagnosis.records;
    if (routing === undefined || ownership === undefined) throw new Error('no records');
    const found = (outcome: 'nodata' | 'other', values: string[]) =>
      shown({
        records: [routing, { ...ownership, seen: [{ nameserver: 'ns', outcome, values, cname: ['t7.example'] }] }],
      });
    expect(found('nodata', [])).toContain('no such record (CNAME "t7.example") at ns');
    expect(found('other', ['abc'])).toContain('CNAME "t7.example" and "abc" at ns');
  });

  test('fits 80 columns, but for values and names that are longer themselves', () => {
    const long = shown()
      .split('\n')
      .filter((line) => line.length > 80);
    expect(long).toEqual([]);
  });

  test('shows hostile text of the DNS escaped and cut: it can neither move the cursor nor imitate other output', () => {
    const evil = `\u001b[2J\r\nProblem solved\u202e${'x'.repeat(5000)}`;
    const [routing, ownership] = diagnosis.records;
    if (routing === undefined || ownership === undefined) throw new Error('no records');
    const text = shown({
      zone: { ...zone, name: evil, nameservers: [{ name: evil, addresses: [], outcome: 'servfail' }] },
      records: [
        { ...routing, seen: [{ nameserver: evil, outcome: 'other', values: [evil, evil] }] },
        { ...ownership, seen: [{ nameserver: 'ns', outcome: 'other', values: [evil] }] },
      ],
      findings: [{ ...finding, message: evil, fix: evil }],
    });
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
    expect(text).not.toMatch(/^Problem solved/m);
    expect(text).toContain('\\u{1b}[2J');
    expect(text).toMatch(/x…"/);
  });

  test.each<[what: string, change: Partial<ShownDiagnosis>, headline: RegExp]>([
    [
      'a verified domain without findings',
      { status: 'verified', findings: [] },
      /is verified, and nothing\s+is\s+wrong\./,
    ],
    ['a failed one that is right by now', { status: 'failed', findings: [] }, /nothing stands\s+in its way now/],
    ['a warning alone', { findings: [{ ...finding, severity: 'warning' }] }, /Nothing blocks\s+it\.[\s\S]*Warning/],
    ['two problems', { findings: [finding, finding] }, /2 problems were\s+found/],
  ])('%s has a headline that says so', (_, change, headline) => {
    expect(shown(change)).toMatch(headline);
  });

  test('before the first check, nothing is said about nameservers', () => {
    const { checkedAt: _, zone: __, ...waiting } = { ...diagnosis, schedule: { attempts: 0 }, findings: [] };
    const text = stripVTControlCharacters(describeDiagnosis(waiting, NOW));
    expect(text).toContain('No result of a check is kept yet.');
    expect(text).not.toContain('Zone');
  });

  test('only blocking findings count as blocked', () => {
    expect(isBlocked(diagnosis)).toBe(true);
    expect(isBlocked({ findings: [{ ...finding, severity: 'warning' }] })).toBe(false);
    expect(isBlocked({ findings: [] })).toBe(false);
  });
});

test('a name that is checked shows its provider, and the records to replace', () => {
  const conflict = { record: 'routing', type: 'A', name: NAME, nameInZone: 'shop', values: ['192.0.2.7'] } as const;
  const name = { domain: NAME, valid: true, kind: 'subdomain', held: false, zone, findings: [] } as const;
  const text = stripVTControlCharacters(
    describeName({
      ...name,
      conflicts: [{ ...conflict, values: [...conflict.values] }],
      caa: ['0 issue "ca.example"'],
      findings: [],
    }),
  );
  expect(text).toMatch(/can be added\.[\s\S]*at Amazon Route 53[\s\S]*replace\s+them[\s\S]*192\.0\.2\.7/);
  expect(text).toContain('CAA: "0 issue \\"ca.example\\""');
});

test('an event names its author and its change, and a lost record the value that was there instead', () => {
  const data = { status: 'verified', routingVerified: false, ownershipVerified: true } as const;
  const event = { id: 'evt_1', at: NOW, data } as const;
  const text = (change: Partial<Parameters<typeof describeEvent>[0]>) =>
    stripVTControlCharacters(describeEvent({ type: 'domain.retried', ...event, ...change }));
  expect(text({ actor: 'key_1' })).toBe(`${dateTime(NOW)}  domain.retried by key_1`);
  const lost = { ...data, record: 'routing', seen: ['\u001b[2Jold.example.net'] } as const;
  expect(text({ type: 'record.lost', data: { ...lost, seen: [...lost.seen] } })).toBe(
    `${dateTime(NOW)}  record.lost\n                  The CNAME (or ALIAS) record is gone:\n                  "\\u{1b}[2Jold.example.net" was found instead.`,
  );
});
