import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { revokeAtCa } from '../../server/src/certificates/acme/revocation.ts';
import { aPrivateKey, servedCertificate } from '../support/certificates.ts';
import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
import { createWorld, type World } from './world.ts';

let world: World;
let ca: FakeCa;
beforeEach(async () => {
  world = await createWorld();
  ca = await world.startCa();
});
afterEach(() => world.close());

/** A name with a certificate of the CA in use. */
async function certified() {
  const { name } = await world.add();
  const worker = world.worker([world.issuer(ca)]);
  await worker.runOnce();
  const { issued } = await world.read(name);
  if (issued === null) throw new Error('no certificate is in use');
  return { name, issued, worker };
}

const log = createLog('silent');
type Issued = { issuer: string; chain: string; privateKey?: Uint8Array };
const revoke = (issued: Issued, reason?: Parameters<typeof revokeAtCa>[1]) =>
  revokeAtCa({ privateKey: null, ...issued }, reason, { ...world, trustRoots: null, log });

describe('a certificate', () => {
  test.each([
    [undefined, undefined],
    ['keyCompromise', 1],
    ['superseded', 4],
    ['cessationOfOperation', 5],
  ] as const)('is revoked by the account that ordered it, with the reason %s', async (reason, code) => {
    const { name, issued } = await certified();
    await revoke(issued, reason);
    expect(ca.revoked).toMatchObject([{ hostname: name, reason: code }]);
    // It may have been, without our knowing.
    await revoke(issued, reason);
    expect(ca.revoked).toHaveLength(1);
  });

  test('of another account is revoked by its own key', async () => {
    const { name, issued } = await certified();
    const served = await servedCertificate(world.store, name);
    ca.revokeAccounts();
    const other = { ...issued, privateKey: aPrivateKey() };
    await expect(revoke(other)).rejects.toThrow(/another account ordered it/);
    await revoke({ ...issued, ...(served && { privateKey: served.privateKey }) }, 'superseded');
    expect(ca.revoked).toMatchObject([{ hostname: name, reason: 4 }]);
  });

  test('of another account, whose key is not known, is not revoked, and the error has the message of the CA', async () => {
    const { issued } = await certified();
    ca.forgetAccounts();
    await expect(revoke(issued)).rejects.toMatchObject({ kind: 'account' });
    expect(ca.revoked).toEqual([]);
    const unknown = await world.startCa();
    await expect(revoke({ ...issued, issuer: unknown.directoryUrl })).rejects.toThrow(/no account at 127/);
  });

  test.each([false, true])(
    'that was revoked is replaced at once by one with another key (withdrawn: %s)',
    async (withdraw) => {
      const { name, issued, worker } = await certified();
      const before = await servedCertificate(world.store, name);
      await revoke(issued);
      await world.store.replaceRevoked(
        { hostname: name, chain: issued.chain, withdraw, reason: null },
        world.clock.now(),
      );
      expect(await servedCertificate(world.store, name)).toEqual(withdraw ? null : before);
      await worker.runOnce();
      const after = await servedCertificate(world.store, name);
      expect(after?.chain).not.toBe(issued.chain);
      expect(new Set(ca.certificates.map(({ publicKey }) => publicKey)).size).toBe(2);
      expect(after && before && Buffer.from(after.privateKey).equals(Buffer.from(before.privateKey))).toBe(false);
      expect(await world.read(name)).toMatchObject({ state: 'issued', problem: null });
    },
  );
});
