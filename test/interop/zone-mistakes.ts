import type { Domain } from '../../server/src/domain/domain.ts';
import type { FindingCode } from '../../server/src/domain/finding.ts';
import { ownershipName, ownershipValue } from '../../server/src/domain/records.ts';
import type { HostileOptions, HostileRecord, HostileServer } from './hostile-server.ts';
import type { Internet, Zone } from './internet.ts';
import type { Nameserver } from './knot.ts';
import type { MiddleboxOptions } from './middlebox.ts';
import { dsData } from './registry.ts';
import { tamper, withExpiredSignatures } from './signed-zone.ts';
import { EDGE_ADDRESS, type InteropWorld, ownershipLine, routingLine } from './world.ts';

/**
 * A zone with a mistake that no record of the domain itself shows: in its delegation, its nameservers, its signatures.
 */
export interface ZoneMistake {
  code: FindingCode;
  /** The mistake in the zone, in words. */
  what: string;
  kind?: 'apex';
  /** Host of the domain, below the zone; `shop` unless given. */
  host?: string;
  /** Brings the zone into this state, before the first check. */
  breaks(subject: ZoneSubject): Promise<void>;
  /** Does what the finding's `fix` says. */
  mends(subject: ZoneSubject): Promise<void>;
  /** The domain is verified all the same. */
  verified?: true;
  isSlow?: true;
  /** A verified domain: a diagnosis after the fix has the code no more. */
  isGoneAfterwards?: true;
  /** Besides the code: the names that the finding is about, and what its message says. */
  says?: { about?: (domain: Domain) => string[]; text?: RegExp };
}

export interface ZoneSubject {
  internet: Internet;
  world: InteropWorld;
  /** Nameservers of four providers; zones are delegated to the first. */
  servers: [Nameserver, Nameserver, Nameserver, Nameserver];
  zone: Zone;
  domain: Domain;
  /** A server in place of the nameservers of the zone; the delegation leads to it. Closed with the lab. */
  hostile(options: Omit<HostileOptions, 'port' | 'zone'>): Promise<HostileServer>;
  /** Something before the first nameserver; the delegation leads to it. Closed with the lab. */
  middlebox(options: Omit<MiddleboxOptions, 'port' | 'to'>): Promise<void>;
}

/** Nothing can be sent to it, on any machine. */
const BROADCAST_ADDRESS = '127.255.255.255';

const both = ({ domain }: ZoneSubject) =>
  `${domain.kind === 'apex' ? `@ A ${EDGE_ADDRESS}` : routingLine(domain)}\n${ownershipLine(domain)}`;

/** Publishes both records at the first nameserver, and lets an hour pass for the resolvers. */
async function publishRight(subject: ZoneSubject): Promise<void> {
  const [first] = subject.servers;
  await subject.zone.delegate([first]);
  await subject.zone.publish(both(subject), [first]);
  await forget(subject);
}

/** Expires the entries of the zone in the resolvers' caches. */
const forget = ({ internet, zone }: ZoneSubject) => internet.resolver.forget(zone.name);

/** The nameserver does not behave; the zone is moved to one that does. */
const nameserver = (code: FindingCode, what: string, breaks: ZoneMistake['breaks']): ZoneMistake => ({
  code,
  what,
  breaks,
  mends: publishRight,
});

/** A zone that is signed and whose parent has its DS record. */
async function publishSigned(subject: ZoneSubject): Promise<void> {
  const [first] = subject.servers;
  await subject.zone.publish(both(subject), [first], { signed: true });
  await subject.zone.secure((await first.readDs(subject.zone.name)).map(dsData));
}

/** Its checks last until their time limit. */
const slow = (mistake: ZoneMistake): ZoneMistake => ({ ...mistake, isSlow: true });

/** The zone is parked: every name in it has the same address. */
const parked = (what: string, nameservers: string[], more: Partial<ZoneMistake> = {}): ZoneMistake => ({
  ...nameserver('zone_parked', what, async ({ zone, internet, servers: [, second] }) => {
    await zone.delegate(await Promise.all(nameservers.map((host) => internet.nameHost(host, second.address))));
    await zone.publish('* A 203.0.113.99\n@ A 203.0.113.99', [second]);
  }),
  ...more,
});

