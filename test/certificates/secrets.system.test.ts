import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MOVED } from '../../server/src/domain/certificate-state.ts';
import { ask } from '../support/api-client.ts';
import { anIssuedCertificate } from '../support/certificates.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import type { Server } from '../support/server-process.ts';
import type { Killed } from './live/orders.ts';
import { eab, expectSealedAnew, expectWhole, open, rotate, underTraffic } from './live/rotation.ts';
import type { IssuingSite } from './live/site.ts';

/** Keeps a certificate of a former server for a domain that is not verified. */
async function stage(site: IssuingSite, node: Server): Promise<void> {
  await ask(node.url, site.tenant, 'createDomain', 'moving.customer.test');
  const store = await site.open();
  const domain = await store.findDomainByName(site.tenant.workspaceId, 'moving.customer.test');
  const outcome = domain && (await store.stageCertificate(domain, anIssuedCertificate({ issuer: MOVED }), Date.now()));
  expect(outcome).toBe('staged');
  await store.close();
}

test(
  'a sealing key is changed while names are issued: nothing fails, the old one can go, and no secret was to be seen',
  async ({ onTestFinished }) => {
    const site = await open(onTestFinished, { env: { NAMEPLATE_ENCRYPTION_KEY: '' } });
    const file = join(site.directory, 'encryption.key');
    const keys = () => readFileSync(file, 'utf8').trim().split('\n');
    const stops: Killed[] = [];
    const node = await site.serve();
    const { store, secrets, names } = await underTraffic(site, { stops, others: [eab] }, async (more) => {
      expect(keys()).toHaveLength(1);
      await stage(site, node);
      await rotate(site, {});
      await more();
    });
    await expectSealedAnew(site, store);
    await store.close();
    const [first = '', ...old] = keys();
    expect(old).toHaveLength(1);
    writeFileSync(file, `${first}\n`);
    stops.push({ pid: node.pid, at: Date.now() });
    await site.end(node, 'stop');
    await site.serve();
    await expectWhole(site, { names, stops, secrets });
  },
  START_LIMIT_MS,
);
