import type { Endpoint } from './endpoint.ts';
import { type PublicJwk, type SignedRequest, verifyBinding, verifyKeyChange } from './jws.ts';
import { AcmeProblem } from './problem.ts';

/** Accounts of the fake CA (RFC 8555 section 7.3), by the thumbprints of their keys. */

interface FakeAccount {
  url: string;
  jwk: PublicJwk;
  thumbprint: string;
  status: 'valid' | 'revoked' | 'deactivated';
  contact: string[];
}

interface AccountsOptions {
  urlOf(endpoint: Endpoint, id?: string): string;
  externalAccounts: Record<string, string> | null;
}

export function createAccounts({ urlOf, externalAccounts }: AccountsOptions) {
  const accounts = new Map<string, FakeAccount>();

  function find(url: string): FakeAccount {
    const account = [...accounts.values()].find((one) => one.url === url);
    if (account === undefined) throw new AcmeProblem(400, 'accountDoesNotExist', `Account "${url}" not found`);
    if (account.status !== 'valid') {
      throw new AcmeProblem(403, 'unauthorized', `Account is not valid, has status "${account.status}"`);
    }
    return account;
  }

  return {
    keyOf: (url: string) => find(url).jwk,
    thumbprintOf: (url: string) => find(url).thumbprint,

    async register({ payload, signer }: SignedRequest) {
      if (!('jwk' in signer)) throw new AcmeProblem(400, 'malformed', 'newAccount needs a "jwk"');
      const { jwk, thumbprint } = signer;
      const known = accounts.get(thumbprint);
      if (known !== undefined) {
        return { status: 200, headers: { location: find(known.url).url }, body: { status: known.status } };
      }
      if (payload?.termsOfServiceAgreed !== true)
        throw new AcmeProblem(403, 'userActionRequired', 'agree to the terms');
      if (externalAccounts !== null) {
        const binding = { jwk, url: urlOf('newAccount'), secrets: externalAccounts };
        await verifyBinding(payload.externalAccountBinding, binding);
      }
      const contact = Array.isArray(payload.contact) ? payload.contact.map(String) : [];
      const url = urlOf('account', thumbprint);
      accounts.set(thumbprint, { url, jwk, thumbprint, status: 'valid', contact });
      return { status: 201, headers: { location: url }, body: { status: 'valid' } };
    },

    async changeKey(accountUrl: string, inner: unknown) {
      const account = find(accountUrl);
      const about = { accountUrl, oldKey: account.jwk, url: urlOf('keyChange') };
      const { jwk, thumbprint } = await verifyKeyChange(inner, about);
      if (accounts.has(thumbprint)) throw new AcmeProblem(409, 'malformed', 'that key has an account');
      accounts.delete(account.thumbprint);
      accounts.set(thumbprint, Object.assign(account, { jwk, thumbprint }));
      return { body: { status: account.status } };
    },

    answer(accountUrl: string, url: string) {
      if (accountUrl !== url) throw new AcmeProblem(403, 'unauthorized', 'that is the account of somebody else');
      return { body: { status: find(url).status } };
    },

    revoke(status: 'revoked' | 'deactivated' = 'revoked') {
      for (const account of accounts.values()) account.status = status;
    },
    forget: () => accounts.clear(),
    list: () => [...accounts.values()].map(({ url, status, contact }) => ({ url, status, contact })),
  };
}
