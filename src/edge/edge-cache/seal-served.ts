import type { ServedCertificate, Site } from '../../store/contract/store.ts';
import { type Keyring, SealingError } from '../../store/sealing/keyring.ts';
import type { SealedCertificate } from './served-sites.ts';

/** Private keys of the edge cache, sealed as in the store. */
export interface ServedSealer {
  /** Throws `SealingError`. */
  seal(hostname: string, certificate: ServedCertificate): SealedCertificate;
  /** An error is a value, as of `EdgeStore.findSite`. */
  unseal(hostname: string, certificate: SealedCertificate | null): Site['certificate'];
  /** Seals under the key that is the first one now what is sealed under another; null: that is not possible. */
  resealer(): (hostname: string, certificate: SealedCertificate) => SealedCertificate | null;
}

/** Of a sealed secret: its format and key. */
const KEY_ID_BYTES = 9;

export function createServedSealer(keyring: Keyring): ServedSealer {
  const placeOf = (id: string) => ({ kind: 'certificate', id }) as const;

  /** An error for want of a key. */
  function possibly<T>(work: () => T): T | SealingError {
    try {
      return work();
    } catch (error) {
      if (error instanceof SealingError) return error;
      throw error;
    }
  }

  function seal(hostname: string, certificate: ServedCertificate): SealedCertificate {
    return { ...certificate, privateKey: keyring.seal(certificate.privateKey, placeOf(hostname)) };
  }

  function unseal(hostname: string, certificate: SealedCertificate | null): Site['certificate'] {
    if (certificate === null) return null;
    const privateKey = possibly(() => keyring.unseal(certificate.privateKey, placeOf(hostname)));
    return privateKey instanceof SealingError ? privateKey : { ...certificate, privateKey };
  }

  return {
    seal,
    unseal,
    resealer() {
      const prefix = possibly(() => Buffer.from(keyring.prefix()));
      return (hostname, certificate) => {
        if (prefix instanceof SealingError) return null;
        if (prefix.equals(certificate.privateKey.subarray(0, KEY_ID_BYTES))) return certificate;
        const open = unseal(hostname, certificate);
        return open === null || open instanceof Error ? null : seal(hostname, open);
      };
    },
  };
}
