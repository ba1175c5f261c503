import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { connect, createSecureContext, type TLSSocket } from 'node:tls';
import { expect } from 'vitest';
import { ask, type CertificateData, type Data } from '../../support/api-client.ts';
import type { Server } from '../../support/server-process.ts';
import { plant, type Tenant, until } from '../../support/server-site.ts';
import { addName, readCertificate } from './names.ts';
import { deploy, GREETING, type IssuingSite, startOrigin } from './site.ts';

/** The responses that visitors of one name got. */
export interface Takeover {
  handshakes: number;
  /** Requests that the takeover aborted: they were in flight at the former owner's origin. */
  aborted: number;
  /** Responses of the new owner with the certificate that was issued for the former one. */
  bridged: number;
}

const NEW_GREETING = 'hello from the new owner';
/** Visitors at any moment. */
const VISITORS = 4;
/** Longer than the time between two attempts at a CA that does not answer. */
const STEP_MS = 20 * 60_000;

interface Visit {
  began: number;
  ended: number;
  /** Null: the response was aborted. */
  body: string | null;
  fingerprint: string;
}

/**
 * Another workspace takes over a name that is visited all the time, while the CA does not answer (`awayFor`: until so
 * many visits were made after the takeover; 0: it answers). Expects that no handshake fails, and that the name is
 * served for one of them at a time.
 */
export async function takeOverUnderTraffic(site: IssuingSite, awayFor: number): Promise<Takeover> {
  const name = `shop.takeover${awayFor}.test`;
  const [running] = site.nodes;
  const node = running ?? (await site.serve());
  await addName(site, name);
  await until('it has its certificate', async () => (await readCertificate(site, name)).state === 'issued');
  const claimant = await plant(site);
  const origin = await startOrigin(NEW_GREETING);
  await deploy(await site.open(), claimant, origin.url);

  const visits: Visit[] = [];
  const failures: unknown[] = [];
  let stopped = false;
  const visitors = Array.from({ length: VISITORS }, async () => {
    while (!stopped && failures.length === 0)
      await visit(site, name).then(
        (it) => visits.push(it),
        (it) => failures.push(it),
      );
  });
  const more = async (wanted: string, holds: (visit: Visit) => boolean, count = 1) =>
    until(wanted, () => {
      if (failures.length > 0) throw failures[0];
      return visits.filter(holds).length >= count;
    });
  const isNew = ({ body }: Visit) => body === NEW_GREETING;

  try {
    await more('the former owner is visited', ({ body }) => body === GREETING, 20);
    const [former] = visits.map(({ fingerprint }) => fingerprint);
    const isBridged = (visit: Visit) => isNew(visit) && visit.fingerprint === former;
    if (awayFor > 0) site.recorder.onMoment = async ({ when }) => when !== 'asked';
    await publishFor(site, node, claimant, name);
    await more('the new owner is visited', isNew);
    if (awayFor > 0) {
      await more('the new owner is visited while the CA is away', isBridged, awayFor);
      await expectTruth(node, claimant, name);
      site.recorder.onMoment = async () => true;
      await node.tell(`step ${STEP_MS}`);
    }
    await more('the new certificate is served', (visit) => isNew(visit) && visit.fingerprint !== former, 20);
    stopped = true;
    await Promise.all(visitors);

    expect(failures).toEqual([]);
    expectOneAtATime(visits, isNew);
    expectOneAtATime(visits, ({ fingerprint }) => fingerprint !== former);
    const { data } = await ask<CertificateData>(node.url, claimant, 'getCertificate', name);
    expect(data).toMatchObject({ state: 'issued', issued: { fingerprint: visits.at(-1)?.fingerprint } });
    expect((await ask<CertificateData>(node.url, site.tenant, 'getCertificate', name)).data?.state).toBe('none');
    expect(await site.data.query('select hostname from inherited_certificates')).toEqual([]);
    const aborted = visits.filter(({ body }) => body === null).length;
    expect(aborted).toBeLessThanOrEqual(VISITORS);
    return { handshakes: visits.length, aborted, bridged: visits.filter(isBridged).length };
  } finally {
    stopped = true;
    site.recorder.onMoment = async () => true;
    await Promise.all(visitors);
    await origin.close();
  }
}

/** Creates the domain for the claimant, and publishes its records in place of the incumbent's. */
async function publishFor(site: IssuingSite, node: Server, claimant: Tenant, name: string): Promise<void> {
  const { data } = await ask<Data>(node.url, claimant, 'createDomain', name);
  for (const { name: owner, type, value } of data?.dnsRecords ?? []) site.dns.set(owner, type, [value]);
}

/** The new owner learns that there is no certificate of its own yet, and why, while the former one serves. */
async function expectTruth(node: Server, claimant: Tenant, name: string): Promise<void> {
  await until('the CA was asked in vain', async () => {
    const { data } = await ask<CertificateData>(node.url, claimant, 'getCertificate', name);
    expect(data?.issued).toBeUndefined();
    return data?.problem?.reason === 'ca_unavailable';
  });
}

/** From the first visit of a kind on, all that begin after its end are of that kind. */
function expectOneAtATime(visits: readonly Visit[], isLater: (visit: Visit) => boolean): void {
  const since = Math.min(...visits.filter(isLater).map(({ ended }) => ended));
  const relapses = visits.filter((visit) => visit.body !== null && visit.began > since && !isLater(visit));
  expect(relapses).toEqual([]);
}

/**
 * Rejects when the handshake fails, or when the certificate is not valid for the name. What becomes of the request is
 * told.
 */
async function visit({ https, pebble }: IssuingSite, name: string): Promise<Visit> {
  const began = performance.now();
  const secureContext = createSecureContext({ ca: pebble.issuingRoots });
  const socket = connect({ host: '127.0.0.1', port: https.port, servername: name, secureContext });
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve).once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed during the handshake')));
  });
  const fingerprint = socket.getPeerX509Certificate()?.fingerprint256 ?? '';
  const body = await bodyFrom(socket, name).catch(() => null);
  socket.destroy();
  return { began, ended: performance.now(), body, fingerprint };
}

function bodyFrom(socket: TLSSocket, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ createConnection: () => socket, headers: { host, connection: 'close' } }, (response) => {
      text(response).then(resolve, reject);
    });
    sent.once('error', reject);
    sent.end();
  });
}
