import { joinList } from '../../domain/text.ts';
import {
  type CaAccount,
  type SecretPlace,
  type SecretStore,
  type SigningKey,
  type Site,
  type Store,
  type StoredSecret,
  StoreUnavailable,
} from '../contract/store.ts';
import { isClear, type Keyring, keyIdIn, nameOf, type Place, SealingProblem } from './keyring.ts';

/** The store, with secrets sealed on their way in and opened on their way out. Those that lie there in clear come out as they are. */
export function sealSecrets(store: Store, keyring: Keyring): Store {
  const seal = (kind: SecretPlace['kind'], id: string, plain: Uint8Array) =>
    explained(() => keyring.seal(plain, { kind, id }));
  const open = (kind: SecretPlace['kind'], id: string, secret: Uint8Array) =>
    explained(() => openFrom(keyring, secret, { kind, id }));

  function openSigningKey(key: SigningKey | null): SigningKey | null {
    return key && { ...key, privateKey: open('signing_key', key.id, key.privateKey) };
  }

  function sealAccount(account: CaAccount): CaAccount {
    return { ...account, privateKey: seal('account', account.issuer, account.privateKey) };
  }

  function openAccount(account: CaAccount): CaAccount {
    return { ...account, privateKey: open('account', account.issuer, account.privateKey) };
  }

  function sealIssued<T extends { privateKey: Uint8Array }>(hostname: string, issued: T): T {
    return { ...issued, privateKey: seal('certificate', hostname, issued.privateKey) };
  }

  /** A key that cannot be opened concerns this name only: the error is a value, and not `StoreUnavailable`. */
  function openCertificate(hostname: string, certificate: Site['certificate']): Site['certificate'] {
    if (certificate === null || certificate instanceof Error) return certificate;
    try {
      return {
        ...certificate,
        privateKey: openFrom(keyring, certificate.privateKey, { kind: 'certificate', id: hostname }),
      };
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  return {
    ...store,
    findSigningKey: async (keyId) => openSigningKey(await store.findSigningKey(keyId)),
    findCurrentSigningKey: async () => openSigningKey(await store.findCurrentSigningKey()),
    async replaceSigningKey(before, after, forgetRetiredBefore) {
      const sealed = { ...after, privateKey: seal('signing_key', after.id, after.privateKey) };
      return store.replaceSigningKey(before, sealed, forgetRetiredBefore);
    },
    async claimCertificates(claim) {
      const due = await store.claimCertificates(claim);
      return due.map(({ order, ...rest }) => {
        if (order === null) return { ...rest, order };
        try {
          return { ...rest, order: { ...order, privateKey: open('order', order.hostname, order.privateKey) } };
        } catch {
          // Without its key an order is lost; another can be begun.
          return { ...rest, order: null };
        }
      });
    },
    async beginOrder(begin) {
      const { hostname, privateKey } = begin.order;
      return store.beginOrder({ ...begin, order: { ...begin.order, privateKey: seal('order', hostname, privateKey) } });
    },
    async saveCertificate(save) {
      return store.saveCertificate({ ...save, issued: save.issued && sealIssued(save.hostname, save.issued) });
    },
    async importCertificate(hostname, issued, now) {
      return store.importCertificate(hostname, sealIssued(hostname, issued), now);
    },
    async findCaAccount(issuer) {
      const account = await store.findCaAccount(issuer);
      return account && openAccount(account);
    },
    createCaAccount: async (account) => openAccount(await store.createCaAccount(sealAccount(account))),
    replaceCaAccount: async (before, after) => store.replaceCaAccount(before, sealAccount(after)),
    async findSite(hostname) {
      const site = await store.findSite(hostname);
      return site && { ...site, certificate: openCertificate(hostname, site.certificate) };
    },
  };
}

/**
 * Seals everything under the first key that lies there in clear, or sealed under another. It can end anywhere and be begun again, and others
 * may use the store meanwhile. `onProgress` is told how many were done. Rejects with `SealingProblem` when all is done but what no key opens.
 */
export async function rotateSecrets(
  store: SecretStore,
  keyring: Keyring,
  onProgress: (done: number) => void = () => {},
): Promise<number> {
  const isOld = (prefix: Uint8Array) => !isSame(prefix, keyring.prefix());
  const { done, damaged } = await sealAgain(store, keyring, isOld, onProgress);
  const [missing] = await missingKeys(store, keyring);
  const problems: string[] = [];
  if (missing !== undefined) {
    problems.push(
      `private keys remain that are sealed under the key ${missing}, which is not among the configured ones: add it after the first one, then try again`,
    );
  }
  if (damaged.length > 0) {
    problems.push(
      `private keys remain that no key opens, since they were changed, or moved from elsewhere (${joinList(damaged.map(nameOf), 10)}): restore a backup, or have others made`,
    );
  }
  if (problems.length > 0) throw new SealingProblem(problems.join('; '));
  return done;
}

/** Seals what was written before there was sealing. Resolves with how many secrets that were. */
export async function sealClearSecrets(store: SecretStore, keyring: Keyring): Promise<number> {
  return (await sealAgain(store, keyring, isClear, () => {})).done;
}

/** Ids of keys that secrets are sealed under, and that the keyring does not have. */
export async function missingKeys(store: Pick<SecretStore, 'listSecretPrefixes'>, keyring: Keyring): Promise<string[]> {
  const prefixes = await store.listSecretPrefixes();
  return prefixes.filter((prefix) => !keyring.knows(prefix)).map((prefix) => String(keyIdIn(prefix)));
}

/** Secrets that are read, and written, at once. */
const BATCH = 100;

/** What does not open is `damaged`, and left as it is. */
async function sealAgain(
  store: SecretStore,
  keyring: Keyring,
  isWanted: (prefix: Uint8Array) => boolean,
  onProgress: (done: number) => void,
): Promise<{ done: number; damaged: StoredSecret[] }> {
  const damaged: StoredSecret[] = [];
  const isKnown = ({ kind, id, bytes }: StoredSecret) =>
    damaged.some((one) => one.kind === kind && one.id === id && isSame(one.bytes, bytes));

  async function sealOne(secret: StoredSecret) {
    let plain: Uint8Array;
    try {
      plain = openFrom(keyring, secret.bytes, secret);
    } catch (error) {
      if (!(error instanceof SealingProblem)) throw error;
      damaged.push(secret);
      return 'damaged';
    }
    return store.replaceSecret(secret, keyring.seal(plain, secret));
  }

  for (let done = 0; ; ) {
    let found = 0;
    const prefixes = (await store.listSecretPrefixes()).filter((prefix) => isWanted(prefix) && keyring.knows(prefix));
    for (const prefix of prefixes) {
      // What is damaged stays among them.
      const secrets = (await store.listSecrets(prefix, BATCH + damaged.length)).filter((secret) => !isKnown(secret));
      const outcomes = await Promise.all(secrets.map(sealOne));
      found += secrets.length;
      // Of one that somebody has changed since, the new one is looked at in the next round.
      done += outcomes.filter((outcome) => outcome === 'replaced').length;
      onProgress(done);
    }
    if (found === 0) return { done, damaged };
  }
}

function openFrom(keyring: Keyring, secret: Uint8Array, place: Place): Uint8Array {
  return isClear(secret) ? secret : keyring.open(secret, place);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SealingProblem) throw new StoreUnavailable(error.message, { cause: error });
    throw error;
  }
}
