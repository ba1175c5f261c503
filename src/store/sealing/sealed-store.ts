import {
  type CaAccount,
  type ChangeArgs,
  type ChangeMethod,
  type CreateArgs,
  type CreateMethod,
  type DueDelivery,
  type Once,
  SealingUnavailable,
  type SecretPlace,
  type SigningKey,
  type Site,
  type Store,
  type WebhookSecret,
} from '../contract/store.ts';
import { type Keyring, SealingError } from './keyring.ts';

/** The methods that take or return a secret. All others are the engine's own, those of `SecretStore` too, which return stored bytes. */
type SealedMethods = Pick<
  Store,
  | 'findSigningKey'
  | 'findCurrentSigningKey'
  | 'replaceSigningKey'
  | 'claimCertificates'
  | 'beginOrder'
  | 'saveCertificate'
  | 'importCertificate'
  | 'findCaAccount'
  | 'createCaAccount'
  | 'replaceCaAccount'
  | 'findSite'
  | 'findOperatorSite'
  | 'createOnce'
  | 'recorded'
  | 'createWebhook'
  | 'rotateWebhookSecret'
  | 'leaseDelivery'
>;

/** A store whose secrets are sealed when they are written, and unsealed when they are read. Plaintext is returned as it is stored. */
export function sealedStore(store: Store, keyring: Keyring): Store {
  const seal = <T extends { privateKey: Uint8Array }>(kind: SecretPlace['kind'], id: string, secret: T): T =>
    orUnavailable(() => ({ ...secret, privateKey: keyring.seal(secret.privateKey, { kind, id }) }));
  const unseal = <T extends { privateKey: Uint8Array }>(kind: SecretPlace['kind'], id: string, secret: T): T =>
    orUnavailable(() => ({ ...secret, privateKey: keyring.unseal(secret.privateKey, { kind, id }) }));

  const unsealSigningKey = (key: SigningKey | null) => key && unseal('signing_key', key.id, key);
  const sealAccount = (account: CaAccount) => seal('account', account.issuer, account);
  const unsealAccount = (account: CaAccount) => unseal('account', account.issuer, account);

  const webhookPlace = (id: string): SecretPlace => ({ kind: 'webhook_secret', id });
  const sealWebhook = (secret: WebhookSecret): WebhookSecret =>
    orUnavailable(() => ({ ...secret, secret: keyring.seal(secret.secret, webhookPlace(secret.id)) }));

  /** None, unless all can be unsealed: a receiver may verify with the one that is missing. */
  function unsealWebhook(secrets: DueDelivery['secrets']): DueDelivery['secrets'] {
    try {
      return secrets.map(({ id, secret }) => ({ id, secret: keyring.unseal(secret, webhookPlace(id)) }));
    } catch (error) {
      if (error instanceof SealingError) return [];
      throw error;
    }
  }

  /** An error is a value here: it concerns this certificate alone, and the store is not unavailable. */
  function unsealServed(hostname: string, certificate: Site['certificate']): Site['certificate'] {
    if (certificate === null || certificate instanceof Error) return certificate;
    try {
      const place = { kind: 'certificate', id: hostname } as const;
      return { ...certificate, privateKey: keyring.unseal(certificate.privateKey, place) };
    } catch (error) {
      if (error instanceof SealingError) return error;
      throw error;
    }
  }

  const unsealSite = (site: Site | null) =>
    site && { ...site, certificate: unsealServed(site.hostname, site.certificate) };

  /** Of changes that take a secret: `recorded` and `createOnce` reach the store past the methods below. The compiler demands each of them. */
  const sealArgs: { [M in ChangeMethod & keyof SealedMethods]: (...args: ChangeArgs<M>) => ChangeArgs<M> } = {
    replaceSigningKey: (before, after, ...rest) => [before, seal('signing_key', after.id, after), ...rest],
    importCertificate: (hostname, issued, now) => [hostname, seal('certificate', hostname, issued), now],
    createWebhook: (webhook, secret, limit) => [webhook, sealWebhook(secret), limit],
    rotateWebhookSecret: (workspaceId, webhookId, secret, ...rest) => [
      workspaceId,
      webhookId,
      sealWebhook(secret),
      ...rest,
    ],
  };

  function sealedArgs<Method extends ChangeMethod>(method: Method, args: ChangeArgs<Method>): ChangeArgs<Method> {
    const sealOf: { [M in ChangeMethod]?: (...args: never) => unknown } = sealArgs;
    const seal = sealOf[method] as ((...args: ChangeArgs<Method>) => ChangeArgs<Method>) | undefined;
    return seal === undefined ? args : orUnavailable(() => seal(...args));
  }

  const sealed: SealedMethods = {
    findSigningKey: async (keyId) => unsealSigningKey(await store.findSigningKey(keyId)),
    findCurrentSigningKey: async () => unsealSigningKey(await store.findCurrentSigningKey()),
    replaceSigningKey: async (...args) => store.replaceSigningKey(...sealArgs.replaceSigningKey(...args)),
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
    beginOrder: async (begin) =>
      store.beginOrder({ ...begin, order: seal('order', begin.order.hostname, begin.order) }),
    saveCertificate: async (save) =>
      store.saveCertificate({ ...save, issued: save.issued && seal('certificate', save.hostname, save.issued) }),
    importCertificate: async (...args) => store.importCertificate(...sealArgs.importCertificate(...args)),
    async findCaAccount(issuer) {
      const account = await store.findCaAccount(issuer);
      return account && unsealAccount(account);
    },
    createCaAccount: async (account) => unsealAccount(await store.createCaAccount(sealAccount(account))),
    replaceCaAccount: async (before, after) => store.replaceCaAccount(before, sealAccount(after)),
    findSite: async (hostname) => unsealSite(await store.findSite(hostname)),
    findOperatorSite: async (hostname) => unsealSite(await store.findOperatorSite(hostname)),
    async createOnce<Method extends CreateMethod>(once: Once, method: Method, ...args: CreateArgs<Method>) {
      const stored = sealedArgs(method, args);
      if (!once.secret) return store.createOnce(once, method, ...stored);
      const place = { kind: 'idempotency_key', id: once.id } as const;
      const made = orUnavailable(() => keyring.seal(once.made, place));
      const result = await store.createOnce({ ...once, made }, method, ...stored);
      if (result.kind !== 'repeated') return result;
      return { ...result, made: orUnavailable(() => keyring.unseal(result.made, place)) };
    },
    recorded: (by, method, ...args) => store.recorded(by, method, ...sealedArgs(method, args)),
    createWebhook: async (...args) => store.createWebhook(...sealArgs.createWebhook(...args)),
    rotateWebhookSecret: async (...args) => store.rotateWebhookSecret(...sealArgs.rotateWebhookSecret(...args)),
    async leaseDelivery(...args) {
      const due = await store.leaseDelivery(...args);
      return due && { ...due, secrets: unsealWebhook(due.secrets) };
    },
  };
  return { ...store, ...sealed };
}

function orUnavailable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SealingError) throw new SealingUnavailable(error.message, { cause: error });
    throw error;
  }
}
