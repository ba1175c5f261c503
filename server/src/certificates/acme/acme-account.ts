import type { KeyObject } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { FlattenedSign } from 'jose/jws/flattened/sign';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { successorOf } from '../../domain/certificate-state.ts';
import type { CaAccount, CertificateStore } from '../../store/store.ts';
import { CaProblem } from '../issuer.ts';
import { newPrivateKey, readPrivateKey } from '../x509/private-key.ts';
import { type AcmeClient, createAcmeClient, publicJwk, type Signer } from './acme-client.ts';
import { caTransport } from './ca-transport.ts';
import { AcmeError, isObject } from './problem-document.ts';

/** Our account at a CA (RFC 8555 section 7.3): one for all nodes, because its key is saved before it is registered. */
export interface Accounts {
  /** The account; created and registered at first use. */
  open(): Promise<Account>;
  /** Checks whether the CA still accepts it. */
  isAccepted(account: Account): Promise<boolean>;
  /**
   * Replaces it. Rejects with `CaProblem`, of kind `account`, if it is less than a day old: then the operator has to
   * look.
   */
  replace(account: Account): Promise<void>;
  /**
   * Gives the account another key (section 7.3.5). Rejects with `CaProblem`; then the CA may have either key, and the next
   * `open` finds out which.
   */
  rotateKey(): Promise<void>;
}

export interface Account extends Signer {
  accountUrl: string;
  /** The thumbprint of the account's public key (RFC 7638), for key authorizations. */
  thumbprint: string;
  /** When its key was made. */
  createdAt: number;
}

/** External account binding (RFC 8555 section 7.3.4). */
export interface ExternalAccount {
  kid: string;
  /** base64url. A secret. */
  hmacKey: string;
}

export interface AccountOptions {
  client: AcmeClient;
  directoryUrl: string;
  email: string | null;
  externalAccount: ExternalAccount | null;
  store: Pick<
    CertificateStore,
    'findCaAccount' | 'createCaAccount' | 'updateCaAccount' | 'replaceCaAccount' | 'addCaSuccessor'
  >;
  clock: Clock;
  log: Log;
}

/** One new account a day, at most. */
const REPLACED_AFTER_MS = 24 * 3_600_000;
/** A successor that the CA does not have by then is given up. */
const ABANDONED_AFTER_MS = 3_600_000;

/** Our account at a CA, for a command: one that is registered already. */
export function accountsAt(
  directoryUrl: string,
  use: Pick<AccountOptions, 'store' | 'clock' | 'log'> & { trustRoots: string | null },
): Accounts {
  const transport = caTransport({ trustRoots: use.trustRoots, timeoutMs: 30_000 });
  const client = createAcmeClient({ ...use, directoryUrl, transport });
  return createAccounts({ ...use, client, directoryUrl, email: null, externalAccount: null });
}

