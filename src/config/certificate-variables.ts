import { LEDGER_RETENTION_MS } from '../domain/certificate-state.ts';
import { parseWindow } from '../ratelimit/rate-limits.ts';
import type { CaLimit } from '../store/contract/store.ts';
import { parseKeys, SealingProblem } from '../store/sealing/keyring.ts';
import { filePath, Invalid, listOf, network, oneOf, secret } from './parse-values.ts';
import type { Variable } from './variable.ts';

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';

/** What the role `certificates` reads, and whoever opens a sealed key. */
export const certificateVariables = {
  encryptionKeys: {
    name: 'NAMEPLATE_ENCRYPTION_KEY',
    about:
      'The keys under which private keys lie in the store: 32 random bytes in base64 each, separated by commas or white space. The first one seals, all of them open; docs/certificates.md says how to change to another. Every node needs the same, and whoever loses it loses every private key. Required with PostgreSQL; without it a SQLite file has a key file beside it, `encryption.key`, which is made when it is needed. `nameplate sealing key` prints a new one.',
    example: '"$(nameplate sealing key)"',
    parse: encryptionKeys,
    secret: true,
  },
  issuer: {
    name: 'NAMEPLATE_ISSUER',
    about:
      'Who issues certificates. `acme`: a CA on the Internet, or any other that speaks ACME (RFC 8555). `internal`: a CA of our own, made at the first start, for closed networks; clients have to be told to trust it.',
    default: 'acme',
    example: 'internal',
    parse: oneOf('acme', 'internal'),
  },
  acmeDirectory: {
    name: 'NAMEPLATE_ACME_DIRECTORY',
    about:
      "The CA's directory URL. An account is made there with the first certificate; who names a CA here agrees to its terms of service (`nameplate doctor` shows where they are).",
    default: LETS_ENCRYPT,
    example: 'https://acme-staging-v02.api.letsencrypt.org/directory',
    parse: directoryUrl,
  },
  acmeEmail: {
    name: 'NAMEPLATE_ACME_EMAIL',
    about: 'Where the CA may write to when something is wrong with the account. Some CAs want one.',
    example: 'certificates@example.net',
    parse: emailAddress,
  },
  acmeEabKid: {
    name: 'NAMEPLATE_ACME_EAB_KID',
    about: 'Key id of the external account binding (RFC 8555 section 7.3.4), for CAs that only serve their customers.',
    example: 'kid-1',
    parse: secret,
  },
  acmeEabHmacKey: {
    name: 'NAMEPLATE_ACME_EAB_HMAC_KEY',
    about: 'Its key, in base64url as the CA shows it.',
    example: 'bm90LWEtcmVhbC1rZXktYnV0LWFzLWxvbmctYXMtb25l',
    parse: eabHmacKey,
    secret: true,
  },
  acmeCaFile: {
    name: 'NAMEPLATE_ACME_CA_FILE',
    about:
      "Certificates (PEM) to trust beside the usual ones when the CA's own servers are asked: of a CA in a closed network.",
    example: '/etc/nameplate/ca.pem',
    parse: filePath,
  },
  acmeSecondDirectory: {
    name: 'NAMEPLATE_ACME_SECOND_DIRECTORY',
    about: 'Another CA, which is asked where the first one does not issue. None unless given.',
    example: 'https://acme.zerossl.com/v2/DV90',
    parse: directoryUrl,
  },
  acmeSecondEabKid: {
    name: 'NAMEPLATE_ACME_SECOND_EAB_KID',
    about: 'Key id of the external account binding at the second CA.',
    example: 'kid-2',
    parse: secret,
  },
  acmeSecondEabHmacKey: {
    name: 'NAMEPLATE_ACME_SECOND_EAB_HMAC_KEY',
    about: 'Its key.',
    example: 'bm90LWEtcmVhbC1rZXktYnV0LWFzLWxvbmctYXMtb25l',
    parse: eabHmacKey,
    secret: true,
  },
  acmeAllowedNetworks: {
    name: 'NAMEPLATE_ACME_ALLOWED_NETWORKS',
    about:
      "Networks of private or otherwise special addresses that customers' names may lead to all the same, separated by commas: for a CA in a closed network. Before the CA is asked, the edge is fetched at every address of a name; without this at public ones only.",
    example: '10.20.0.0/16,fd00:20::/32',
    parse: listOf(network),
  },
  acmeSelfCheck: {
    name: 'NAMEPLATE_ACME_SELF_CHECK',
    about:
      'Whether a challenge of our own is fetched through a name before the CA is asked. `off` only where this machine cannot reach its own public address (a router without hairpin NAT): a name that leads elsewhere then costs a failed attempt at the CA. CAA records are read all the same.',
    default: 'on',
    example: 'off',
    parse: oneOf('on', 'off'),
  },
  acmeLimits: {
    name: 'NAMEPLATE_ACME_LIMITS',
    about:
      "What a CA allows, as it publishes it: `orders` of the account, `failures` of one name, new `certificates` below one registered domain, `duplicates` of one name, each in any period of a length, 30 days at most. Nodes count together, keep the last failure, and wait rather than exceed any. What is left out is not limited. Let's Encrypt's unless given.",
    default: 'orders=300/3h,failures=5/1h,certificates=50/7d,duplicates=5/7d',
    example: 'orders=1500/3h,failures=5/1h,certificates=500/7d,duplicates=5/7d',
    parse: caLimits,
  },
} as const satisfies Record<string, Variable<unknown>>;

