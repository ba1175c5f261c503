import { once } from 'node:events';
import { createServer, type RequestListener, request, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { Site } from '../../client/client.ts';
import type { Zone } from '../interop/internet.ts';
import { EDGE_ADDRESS, PLACE, type SetupLab } from '../page/setup-lab.ts';
import { issueChain, keyPem } from '../support/issue-chain.ts';
import { until } from '../support/server-site.ts';

/** "My domain does not work": a fault, made in a real zone or at a real server, and the words that name its cause. */
export interface Ticket {
  fault: string;
  name: string;
  /** The cause, in the words of the dashboard. */
  cause: RegExp;
  /** Makes the fault, and waits until the server has noticed. */
  breaks(world: TicketWorld): Promise<void>;
}

export interface TicketWorld {
  lab: SetupLab;
  /** Closed at the end. */
  servers: Server[];
}

const HOUR_MS = 3_600_000;
const FRONT_ADDRESSES = { expired: '127.0.0.21', another: '127.0.0.22' };
const PROXY_ADDRESS = '104.16.132.229';
const DS_OF_ANOTHER_KEY = `12345 13 2 ${'00'.repeat(32)}`;

/** The site as the API shows it, once `isSo`. */
function siteWhen({ lab }: TicketWorld, domain: string, isSo: (site: Site) => boolean): Promise<void> {
  return until(domain, async () => isSo(await lab.client.domains.getSite({ domain })));
}

const isToldWhy = ({ domain }: Site) => domain.verificationError !== undefined;
const isLive = ({ live }: Site) => live?.state === 'live';

interface Added {
  zone: Zone;
  routing: string;
  /** Lines of a zone file: the routing record (of an apex, the address of the edge), and the TXT record. */
  cname: string;
  txt: string;
}

async function added({ lab }: TicketWorld, name: string): Promise<Added> {
  const label = name.split('.').at(-2) ?? '';
  const zone = await lab.internet.register(label);
  const { dnsRecords } = await lab.client.domains.createDomain({ ...PLACE, domain: name });
  const [routing, ownership] = dnsRecords;
  return {
    zone,
    routing: routing?.value ?? '',
    cname: name === zone.name ? `${name}. A ${EDGE_ADDRESS}` : `${name}. CNAME ${routing?.value}.`,
    txt: `${ownership?.name}. TXT "${ownership?.value}"`,
  };
}

/** Serves records, asks for a check, and waits. */
async function published(world: TicketWorld, name: string, zone: Zone, records: string, isSo = isToldWhy) {
  await zone.publish(records);
  await checked(world, name, zone, isSo);
}

async function checked({ lab, ...world }: TicketWorld, name: string, zone: Zone, isSo: (site: Site) => boolean) {
  await lab.internet.resolver.forget(zone.name);
  await lab.client.domains.verifyDomain({ domain: name }).catch((error) => {
    // The check in the background came first.
    if (error.status !== 412) throw error;
  });
  await siteWhen({ lab, ...world }, name, isSo);
}

async function live(world: TicketWorld, name: string): Promise<void> {
  const { zone, cname, txt } = await added(world, name);
  await published(world, name, zone, `${cname}\n${txt}`, isLive);
}

/** A server of somebody else at the edge's port, at an address of its own. */
async function listen({ servers }: TicketWorld, server: Server, port: number | null, address: string): Promise<void> {
  servers.push(server.listen(port ?? 0, address));
  await once(server, 'listening');
}

/** A proxy at an address of its own, which passes everything on to the edge. */
async function inFront(world: TicketWorld, address: string, tls: { cert: string; key: string }): Promise<void> {
  const { httpPort, httpsPort } = world.lab.server;
  const passOn: RequestListener = (incoming, response) => {
    const { method, url, headers } = incoming;
    const onward = request({ host: EDGE_ADDRESS, port: httpPort, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  };
  await listen(world, createServer(passOn), httpPort, address);
  await listen(world, createSecureServer(tls, passOn), httpsPort, address);
}

export const TICKETS: readonly Ticket[] = [
  {
    fault: 'The CNAME leads to the former host',
    name: 'shop.ticket1.test',
    cause: /is a CNAME to "shops\.oldhost\.test"/,
    async breaks(world) {
      const { zone } = await added(world, this.name);
      await published(world, this.name, zone, `${this.name}. CNAME shops.oldhost.test.`);
    },
  },
  {
    fault: 'The whole name was entered, and the panel appended the zone',
    name: 'shop.ticket2.test',
    cause: /is at shop\.ticket2\.test\.ticket2\.test/,
    async breaks(world) {
      const { zone, routing } = await added(world, this.name);
      await published(world, this.name, zone, `${this.name}.${zone.name}. CNAME ${routing}.`);
    },
  },
  {
    fault: 'The TXT record of an apex is missing',
    name: 'ticket3.test',
    cause: /no TXT record|TXT record .*(missing|not)/,
    async breaks(world) {
      const { zone, cname } = await added(world, this.name);
      await published(world, this.name, zone, cname, ({ domain }) => domain.status === 'verifying');
    },
  },
  {
    fault: 'One nameserver has an old copy of the zone',
    name: 'shop.ticket4.test',
    cause: /nameservers.* do not agree/,
    async breaks(world) {
      const { zone, cname } = await added(world, this.name);
      const { servers } = world.lab;
      await zone.delegate([...servers]);
      await zone.publish('', [servers[1]]);
      await zone.publish(cname, [servers[0]]);
      await checked(world, this.name, zone, isToldWhy);
    },
  },
  {
    fault: 'A CAA record allows another CA alone',
    name: 'shop.ticket5.test',
    cause: /CAA record .* does not allow ca\.test/,
    async breaks(world) {
      const { zone, cname } = await added(world, this.name);
      const records = `${cname}\n@ CAA 0 issue "other.test"`;
      await published(world, this.name, zone, records, ({ certificate }) => certificate.problem !== undefined);
    },
  },
  {
    fault: 'The DS record at the registrar is of another key',
    name: 'shop.ticket6.test',
    cause: /DNSSEC/,
    async breaks(world) {
      const { zone, cname } = await added(world, this.name);
      await zone.delegate([world.lab.servers[0]], [DS_OF_ANOTHER_KEY]);
      await published(world, this.name, zone, cname);
    },
  },
  {
    fault: 'A proxy in front has an expired certificate',
    name: 'ticket7.test',
    cause: /certificate has expired/,
    async breaks(world) {
      const { zone, txt } = await added(world, this.name);
      const address = FRONT_ADDRESSES.expired;
      const { leaf, intermediate, key } = issueChain(this.name, { now: Date.now() - 2 * HOUR_MS, lifetimeMs: HOUR_MS });
      await inFront(world, address, { cert: leaf + intermediate, key: keyPem(key) });
      const records = `@ A ${address}\n${txt}`;
      await published(world, this.name, zone, records, ({ live }) => live?.problem === 'certificate_expired');
    },
  },
  {
    fault: 'The proxy of the provider hides the CNAME, and there is no TXT record',
    name: 'shop.ticket8.test',
    cause: /is proxied by Cloudflare, so its record cannot be seen/,
    async breaks(world) {
      const { zone } = await added(world, this.name);
      await published(world, this.name, zone, `${this.name}. A ${PROXY_ADDRESS}`);
    },
  },
  {
    fault: 'The former server still answers',
    name: 'ticket9.test',
    cause: /where another server answers/,
    async breaks(world) {
      const { zone, txt } = await added(world, this.name);
      const address = FRONT_ADDRESSES.another;
      const former = createServer((_, response) => void response.end('the former site'));
      await listen(world, former, world.lab.server.httpPort, address);
      const records = `@ A ${address}\n${txt}`;
      await published(world, this.name, zone, records, ({ certificate }) => certificate.problem !== undefined);
    },
  },
  {
    fault: 'The origin answers 500',
    name: 'shop.ticket10.test',
    cause: /origin answered \d+ of \d+ requests/,
    async breaks(world) {
      await live(world, this.name);
      const { answer } = world.lab.origin;
      world.lab.origin.answer = (incoming, response) => {
        if (incoming.headers.host?.startsWith(this.name)) response.writeHead(500).end();
        else answer(incoming, response);
      };
      for (let visits = 0; visits < 3; visits += 1) (await world.lab.responseOverHttps(this.name)).resume();
      const sum = async () => {
        await delay(1000);
        const { usage } = await world.lab.client.usage.getUsage({ domain: this.name, from: Date.now() - HOUR_MS });
        return usage.some(({ originErrors }) => originErrors > 0);
      };
      await until('its usage', sum);
    },
  },
  {
    fault: 'The platform has suspended the site',
    name: 'shop.ticket11.test',
    cause: /is suspended: visitors get/,
    async breaks(world) {
      await live(world, this.name);
      await world.lab.client.domains.suspendDomain({ domain: this.name });
    },
  },
  {
    fault: 'Another workspace holds the name',
    name: 'shop.ticket12.test',
    cause: /another (workspace|account)/i,
    async breaks(world) {
      const { zone } = await added(world, this.name);
      const other = await world.lab.otherWorkspace();
      const { dnsRecords } = await other.domains.createDomain({ ...PLACE, domain: this.name });
      const theirs = `${this.name}. CNAME ${dnsRecords[0]?.value}.`;
      await zone.publish(theirs);
      await world.lab.internet.resolver.forget(zone.name);
      await other.domains.verifyDomain({ domain: this.name });
      await other.domains.waitUntilVerified({ domain: this.name });
      await published(world, this.name, zone, theirs);
    },
  },
];

/** Makes every fault, one after the other: the registry takes one change at a time. */
export async function openTickets(lab: SetupLab): Promise<{ close(): void }> {
  const world: TicketWorld = { lab, servers: [] };
  for (const ticket of TICKETS) await ticket.breaks(world);
  return {
    close() {
      for (const server of world.servers) server.closeAllConnections();
      for (const server of world.servers) server.close();
    },
  };
}