export function createAccounts(options: AccountOptions): Accounts {
  const { client, directoryUrl: issuer, email, externalAccount, store, clock, log } = options;
  let opening: Promise<Account> | null = null;

  function created(): CaAccount {
    const empty = { url: null, certificate: null, pausedUntil: null, problem: null };
    return { issuer, privateKey: newPrivateKey(), createdAt: clock.now(), ...empty };
  }

  async function open(): Promise<Account> {
    const saved = await settled((await store.findCaAccount(issuer)) ?? (await store.createCaAccount(created())));
    const key = readPrivateKey(saved.privateKey);
    const accountUrl = saved.url ?? (await register({ key, accountUrl: null }));
    return { key, accountUrl, thumbprint: await calculateJwkThumbprint(publicJwk(key)), createdAt: saved.createdAt };
  }

  /** The account with the key that the CA has: a rotation may be under way, or was interrupted. */
  async function settled(saved: CaAccount): Promise<CaAccount> {
    const successor = await store.findCaAccount(successorOf(issuer));
    if (successor === null || saved.url === null) return saved;
    if (await hasKey(saved.url, successor)) return adopt(saved, successor);
    if (clock.now() > successor.createdAt + ABANDONED_AFTER_MS) await store.replaceCaAccount(saved.url, saved);
    return saved;
  }

  async function adopt(saved: CaAccount, { privateKey, createdAt }: CaAccount): Promise<CaAccount> {
    const rotated = { ...saved, privateKey, createdAt };
    const outcome = await store.replaceCaAccount(saved.url, rotated);
    log.info({ ca: client.host, account: saved.url, outcome }, 'the account at the CA has another key');
    return rotated;
  }

  async function hasKey(accountUrl: string, { privateKey }: CaAccount): Promise<boolean> {
    try {
      await client.post({ key: readPrivateKey(privateKey), accountUrl }, accountUrl, null);
      return true;
    } catch (error) {
      if (error instanceof AcmeError && error.status < 500 && error.kind !== 'rate_limited') return false;
      throw error;
    }
  }

  /** Idempotent: for a key that is registered the CA returns its account (section 7.3.1). */
  async function register(signer: Signer): Promise<string> {
    const { newAccount, termsOfService, externalAccountRequired } = await client.directory();
    if (externalAccountRequired && externalAccount === null) {
      throw new CaProblem('account', `${client.host} requires an external account (EAB), and none is configured.`);
    }
    const wanted = {
      termsOfServiceAgreed: true,
      ...(email !== null && { contact: [`mailto:${email}`] }),
      ...(externalAccount !== null && {
        externalAccountBinding: await bindExternal(externalAccount, newAccount, signer),
      }),
    };
    const response = await client.post(signer, newAccount, wanted).catch((error: unknown) => {
      if (!(error instanceof AcmeError && error.kind === 'refused')) throw error;
      throw new CaProblem('account', error.message, { type: error.type, cause: error });
    });
    const url = client.read.url(response.location, 'an account');
    await store.updateCaAccount(issuer, { url });
    log.info({ ca: client.host, account: url, termsOfService }, 'registered an account at the CA');
    return url;
  }

  return {
    open() {
      opening ??= open().finally(() => {
        opening = null;
      });
      return opening;
    },

    async isAccepted(account) {
      try {
        const { json } = await client.post(account, account.accountUrl, null);
        return !(isObject(json) && (json.status === 'deactivated' || json.status === 'revoked'));
      } catch (error) {
        if (error instanceof AcmeError && error.concernsAccount) return false;
        throw error;
      }
    },

    async replace(account) {
      if (clock.now() < account.createdAt + REPLACED_AFTER_MS) {
        throw new CaProblem('account', `${client.host} no longer accepts our account, which is less than a day old.`);
      }
      // `stale`: another node has replaced it.
      const outcome = await store.replaceCaAccount(account.accountUrl, created());
      log.warn({ ca: client.host, account: account.accountUrl, outcome }, 'the CA no longer accepts the account');
    },

    async rotateKey() {
      const account = await open();
      const { keyChange } = await client.directory();
      if (keyChange === null) throw new CaProblem('refused', `${client.host} cannot change the keys of accounts.`);
      // Saved before the CA has it, so that a crash loses neither key; kept where an attempt before left it.
      const made = { ...created(), issuer: successorOf(issuer) };
      await store.addCaSuccessor(issuer, made);
      const successor = (await store.findCaAccount(made.issuer)) ?? made;
      const change = await signedKeyChange(account, readPrivateKey(successor.privateKey), keyChange);
      await client.post(account, keyChange, change).catch(async (error: unknown) => {
        if (!(error instanceof AcmeError && (await hasKey(account.accountUrl, successor)))) throw error;
      });
      const saved = await store.findCaAccount(issuer);
      if (saved?.url === account.accountUrl) await adopt(saved, successor);
    },
  };
}

/** The inner JWS of a change of keys: the account and its old key, signed with the new one (section 7.3.5). */
async function signedKeyChange({ accountUrl, key }: Account, newKey: KeyObject, url: string): Promise<object> {
  const payload = Buffer.from(JSON.stringify({ account: accountUrl, oldKey: publicJwk(key) }));
  const header = { alg: 'ES256', jwk: publicJwk(newKey), url };
  return await new FlattenedSign(payload).setProtectedHeader(header).sign(newKey);
}

/** The new account's public key, signed with the key from the CA. */
async function bindExternal({ kid, hmacKey }: ExternalAccount, url: string, { key }: Signer): Promise<object> {
  const publicKey = Buffer.from(JSON.stringify(publicJwk(key)));
  const header = { alg: 'HS256', kid, url };
  return await new FlattenedSign(publicKey).setProtectedHeader(header).sign(Buffer.from(hmacKey, 'base64url'));
}
