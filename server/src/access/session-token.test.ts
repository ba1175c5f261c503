import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SigningKey } from '../store/store.ts';
import { createTokenVerifier } from './dashboard-token.ts';
import { isSessionToken, signSession, verifySession } from './session-token.ts';
import { signatureVerifier } from './signed-token.ts';

const NOW = 1_800_000_000_000;
const LINK = { id: 'link_1', workspaceId: 'ws_1', domainId: 'dom_1' };

const pair = generateKeyPairSync('ed25519', {
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'der' },
});
const signer: SigningKey = { id: `sig_${'0'.repeat(26)}`, ...pair, createdAt: NOW, retiredAt: null };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token made by hand, with every claim of both kinds. */
function forge({ typ, iss, aud }: { typ: string; iss: string; aud: string }, about: object = {}): string {
  const both = { sub: LINK.id, workspaceId: 'ws_1', domainId: 'dom_1', permissions: ['environment.*.read_domain'] };
  const times = { iat: NOW / 1000, exp: NOW / 1000 + 60 };
  const signed = `${encode({ alg: 'EdDSA', kid: signer.id, typ })}.${encode({ ...both, ...times, iss, aud, ...about })}`;
  const key = createPrivateKey({ key: Buffer.from(pair.privateKey), format: 'der', type: 'pkcs8' });
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

const verifierAt = (now: number) =>
  signatureVerifier(
    { findSigningKey: async (id) => (id === signer.id ? signer : null) },
    { now: () => now },
    undefined,
  );
const asSession = (token: string, now = NOW) => verifySession(token, verifierAt(now));
const asDashboard = (token: string) => createTokenVerifier(verifierAt(NOW)).verify(token);

const session = { typ: 'nameplate-setup+jwt', iss: 'nameplate-setup', aud: 'nameplate-setup' };
const dashboard = { typ: 'JWT', iss: 'nameplate-dashboard', aud: 'nameplate-api' };

describe('a session token', () => {
  it('is bound to its link, workspace and domain, for two minutes', async () => {
    const { token, expiresAt } = await signSession(signer, LINK, NOW);
    expect(expiresAt).toBe(NOW + 120_000);
    expect(isSessionToken(token)).toBe(true);
    expect(await asSession(token)).toEqual({ link: LINK, expiresAt });
    expect(await asSession(token, expiresAt - 1)).not.toBeNull();
    expect(await asSession(token, expiresAt)).toBeNull();
  });

  it.each([
    { domainId: undefined },
    { workspaceId: undefined },
    { sub: undefined },
    { domainId: 1 },
    { exp: undefined },
  ])('with %j is refused', async (about) => {
    expect(await asSession(forge(session))).not.toBeNull();
    expect(await asSession(forge(session, about))).toBeNull();
  });
});

describe('tokens of two kinds', () => {
  it('are refused as each other, whatever is in them but their kind', async () => {
    expect(await asDashboard(forge(dashboard))).not.toBeNull();
    for (const typ of [session.typ, dashboard.typ])
      for (const iss of [session.iss, dashboard.iss])
        for (const aud of [session.aud, dashboard.aud]) {
          const token = forge({ typ, iss, aud });
          const [isSession, isDashboard] = [await asSession(token), await asDashboard(token)].map(
            (each) => each !== null,
          );
          const kind = JSON.stringify({ typ, iss, aud });
          expect(isSession, kind).toBe(kind === JSON.stringify(session));
          expect(isDashboard, kind).toBe(kind === JSON.stringify(dashboard));
        }
  });

  it.each(['', 'a', '..', 'e30.e30.', 'eyJ0eXAiOm51bGx9.e30.', '💥.💥.💥'])(
    'are told apart without a fault: %j',
    (text) => {
      expect(isSessionToken(text)).toBe(false);
    },
  );
});
