import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Domain } from '../../../server/src/domain/domain.ts';
import type { Store } from '../../../server/src/store/store.ts';
import { type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { takeOver } from '../../support/certificates.ts';
import { plant } from '../../support/entities.ts';
import { issueChain } from '../../support/issue-chain.ts';
import { cname, everywhere } from '../../support/observations.ts';
import { observed } from '../../support/observed.ts';

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ISSUER = 'https://ca.test/directory';

const show = async (domain: string, key?: string) =>
  (await api.call('domains.getCertificate', { domain }, key === undefined ? {} : { key })).body.data;

async function verified(name: string, where = tree, key = api.rootKey): Promise<Domain> {
  const domain = await api.createDomain(where, name, key);
  return observed(api, domain, { routing: everywhere(cname(domain.target)) });
}

/** Works on the certificate of one domain, as a process with the role does. */
async function save(name: string, about: Partial<Parameters<Store['saveCertificate']>[0]>): Promise<void> {
  const now = api.clock.now();
  const due = await api.store.claimCertificates({ now, limit: 100, leaseMs: 1000, newNames: true });
  const mine = due.find(({ certificate }) => certificate.hostname === name);
  if (mine === undefined) throw new Error(`the certificate of ${name} is not due`);
  const result = { state: 'wanted', problem: null, selfCheck: null, failures: 0, nextTryAt: now, now } as const;
  expect(await api.store.saveCertificate({ hostname: name, lease: mine.lease, ...result, ...about })).toBe('saved');
}

/** A certificate for a name, as a CA would issue it now. */
function issue(hostname: string) {
  const now = api.clock.now();
  const { leaf, intermediate, key, notBefore, notAfter } = issueChain(hostname, { now });
  const renewal = { source: 'ari', startsAt: now + 59 * DAY_MS, endsAt: now + 61 * DAY_MS } as const;
  return {
    leaf: new X509Certificate(leaf),
    issued: {
      issuer: ISSUER,
      chain: leaf + intermediate,
      notBefore,
      notAfter,
      issuedAt: now,
      renewal: { ...renewal, renewAt: now + 60 * DAY_MS, askAgainAt: now + HOUR_MS, explanationUrl: null },
      privateKey: key.export({ type: 'pkcs8', format: 'der' }),
    },
  };
}

describe('domains.getCertificate', () => {
  it('answers with state none for a domain that is not verified, so that polling needs no special case', async () => {
    const { id } = await api.createDomain(tree, 'waiting.acme.com');
    expect(await show('waiting.acme.com')).toEqual({
      domainId: id,
      domain: 'waiting.acme.com',
      state: 'none',
      failures: 0,
    });
  });

  it('shows a wanted certificate from the verification on; by name in any form, and by id', async () => {
    const { id } = await verified('bücher.acme.com');
    const now = api.clock.now();
    for (const name of [id, 'bücher.acme.com', 'xn--bcher-kva.acme.com']) {
      const domain = 'xn--bcher-kva.acme.com';
      const wanted = { domainId: id, domain, state: 'wanted', failures: 0, nextTryAt: now, createdAt: now };
      expect(await show(name)).toEqual(wanted);
    }
  });

  it('shows why there is none yet: the reason, a message, the next attempt, and the result of each address', async () => {
    await verified('stray.acme.com');
    const at = api.clock.now();
    const problem = { reason: 'answered_by_another', message: 'Somebody else answers at 192.0.2.9.', at } as const;
    const answers = [
      { address: '198.51.100.7', outcome: 'ours', seen: null },
      { address: '192.0.2.9', outcome: 'another', seen: '404 "Not here"' },
    ] as const;
    const selfCheck = { at, answers: [...answers] };
    const nextTryAt = at + 600_000;
    await save('stray.acme.com', { state: 'waiting_for_routing', problem, selfCheck, failures: 2, nextTryAt });
    expect(await show('stray.acme.com')).toMatchObject({
      state: 'waiting_for_routing',
      problem,
      failures: 2,
      nextTryAt,
      selfCheck: {
        at,
        answers: [
          { address: '198.51.100.7', outcome: 'ours' },
          { address: '192.0.2.9', outcome: 'another', seen: '404 "Not here"' },
        ],
      },
    });
  });

  it('shows no next attempt during an attempt', async () => {
    await verified('busy.acme.com');
    const now = api.clock.now();
    await api.store.claimCertificates({ now, limit: 100, leaseMs: 1000, newNames: true });
    const shown = await show('busy.acme.com');
    expect(shown).toMatchObject({ state: 'wanted' });
    expect(shown).not.toHaveProperty('nextTryAt');
  });

  it('shows the certificate in use: who issued it, its dates, serial number and fingerprint, and when it is renewed', async () => {
    await verified('shop.acme.com');
    const { issued, leaf } = issue('shop.acme.com');
    await save('shop.acme.com', { state: 'issued', orderOutcome: 'issued', issued, nextTryAt: issued.renewal.renewAt });
    expect(await show('shop.acme.com')).toMatchObject({
      state: 'issued',
      nextTryAt: issued.renewal.renewAt,
      issued: {
        issuer: ISSUER,
        serialNumber: leaf.serialNumber,
        fingerprint: leaf.fingerprint256,
        notBefore: Date.parse(leaf.validFrom),
        notAfter: Date.parse(leaf.validTo),
        issuedAt: api.clock.now(),
        renewal: {
          source: 'ari',
          startsAt: issued.renewal.startsAt,
          endsAt: issued.renewal.endsAt,
          renewAt: issued.renewal.renewAt,
        },
      },
    });
  });

  it('shows no key, neither of the certificate nor of an order', async () => {
    await verified('secret.acme.com');
    const now = api.clock.now();
    const { issued } = issue('secret.acme.com');
    const [due] = (await api.store.claimCertificates({ now, limit: 100, leaseMs: 1000, newNames: true })).filter(
      ({ certificate }) => certificate.hostname === 'secret.acme.com',
    );
    if (due === undefined) throw new Error('it is due');
    const order = { hostname: 'secret.acme.com', issuer: ISSUER, url: null, replaces: null, startedAt: now };
    const { privateKey } = issue('secret.acme.com').issued;
    const entry = { issuer: ISSUER, hostname: order.hostname, registeredDomain: 'acme.com', exempt: false };
    await api.store.beginOrder({ lease: due.lease, order: { ...order, privateKey }, entry, limits: [], now });
    await api.store.importCertificate(order.hostname, issued, now);
    const text = JSON.stringify(await show('secret.acme.com'));
    expect(text).toContain('"issued"');
    for (const key of [privateKey, issued.privateKey]) {
      for (const encoding of ['base64', 'hex'] as const)
        expect(text).not.toContain(key.toString(encoding).slice(0, 40));
    }
    expect(text).not.toContain('PRIVATE');
  });

  it("shows nothing of another workspace's certificate for the same name", async () => {
    const { issued } = issue('taken.acme.com');
    await verified('taken.acme.com');
    await save('taken.acme.com', { state: 'issued', orderOutcome: 'issued', issued });
    const other = await api.createWorkspace();
    const { key } = await api.createKey({ workspaceId: other.id });
    const { id } = await api.createDomain(await api.createTree('theirs', key), 'taken.acme.com', key);
    expect(await show('taken.acme.com', key)).toEqual({
      domainId: id,
      domain: 'taken.acme.com',
      state: 'none',
      failures: 0,
    });
  });

  it('shows the new owner of a name, after a takeover, that the certificate is being ordered; the old owner has none', async () => {
    const incumbent = await verified('moved.acme.com');
    const { issued } = issue('moved.acme.com');
    await save('moved.acme.com', { state: 'issued', orderOutcome: 'issued', issued });
    const { environment, workspace } = await plant(api.store);
    const { key } = await api.createKey({ workspaceId: workspace.id });
    const now = api.clock.now();
    const domain = await takeOver(api.store, environment, incumbent, now);
    const of = { domain: 'moved.acme.com', failures: 0 };
    const wanted = { ...of, domainId: domain.id, state: 'wanted', nextTryAt: now, createdAt: now };
    expect(await show('moved.acme.com', key)).toEqual(wanted);
    expect(await show('moved.acme.com')).toEqual({ ...of, domainId: incumbent.id, state: 'none' });
  });

  it('says that nobody orders certificates here, where no process does', async () => {
    await verified('unattended.acme.com');
    const dueAt = api.clock.now();
    api.clock.advance(5 * 60_000);
    const problem = { reason: 'not_issued_here', message: expect.stringContaining('role "certificates"'), at: dueAt };
    expect(await show('unattended.acme.com')).toMatchObject({ state: 'wanted', problem });
    await api.store.recordIssuing(api.clock.now());
    expect(await show('unattended.acme.com')).not.toHaveProperty('problem');
  });

  it('needs no more than the permission to read the domain', async () => {
    await api.createDomain(tree, 'plain.acme.com');
    const { key } = await api.createKey({ permissions: [`environment.${tree.environmentId}.read_domain`] });
    expect(await show('plain.acme.com', key)).toMatchObject({ state: 'none' });
  });

  it('answers 404 for a domain that does not exist', async () => {
    expect(await api.call('domains.getCertificate', { domain: 'nobody.acme.com' })).toMatchObject({
      status: 404,
      body: { error: { type: 'not-found' } },
    });
  });
});