/** The records are at the second nameserver, under a name of its provider; the registrar names the first. */
const elsewhere = (what: string, { host, records = both, here = '' }: Elsewhere): ZoneMistake =>
  nameserver('zone_elsewhere', what, async (subject) => {
    const [first, second] = subject.servers;
    const there = await subject.internet.nameHost(host, second.address);
    // Diagnoses of other zones have looked for it.
    await subject.internet.resolver.forget('com');
    await subject.zone.publish(records(subject), [second], { ownHosts: [there] });
    if (here !== null) await subject.zone.publish(here, [first]);
  });

interface Elsewhere {
  /** Name of the nameserver that has the records. */
  host: string;
  records?: (subject: ZoneSubject) => string;
  /** The zone at the nameserver that the registrar names; null: it does not know the zone. */
  here?: string | null;
}

/** The nameserver fails for these names of the zone, and answers for all others. */
const failsFor = (
  code: FindingCode,
  what: string,
  fails: { names: (domain: Domain) => string[]; as: 'SERVFAIL' | 'REFUSED' | 'drop'; records?: string },
): ZoneMistake => ({
  ...nameserver(code, what, async ({ domain, hostile }) => {
    const proxied = { name: domain.name, type: 'A', data: '104.16.132.229' } as const;
    await hostile({
      records: () => [proxied],
      respond: ({ name }, ordinary) => {
        if (!fails.names(domain).includes(name)) return ordinary;
        return fails.as === 'drop' ? 'drop' : { rcode: fails.as, authoritative: true, answers: [], authorities: [] };
      },
    });
  }),
  says: { about: fails.names },
});

/** A certificate is forbidden by these records. */
const caa = (what: string, line: string, { kind, isProxied = false }: { kind?: 'apex'; isProxied?: boolean } = {}) => {
  const lines = ({ domain, ...subject }: ZoneSubject) =>
    isProxied ? `shop A 104.16.132.229\n${ownershipLine(domain)}` : both({ domain, ...subject });
  return {
    ...{ code: 'caa_forbids', what, verified: true, isGoneAfterwards: true, ...(kind && { kind }) },
    breaks: (subject: ZoneSubject) => subject.zone.publish(`${lines(subject)}\n${line}`),
    mends: (subject: ZoneSubject) =>
      subject.zone.publish(`${lines(subject)}\n${line.replace(/CAA .*/, 'CAA 0 issue "ca.nameplate.test"')}`),
  } satisfies ZoneMistake;
};

