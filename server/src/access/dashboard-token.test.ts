import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { idMaker } from '../base/ids.ts';
import { type SigningKey, StoreUnavailable } from '../store/store.ts';
import { createTokenVerifier, signToken } from './dashboard-token.ts';
import { isToken, signatureVerifier } from './signed-token.ts';

const NOW = 1_800_000_000_000;
const SECONDS = NOW / 1000;
const newId = idMaker({ now: () => NOW });

function aSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  return { id: newId('sig'), publicKey, privateKey, createdAt: NOW, retiredAt: null };
}

const signer = aSigningKey();
const claims = { sub: 'ada', workspaceId: 'ws_1', permissions: ['environment.*.read_domain'] };
const header = { alg: 'EdDSA', typ: 'JWT', kid: signer.id };
const payload = {
  ...claims,
  iss: 'nameplate-dashboard',
  aud: 'nameplate-api',
  iat: SECONDS,
  exp: SECONDS + 60,
};

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token made by hand, not by the library that reads it. */
function forge(claimed: object, head: object = header, { id = signer } = {}): string {
  const signed = `${encode(head)}.${encode(claimed)}`;
  const key = createPrivateKey({ key: Buffer.from(id.privateKey), format: 'der', type: 'pkcs8' });
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

/** Reads a token as a node does at a given time. */
function read(token: string, { now = NOW, keys = [signer] } = {}) {
  const store = { findSigningKey: async (id: string) => keys.find((key) => key.id === id) ?? null };
  return createTokenVerifier(signatureVerifier(store, { now: () => now }, undefined)).verify(token);
}

describe('a token', () => {
  let minted: { token: string; expiresAt: number };
  beforeAll(async () => {
    minted = await signToken(signer, claims, { now: NOW, lifeMs: 60_000 });
  });

  it('carries its claims, until the millisecond of its expiry', async () => {
    expect(minted.expiresAt).toBe(NOW + 60_000);
    expect(await read(minted.token)).toEqual({ ...claims, expiresAt: minted.expiresAt });
    expect(await read(minted.token, { now: minted.expiresAt - 1 })).toMatchObject(claims);
    expect(await read(minted.token, { now: minted.expiresAt })).toBeNull();
  });

  it('is a JWT as others write them', async () => {
    expect(await read(forge(payload))).toMatchObject(claims);
    expect(minted.token).toBe(forge({ ...orderOf(minted.token) }));
  });

  it('is not minted for longer than 120 seconds, nor longer than it is read', async () => {
    await expect(signToken(signer, claims, { now: NOW, lifeMs: 120_001 })).rejects.toThrow(RangeError);
    const permissions = Array.from({ length: 200 }, (_, i) => `environment.env_${i}.read_domain`);
    await expect(signToken(signer, { ...claims, permissions }, { now: NOW, lifeMs: 1000 })).rejects.toThrow(RangeError);
  });

  it('is valid for 120 seconds at most, whatever its claims', async () => {
    expect(await read(forge({ ...payload, exp: SECONDS + 120 }), { now: NOW + 119_999 })).toMatchObject(claims);
    expect(await read(forge({ ...payload, exp: SECONDS + 121 }))).toBeNull();
    expect(await read(forge({ ...payload, exp: 1e300 }))).toBeNull();
    expect(await read(forge({ ...payload, iat: SECONDS - 121, exp: SECONDS + 1 }))).toBeNull();
  });

  it('may come from a node whose clock is 5 seconds ahead, and no more', async () => {
    expect(await read(forge({ ...payload, iat: SECONDS + 5, exp: SECONDS + 65 }))).toMatchObject(claims);
    expect(await read(forge({ ...payload, iat: SECONDS + 6, exp: SECONDS + 66 }))).toBeNull();
  });

  it.each([
    ['another issuer', { iss: 'somebody' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'another-api' }],
    ['no audience', { aud: undefined }],
    ['no subject', { sub: undefined }],
    ['a subject that is no text', { sub: 1 }],
    ['no workspace', { workspaceId: undefined }],
    ['a workspace that is no text', { workspaceId: { $ne: '' } }],
    ['no permissions', { permissions: undefined }],
    ['permissions that are no list', { permissions: '*' }],
    ['permissions that are no texts', { permissions: [1] }],
    ['no time of making', { iat: undefined }],
    ['a time of making that is no number', { iat: String(SECONDS) }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is no number', { exp: 'never' }],
    ['a time before which it is not good', { nbf: SECONDS + 10 }],
  ])('with %s is refused', async (_, changed) => {
    expect(await read(forge({ ...payload, ...changed }))).toBeNull();
  });

  it('with the algorithm "none" is refused', async () => {
    for (const alg of ['none', 'None', 'NONE', '']) {
      const unsigned = `${encode({ ...header, alg })}.${encode(payload)}.`;
      expect(isToken(unsigned)).toBe(true);
      expect(await read(unsigned)).toBeNull();
      expect(await read(forge(payload, { ...header, alg }))).toBeNull();
    }
  });

  it('that is signed with the public key as if it were a shared secret is refused', async () => {
    const signed = `${encode({ ...header, alg: 'HS256' })}.${encode(payload)}`;
    const x = Buffer.from(signer.publicKey).subarray(-32);
    const pem = `-----BEGIN PUBLIC KEY-----\n${Buffer.from(signer.publicKey).toString('base64')}\n-----END PUBLIC KEY-----\n`;
    for (const secret of [signer.publicKey, x, pem, x.toString('base64url')]) {
      expect(await read(`${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`)).toBeNull();
    }
  });

  it.each([
    ['no key', { kid: undefined }],
    ['an unknown key', { kid: newId('sig') }],
    ['a key that is no text', { kid: { toString: 'sig' } }],
    ['a key with a path', { kid: '../../etc/passwd' }],
    ['a key of its own', { kid: undefined, jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AA' } }],
    ['a key on another server', { kid: undefined, jku: 'http://127.0.0.1/keys' }],
    ['an extension that nobody knows', { crit: ['exp'], exp: 1 }],
    ['an unencoded payload', { crit: ['b64'], b64: false }],
    ['another type', { typ: 'at+jwt' }],
    ['no type', { typ: undefined }],
    ['another algorithm', { alg: 'ES256' }],
  ])('with %s in its header is refused', async (_, changed) => {
    expect(await read(forge(payload, { ...header, ...changed }))).toBeNull();
  });

  it('signed by another key under the name of ours is refused', async () => {
    expect(await read(forge(payload, header, { id: aSigningKey() }))).toBeNull();
  });

  it('in which one character was changed is refused', async () => {
    const changes = fc.tuple(fc.nat({ max: minted.token.length - 1 }), fc.constantFrom(...'Ab0_-.'));
    await fc.assert(
      fc.asyncProperty(changes, async ([at, character]) => {
        const changed = minted.token.slice(0, at) + character + minted.token.slice(at + 1);
        fc.pre(changed !== minted.token && !sameBytes(changed, minted.token));
        expect(await read(changed)).toBeNull();
      }),
    );
  });

  it('of nonsense in its form is refused, and is no fault of the server', async () => {
    const part = fc.oneof(
      fc.stringMatching(/^[\w-]{1,40}$/),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
    );
    const refused = async (token: string) => {
      expect(await read(token)).toBeNull();
    };
    await fc.assert(fc.asyncProperty(fc.tuple(part, part, part), (parts) => refused(parts.join('.'))));
    await fc.assert(fc.asyncProperty(fc.object(), (any) => refused(forge(any))));
    await fc.assert(fc.asyncProperty(fc.object(), (any) => refused(forge(payload, any))));
  });

  it('signed by a key that was retired since is good until it expires; a later one is not', async () => {
    const keys = [{ ...signer, retiredAt: NOW }];
    expect(await read(forge(payload), { now: NOW + 59_999, keys })).toMatchObject(claims);
    const later = { ...payload, iat: SECONDS + 6, exp: SECONDS + 60 };
    expect(await read(forge(later), { now: NOW + 10_000, keys })).toBeNull();
  });

  it('that cannot be checked because the store is down is not called bad', async () => {
    const down = { findSigningKey: () => Promise.reject(new StoreUnavailable('down')) };
    await expect(
      createTokenVerifier(signatureVerifier(down, { now: () => NOW }, undefined)).verify(minted.token),
    ).rejects.toThrow(StoreUnavailable);
  });
});

/** The claims of a token in the order in which they stand there. */
function orderOf(token: string): object {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

/** The last character of a part may hold bits that mean nothing. */
function sameBytes(a: string, b: string): boolean {
  const bytes = (token: string) => token.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
  return bytes(a).join() === bytes(b).join();
}

describe('the keys that sign', () => {
  const changes = { isFresh: () => true, subscribe: () => {} };

  it('are read from the store once, unknown ones too', async () => {
    let asked = 0;
    const findSigningKey = async (id: string) => {
      asked += 1;
      return id === signer.id ? signer : null;
    };
    const verifier = createTokenVerifier(signatureVerifier({ findSigningKey }, { now: () => NOW }, changes));
    for (let i = 0; i < 3; i += 1) expect(await verifier.verify(forge(payload))).toMatchObject(claims);
    expect(asked).toBe(1);
    const unknown = forge(payload, { ...header, kid: newId('sig') });
    for (let i = 0; i < 3; i += 1) expect(await verifier.verify(unknown)).toBeNull();
    expect(asked).toBe(2);
  });

  it('are not looked up for a token that is invalid anyway', async () => {
    const findSigningKey = () => Promise.reject(new Error('asked'));
    const verifier = createTokenVerifier(signatureVerifier({ findSigningKey }, { now: () => NOW }, changes));
    expect(await verifier.verify(forge(payload, { ...header, alg: 'HS256' }))).toBeNull();
    expect(await verifier.verify(forge(payload, { ...header, kid: 'x' }))).toBeNull();
  });
});