function encryptionKeys(text: string): Uint8Array[] {
  try {
    return parseKeys(text, 'it');
  } catch (error) {
    if (!(error instanceof SealingProblem)) throw error;
    throw new Invalid(
      'which holds something that is no key (32 bytes in base64, 44 characters); "nameplate sealing key" prints one',
    );
  }
}

/** The URL of an ACME directory, as it was given: accounts and orders are kept under it. */
function directoryUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const onLoopback = url?.protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url?.protocol !== 'https:' && !onLoopback) throw new Invalid('which is not an https URL');
  if (url?.username || url?.password) throw new Invalid('which carries a user; EAB has variables of its own');
  return text;
}

function emailAddress(text: string): string {
  if (!/^[^\s@,<>:;]+@[^\s@,<>:;]+$/.test(text)) throw new Invalid('which is not an email address');
  return text;
}

/** Base64url (RFC 4648 section 5), with or without its padding. */
function eabHmacKey(text: string): Uint8Array {
  const digits = text.replace(/=+$/, '');
  if (!/^[A-Za-z0-9_-]{16,}$/.test(digits)) throw new Invalid('which is not a key in base64url');
  return Buffer.from(digits, 'base64url');
}

const LIMITED = ['orders', 'failures', 'certificates', 'duplicates'] as const;

/** `orders=300/3h`, separated by commas. */
function caLimits(text: string): CaLimit[] {
  const limits = listOf((item): CaLimit => {
    const [, word, limit, window = ''] = /^([a-z]+)=(\d{1,7})\/(\w+)$/.exec(item) ?? [];
    const name = LIMITED.find((each) => each === word);
    const windowMs = parseWindow(window);
    if (name === undefined || windowMs === null)
      throw new Invalid(
        `where "${item}" is not a limit; one looks like orders=300/3h, and is of ${LIMITED.join(', ')}`,
      );
    return { name, limit: Number(limit), windowMs };
  })(text);
  const twice = limits.find(({ name }, i) => limits.findIndex((other) => other.name === name) < i);
  if (twice !== undefined) throw new Invalid(`where "${twice.name}" is limited twice`);
  const long = limits.find(({ windowMs }) => windowMs > LEDGER_RETENTION_MS);
  if (long !== undefined) throw new Invalid(`where "${long.name}" is counted over more than 30 days`);
  const small = limits.find(({ name, limit }) => limit < (name === 'failures' ? 2 : 1));
  if (small !== undefined)
    throw new Invalid(`where nothing could ever be ordered with "${small.name}" of ${small.limit}`);
  return limits;
}