export const ZONE_MISTAKES: ZoneMistake[] = [
  nameserver('zone_not_registered', 'the registration has ended', ({ zone }) => zone.expire()),
  nameserver(
    'zone_parked',
    'the nameservers are those of a parking service',
    async ({ zone, internet, servers: [, second] }) => {
      await zone.delegate([await internet.nameHost('ns1.sedoparking.com', second.address)]);
      await zone.publish('* A 203.0.113.99\n@ A 203.0.113.99', [second]);
    },
  ),
  parked('the registration has ended, and the registrar has parked it', ['ns1.pendingrenewaldeletion.com'], {
    says: { text: /registration of \S+ seems to have expired/ },
  }),
  parked('an apex whose registration has ended', ['ns1.renewyourname.net', 'ns2.renewyourname.net'], {
    kind: 'apex',
    says: { text: /registration of \S+ seems to have expired/ },
  }),
  parked('the nameservers are those of two parking services', ['ns1.sedoparking.com', 'ns2.bodis.com']),
  nameserver('zone_elsewhere', 'the records are at a provider that the registrar does not name', async (subject) => {
    const [first, second] = subject.servers;
    const ownHosts = [second];
    await subject.zone.publish('', [first], { ownHosts });
    await subject.zone.publish(both(subject), [second], { ownHosts });
  }),
  elsewhere('the records were made at a provider that the zone has left', {
    host: 'ns1.digitalocean.com',
    here: '@ A 203.0.113.80',
  }),
  elsewhere('the CNAME alone was made there', {
    host: 'dns1.registrar-servers.com',
    records: ({ domain }) => routingLine(domain),
  }),
  elsewhere('the provider that the registrar names has no zone', { host: 'ns1.vercel-dns.com', here: null }),
  nameserver('zone_elsewhere', 'the records are at a nameserver that only the zone itself names', async (subject) => {
    const [first, second] = subject.servers;
    const ownHosts = [first, second];
    await subject.zone.publish('', [first], { ownHosts });
    await subject.zone.publish(both(subject), [second], { ownHosts });
  }),
  {
    code: 'delegation_mismatch',
    what: 'the zone names a nameserver that the registrar does not know',
    verified: true,
    async breaks(subject) {
      const [first, second] = subject.servers;
      await subject.zone.publish(both(subject), [first, second], { ownHosts: [first, second] });
    },
    async mends(subject) {
      const [first, second] = subject.servers;
      await subject.zone.delegate([first, second]);
    },
  },
  {
    code: 'nameservers_disagree',
    what: 'the registrar names a nameserver that the zone does not know, and which lacks the records',
    async breaks(subject) {
      const [first, second] = subject.servers;
      await subject.zone.delegate([first, second]);
      const ownHosts = [first];
      await subject.zone.publish(both(subject), [first], { ownHosts });
      await subject.zone.publish('', [second], { ownHosts });
    },
    mends: publishRight,
  },
  {
    code: 'nameservers_disagree',
    what: 'two of four nameservers have the zone as it was before',
    async breaks(subject) {
      await subject.zone.delegate(subject.servers);
      await subject.zone.publish(both(subject), subject.servers.slice(0, 2));
      await subject.zone.publish('shop CNAME shops.oldhost.test.', subject.servers.slice(2));
    },
    mends: (subject) => subject.zone.publish(both(subject), subject.servers),
  },
  {
    code: 'record_below_cut',
    what: 'the records are in the zone above, which has delegated the part they are in',
    host: 'shop.eu',
    async breaks(subject) {
      const [first, second] = subject.servers;
      await subject.zone.publish(`eu NS ${second.host}.\n${both(subject)}`, [first]);
      await (await below(subject)).publish('', [second]);
    },
    mends: async (subject) => (await below(subject)).publish(both(subject), [subject.servers[1]]),
  },
  nameserver('nameserver_refused', 'the nameserver does not know the zone', async () => {}),
  nameserver('nameserver_lame', 'the nameserver answers without authority', async (subject) => {
    await subject.middlebox({
      change(answer) {
        answer.writeUInt8(answer.readUInt8(2) & ~0x04, 2);
        return answer;
      },
    });
    await subject.zone.publish(both(subject));
  }),
  nameserver('nameserver_servfail', 'the nameserver cannot load the zone', ({ zone, servers: [first] }) =>
    first.serve(zone.name, null),
  ),
  slow(
    nameserver('nameserver_timeout', 'the nameserver does not answer', async ({ hostile }) => {
      await hostile({ records: () => [], respond: () => 'drop' });
    }),
  ),
  failsFor('nameserver_servfail', 'the name of the TXT record alone fails', {
    names: (domain) => [ownershipName(domain)],
    as: 'SERVFAIL',
  }),
  failsFor('nameserver_refused', 'the name of the TXT record alone is refused', {
    names: (domain) => [ownershipName(domain)],
    as: 'REFUSED',
  }),
  slow(
    failsFor('nameserver_timeout', 'the name of the TXT record alone is not answered', {
      names: (domain) => [ownershipName(domain)],
      as: 'drop',
    }),
  ),
  failsFor('nameserver_servfail', 'the name of the CNAME record alone fails', {
    names: (domain) => [domain.name],
    as: 'SERVFAIL',
  }),
  nameserver('nameserver_not_found', 'the nameserver has no address', async ({ zone }) => {
    await zone.delegate([{ host: 'ns1.nowhere.test', address: null }]);
  }),
  nameserver('nameserver_unreachable', 'there is no way to the address of the nameserver', async ({ zone }) => {
    await zone.delegate([{ host: `ns1.${zone.name}`, address: BROADCAST_ADDRESS }]);
  }),
  nameserver('nameserver_private', 'the nameserver has a private address', async ({ zone }) => {
    await zone.delegate([{ host: `ns1.${zone.name}`, address: '10.1.2.3' }]);
  }),
  nameserver('nameserver_tcp', 'a firewall blocks TCP, and the answer fits into no packet', async (subject) => {
    const { domain } = subject;
    const big = Array.from({ length: 40 }, (_, index) => `${ownershipName(domain)}. TXT "${'x'.repeat(100)}${index}"`);
    await subject.middlebox({ tcp: 'refuse' });
    await subject.zone.publish([`shop A 104.16.132.229`, ownershipLine(domain), ...big].join('\n'));
  }),
  nameserver('nameserver_malformed', 'the nameserver answers with garbage', async ({ hostile }) => {
    await hostile({ records: () => [], respond: ({ octets }) => garbled(octets) });
  }),
  {
    code: 'dnssec_bogus',
    what: 'the registrar has the DS record of another key',
    async breaks(subject) {
      await publishSigned(subject);
      const ds = await subject.servers[0].readDs(subject.zone.name);
      await subject.zone.secure(ds.map((line) => dsData(line).replace(/.{8}$/, '00000000')));
    },
    async mends(subject) {
      await publishSigned(subject);
      await forget(subject);
    },
  },
  {
    code: 'dnssec_bogus',
    what: 'the signatures have expired',
    async breaks(subject) {
      const [first] = subject.servers;
      const { name } = subject.zone;
      await publishSigned(subject);
      await first.serve(name, withExpiredSignatures(await first.readZone(name), await first.readKeys(name)));
    },
    async mends(subject) {
      await publishSigned(subject);
      await forget(subject);
    },
  },
  {
    code: 'dnssec_bogus',
    what: 'a record was changed after the zone was signed',
    async breaks(subject) {
      const [first] = subject.servers;
      const { name } = subject.zone;
      const { target } = subject.domain;
      await publishSigned(subject);
      await subject.zone.publish(`shop CNAME shops.oldhost.test.`, [first], { signed: true });
      await first.serve(name, tamper(await first.readZone(name), 'shops.oldhost.test.', `${target}.`));
    },
    async mends(subject) {
      await publishSigned(subject);
      await forget(subject);
    },
  },
  {
    code: 'conflicting_records',
    what: 'the nameserver has an address beside the CNAME',
    async breaks({ hostile, domain }) {
      const cname: HostileRecord = { name: domain.name, type: 'CNAME', data: domain.target };
      const address: HostileRecord = { name: domain.name, type: 'A', data: '203.0.113.80' };
      await hostile({
        records: () => [cname, address],
        respond: ({ name, type }, ordinary) =>
          name === domain.name && type === 'A' ? { ...ordinary, answers: [cname, address] } : ordinary,
      });
    },
    mends: publishRight,
  },
  {
    code: 'conflicting_records',
    what: 'the nameserver has two CNAMEs',
    async breaks({ hostile, domain }) {
      const names = [domain.target, 'shops.oldhost.test'];
      await hostile({ records: () => names.map((data) => ({ name: domain.name, type: 'CNAME', data })) });
    },
    mends: publishRight,
  },
  {
    code: 'cname_at_apex',
    what: 'the apex has a CNAME beside SOA and NS',
    kind: 'apex',
    verified: true,
    async breaks({ zone, domain, hostile }) {
      await hostile({
        records: () => [
          { name: zone.name, type: 'CNAME', data: domain.target },
          { name: ownershipName(domain), type: 'TXT', data: ownershipValue(domain) },
        ],
      });
    },
    async mends(subject) {
      const [first] = subject.servers;
      await subject.zone.delegate([first]);
      await subject.zone.publish(`@ A 203.0.113.10\n${ownershipLine(subject.domain)}`, [first]);
      await forget(subject);
    },
  },
  {
    code: 'records_swapped',
    what: 'the values of the two records are exchanged',
    async breaks({ zone, domain }) {
      await zone.publish(`${ownershipName(domain)}. CNAME ${domain.target}.\nshop TXT "${ownershipValue(domain)}"`);
    },
    mends: (subject) => subject.zone.publish(both(subject)),
  },
  {
    code: 'wrong_type',
    what: 'the target was published as an NS record',
    async breaks({ zone, domain }) {
      await zone.publish(`shop NS ${domain.target}.`);
    },
    mends: async (subject) => {
      await subject.zone.publish(both(subject));
      await forget(subject);
    },
  },
  {
    code: 'txt_missing',
    what: 'an apex leads to us and has no TXT record',
    kind: 'apex',
    breaks: ({ zone }) => zone.publish('@ A 203.0.113.10'),
    mends: ({ zone, domain }) => zone.publish(`@ A 203.0.113.10\n${ownershipLine(domain)}`),
  },
  {
    code: 'apex_elsewhere',
    what: 'the apex has the TXT record, and leads to another host',
    kind: 'apex',
    verified: true,
    breaks: ({ zone, domain }) => zone.publish(`@ A 203.0.113.80\n${ownershipLine(domain)}`),
    mends: ({ zone, domain }) => zone.publish(`@ A 203.0.113.10\n${ownershipLine(domain)}`),
  },
  {
    code: 'flattened',
    what: 'the provider flattens the CNAME, and the TXT record is there',
    verified: true,
    breaks: ({ zone, domain }) => zone.publish(`shop A 203.0.113.10\n${ownershipLine(domain)}`),
    mends: async () => {},
  },
  {
    code: 'proxied',
    what: 'a proxy answers, and the TXT record is there',
    verified: true,
    breaks: ({ zone, domain }) => zone.publish(`shop A 104.16.132.229\n${ownershipLine(domain)}`),
    mends: async () => {},
  },
  {
    code: 'wildcard_answers',
    what: 'a wildcard answers the TXT name',
    kind: 'apex',
    breaks: ({ zone }) => zone.publish('@ A 203.0.113.10\n* TXT "v=spf1 -all"'),
    mends: ({ zone, domain }) => zone.publish(`@ A 203.0.113.10\n* TXT "v=spf1 -all"\n${ownershipLine(domain)}`),
  },
  {
    code: 'name_not_punycode',
    what: 'the name was entered as it is spelled, and the provider keeps the octets',
    host: 'xn--bcher-kva',
    // Four digits of each octet of "bücher" in UTF-8.
    breaks: ({ zone, domain }) => zone.publish(`b\\195\\188cher CNAME ${domain.target}.`),
    mends: (subject) => subject.zone.publish(both(subject)),
  },
  {
    code: 'caa_forbids',
    what: 'CAA names another CA only',
    verified: true,
    breaks: (subject) => subject.zone.publish(`${both(subject)}\n@ CAA 0 issue "other-ca.test"`),
    mends: (subject) => subject.zone.publish(`${both(subject)}\n@ CAA 0 issue "ca.nameplate.test"`),
  },
  caa('an apex whose CAA names no CA at all', '@ CAA 0 issue ";"', { kind: 'apex' }),
  caa('CAA at the name of a proxied host', 'shop CAA 0 issue "other-ca.test"', { isProxied: true }),
  caa('CAA with a critical property that nobody knows', '@ CAA 128 tbs "unknown"'),
  caa('CAA that names our CA in a malformed value', '@ CAA 0 issue "ca.nameplate.test %%%"'),
  {
    code: 'stale_cache',
    what: 'resolvers still hold the answer from before',
    verified: true,
    async breaks(subject) {
      await subject.zone.publish('shop CNAME shops.oldhost.test.');
      await subject.world.ask(subject.domain.name, 'A');
      await subject.zone.publish(both(subject));
    },
    mends: forget,
  },
];

/** A response that promises an answer and has none. */
function garbled(query: Buffer): Buffer {
  const response = Buffer.from(query);
  response.writeUInt16BE(0x8400, 2);
  response.writeUInt16BE(1, 6);
  return response;
}

/** `eu` of the zone, delegated by it to the second nameserver. */
function below({ internet, zone, servers: [, second] }: ZoneSubject): Promise<Zone> {
  return internet.registerName(`eu.${zone.name}`, [second]);
}
