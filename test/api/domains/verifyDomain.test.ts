import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WINDOW_MS } from '../../../server/src/domain/domain.ts';
import { type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { cname, everywhere, txt } from '../../support/observations.ts';
import { observed } from '../../support/observed.ts';

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

const verify = (domain: string) => api.call('domains.verifyDomain', { domain });
const show = async (domain: string) => (await api.call('domains.getDomain', { domain })).body.data;
/** Claims everything that is due now, so that what is due afterwards was asked for. */
const claim = async () =>
  (await api.store.claimDue(api.clock.now(), 100, 60_000, () => 0)).map((due) => due.domain.name);

describe('domains.verifyDomain', () => {
  it('answers 202 with nothing, by name in any form and by id', async () => {
    const { id } = await api.createDomain(tree, 'bücher.acme.com');
    for (const name of [id, 'bücher.acme.com', 'xn--bcher-kva.acme.com']) {
      expect(await verify(name)).toMatchObject({ status: 202, body: { data: {} } });
    }
  });

  it('asks for a check at once, and changes nothing that is shown', async () => {
    const domain = await api.createDomain(tree, 'now.acme.com');
    await observed(api, domain, { ownership: everywhere(txt('other')) });
    await claim();
    const before = await show('now.acme.com');
    expect(await claim()).not.toContain('now.acme.com');
    await verify('now.acme.com');
    expect(await claim()).toContain('now.acme.com');
    expect(await show('now.acme.com')).toEqual(before);
  });

  it('gives a failed domain a new window: pending again, with the same records and createdAt; the error stays until there is a new result', async () => {
    const domain = await api.createDomain(tree, 'failed.acme.com');
    api.clock.advance(WINDOW_MS);
    await observed(api, domain, { ownership: everywhere(txt('other')) });
    const failed = await show('failed.acme.com');
    expect(failed).toMatchObject({ status: 'failed', verificationError: expect.any(String) });
    api.clock.advance(1000);
    expect(await verify('failed.acme.com')).toMatchObject({ status: 202 });
    expect(await show('failed.acme.com')).toEqual({
      ...(failed as object),
      status: 'pending',
      updatedAt: api.clock.now(),
    });
    expect(await claim()).toContain('failed.acme.com');
  });

  it('answers 412 for a domain that is verified', async () => {
    const domain = await api.createDomain(tree, 'done.acme.com');
    await observed(api, domain, { routing: everywhere(cname(domain.target)) });
    expect(await verify('done.acme.com')).toMatchObject({
      status: 412,
      body: { error: { title: 'Precondition Failed', type: 'precondition-failed' } },
    });
  });

  it('answers 404 for a domain that does not exist', async () => {
    expect(await verify('nobody.acme.com')).toMatchObject({ status: 404, body: { error: { type: 'not-found' } } });
  });
});
