import { type AnyChange, changes, changesWith } from '../engine/changes.ts';
import { NO_SECRET, type Seal } from '../engine/write.ts';
import { writes } from '../engine/writes.ts';
import {
  type Call,
  type Changes,
  type DueDelivery,
  type Once,
  type OnceChanges,
  type OnceResult,
  type Origin,
  SealingUnavailable,
  type SecretPlace,
  type SigningKey,
  type Site,
  type Store,
} from '../store.ts';
import { respondToKeyed } from './keyed-challenges.ts';
import { type Keyring, SealingError } from './keyring.ts';

type Method = (...args: unknown[]) => Promise<unknown>;

/** A store whose secrets are sealed when they are written, and unsealed when they are read. Plaintext is returned as it is stored. */
export function sealedStore(store: Store, keyring: Keyring): Store {
  const seal: Seal = (secret, place) => orUnavailable(() => keyring.seal(secret, place));
  const unseal = <T extends { privateKey: Uint8Array }>(kind: SecretPlace['kind'], id: string, secret: T): T =>
    orUnavailable(() => ({ ...secret, privateKey: keyring.unseal(secret.privateKey, { kind, id }) }));

  const unsealSigningKey = (key: SigningKey | null) => key && unseal('signing_key', key.id, key);

  /** Each of these methods, with the secrets among its arguments sealed as its definition says. */
  function sealing<Methods extends object>(methods: Methods, definitions: object): Methods {
    const sealed = Object.entries(definitions).map(([name, { secret }]) => {
      const method = methods[name as keyof Methods] as Method;
      return [name, secret === NO_SECRET ? method : async (...args: unknown[]) => method(...secret(seal, ...args))];
    });
    return Object.fromEntries(sealed) as Methods;
  }

  /** None, unless all can be unsealed: a receiver may verify with the one that is missing. */
  function unsealWebhook(secrets: DueDelivery['secrets']): DueDelivery['secrets'] {
    try {
      return secrets.map(({ id, secret }) => ({ id, secret: keyring.unseal(secret, { kind: 'webhook_secret', id }) }));
    } catch (error) {
      if (error instanceof SealingError) return [];
      throw error;
    }
  }

  /** An error is a value here: it concerns this certificate alone, and the store is not unavailable. */
  function unsealServed(hostname: string, certificate: Site['certificate']): Site['certificate'] {
    if (certificate === null || certificate instanceof Error) return certificate;
    try {
      const place = { kind: 'certificate', id: certificate.wildcard ?? hostname } as const;
      return { ...certificate, privateKey: keyring.unseal(certificate.privateKey, place) };
    } catch (error) {
      if (error instanceof SealingError) return error;
      throw error;
    }
  }

  const unsealSite = (site: Site | null) =>
    site && {
      ...site,
      certificate: unsealServed(site.hostname, site.certificate),
      origin: site.origin && unsealOrigin(site.environmentId, site.origin),
    };

  /**
   * All or nothing: without its secret, an origin would reject requests of the edge. Throws a `SealingError`, which concerns
   * this origin alone: the store is not unavailable.
   */
  function unsealOrigin(id: string, { settings, ...origin }: Origin): Origin {
    if (settings === null) return { ...origin, settings };
    const { secret, clientCertificate } = settings;
    return {
      ...origin,
      settings: {
        ...settings,
        clientCertificate: clientCertificate && {
          ...clientCertificate,
          privateKey: keyring.unseal(clientCertificate.privateKey, { kind: 'origin_client_key', id }),
        },
        secret: secret && {
          ...secret,
          current: keyring.unseal(secret.current, { kind: 'origin_secret', id }),
          previous: secret.previous && keyring.unseal(secret.previous, { kind: 'previous_origin_secret', id }),
        },
      },
    };
  }

  /** With a secret in what is kept for repeats, that is sealed too. */
  function changesOnce({ by, once }: Call): OnceChanges {
    const performOnce = async ({ name, secret }: AnyChange, args: unknown[]) => {
      const call = { by, once: once && { ...once, made: once.secret ? seal(once.made, placeOf(once)) : once.made } };
      const method = store.changesOnce(call)[name as keyof Changes] as (
        ...args: unknown[]
      ) => Promise<OnceResult<unknown>>;
      const result = await method(...secret(seal, ...args));
      if (result.kind !== 'repeated' || !once?.secret) return result;
      return { ...result, made: orUnavailable(() => keyring.unseal(result.made, placeOf(once))) };
    };
    return changesWith(performOnce) as unknown as OnceChanges;
  }

  const sealedWrites = sealing(store, writes);
  return {
    ...store,
    ...sealedWrites,
    ...sealing(store, changes),
    changesBy: (by) => sealing(store.changesBy(by), changes),
    changesOnce,
    findSigningKey: async (keyId) => unsealSigningKey(await store.findSigningKey(keyId)),
    listConnectKeys: async () => (await store.listConnectKeys()).map((key) => unseal('connect_key', key.id, key)),
    findCurrentSigningKey: async () => unsealSigningKey(await store.findCurrentSigningKey()),
    async claimCertificates(claim) {
      const due = await store.claimCertificates(claim);
      return due.map(({ order, ...rest }) => {
        try {
          return { ...rest, order: order && unseal('order', order.hostname, order) };
        } catch {
          // Without its key an order is lost; another can be begun.
          return { ...rest, order: null };
        }
      });
    },
    async findFallback(hostname) {
      const fallback = await store.findFallback(hostname);
      return fallback && unseal('certificate', hostname, fallback);
    },
    async findCaAccount(issuer) {
      const account = await store.findCaAccount(issuer);
      return account && unseal('account', issuer, account);
    },
    createCaAccount: async (account) => unseal('account', account.issuer, await sealedWrites.createCaAccount(account)),
    findSite: async (hostname) => unsealSite(await store.findSite(hostname)),
    async findOrigin(environmentId) {
      const origin = await store.findOrigin(environmentId);
      return origin && unsealOrigin(environmentId, origin);
    },
    findChallenge: async (hostname, token, now) =>
      respondToKeyed(keyring, hostname, token) ?? store.findChallenge(hostname, token, now),
    findOperatorSite: async (hostname) => unsealSite(await store.findOperatorSite(hostname)),
    async leaseDelivery(...args) {
      const due = await store.leaseDelivery(...args);
      return due && { ...due, secrets: unsealWebhook(due.secrets) };
    },
  };
}

function placeOf({ id }: Once): SecretPlace {
  return { kind: 'idempotency_key', id };
}

function orUnavailable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SealingError) throw new SealingUnavailable(error.message, { cause: error });
    throw error;
  }
}
