import type { Domain } from '../../server/src/domain/domain.ts';
import { type Random, seeded } from '../support/seeded-random.ts';
import { startHostileServer } from './hostile-server.ts';
import { type Internet, startInternet, type Zone } from './internet.ts';
import type { Host, Nameserver } from './knot.ts';
import { startMiddlebox } from './middlebox.ts';
import { CHALLENGE_ZONE } from './wildcard-mistakes.ts';
import { createInterop, EDGE_ADDRESS, type InteropWorld } from './world.ts';
import type { ZoneSubject } from './zone-mistakes.ts';

/** An Internet with the zones that mistakes lead into, and the world whose checks look at it. */
export interface Lab {
  internet: Internet;
  world: InteropWorld;
  servers: [Nameserver, Nameserver, Nameserver, Nameserver];
  /** A nameserver that never answers. */
  silent: Host;
  /** The platform's own zone, with the CNAME zone and the one for challenges. */
  platform: Zone;
  random: Random;
  /** A domain in a new zone. `host`: below the zone; of a subdomain `shop` unless given. */
  subject(
    label: string,
    options?: { kind?: Domain['kind'] | undefined; host?: string | undefined },
  ): Promise<ZoneSubject>;
  /** A domain with a token as long as real ones. */
  createDomain(name: string, kind?: Domain['kind'], workspaceId?: string): Promise<Domain>;
  close(): Promise<void>;
}

const TOKEN_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const TOKEN_LENGTH = 24;

/** `fourth`: what the fourth nameserver is. */
export async function startLab(seed: number, { fourth }: { fourth?: 'Knot' | 'NSD' } = {}): Promise<Lab> {
  const internet = await startInternet();
  const servers: Lab['servers'] = [
    ...internet.nameservers,
    await internet.startNameserver(),
    await internet.startNameserver(fourth),
  ];
  const random = seeded(seed);
  const world = await createInterop(internet, { random: random.next, triesMs: [200, 400] });
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(one: T): T => {
    opened.push(one);
    return one;
  };
  const platform = await publishNeighbours(internet);
  const silent = internet.spareHost();
  keep(
    await startHostileServer(silent, { port: internet.port, zone: 'test', records: () => [], respond: () => 'drop' }),
  );

  const createDomain: Lab['createDomain'] = (name, kind = 'subdomain', workspaceId = 'ws_1') => {
    const letters = Array.from({ length: TOKEN_LENGTH }, () => random.pick([...TOKEN_LETTERS]));
    const challengeZone = name.startsWith('*.') ? { challengeZone: CHALLENGE_ZONE } : {};
    return world.create(name, { kind, workspaceId, token: letters.join(''), ...challengeZone });
  };

  function inFrontOf(zone: Zone): Pick<ZoneSubject, 'hostile' | 'middlebox'> {
    const { port } = internet;
    return {
      async hostile(options) {
        const host = internet.spareHost();
        await zone.delegate([host]);
        return keep(await startHostileServer(host, { port, zone: zone.name, ...options }));
      },
      async middlebox(options) {
        const host = internet.spareHost();
        await zone.delegate([host]);
        keep(await startMiddlebox(host, { port, to: servers[0].address, ...options }));
      },
    };
  }

  return {
    internet,
    world,
    servers,
    silent,
    platform,
    random,
    createDomain,
    async subject(label, { kind = 'subdomain', host = 'shop' } = {}) {
      const zone = await internet.register(label);
      const domain = await createDomain(kind === 'apex' ? zone.name : `${host}.${zone.name}`, kind);
      return { internet, world, servers, zone, domain, ...inFrontOf(zone) };
    },
    async close() {
      await world.close();
      await Promise.all(opened.map((one) => one.close()));
      await internet.close();
    },
  };
}

/** The platform's own zone, the host that customers come from, and a zone that nobody serves. */
async function publishNeighbours(internet: Internet): Promise<Zone> {
  const platform = await internet.register('nameplate');
  await platform.publish(`*.cname A ${EDGE_ADDRESS}\n*.acme TXT "none"`);
  const formerHost = await internet.register('oldhost');
  await formerHost.publish('shops A 203.0.113.80');
  await internet.register('broken');
  return platform;
}
