import { parseWindow } from '../access/ratelimit/parse-rate-limits.ts';
import { LEDGER_RETENTION_MS } from '../domain/certificate-state.ts';
import { parseKeys, SealingError } from '../store/sealing/keyring.ts';
import type { CaLimit } from '../store/store.ts';
import { filePath, hostName, Invalid, listOf, network, oneOf, secret } from './parse-values.ts';
import type { Variable } from './variable.ts';

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';

/** Variables of the role `certificates`, and of every process that decrypts secrets. */
export const certificateVariables = {
  encryptionKeys: {
    name: 'NAMEPLATE_ENCRYPTION_KEY',
    about:
      'The keys that encrypt the secrets in the database: private keys, and the secrets of webhooks and origins. Set one key, or several separated by commas, each 32 random bytes in base64. The first key encrypts, and all of them decrypt: [Certificates](../guides/certificates.md) explains how to rotate them. `nameplate sealing key` prints a new key: run it once, and store its output. Use the same value on every node, and keep a copy: without it, every secret is lost. Required with PostgreSQL. By default, a SQLite database has its own key file, `encryption.key`, in the same directory.',
    example: '"$(nameplate sealing key)"',
    parse: encryptionKeys,
    secret: true,
  },
  issuer: {
    name: 'NAMEPLATE_ISSUER',
    about:
      "Who issues certificates. `acme`: a public CA, or any other CA that speaks ACME (RFC 8555). `internal`: Nameplate's own CA, for closed networks. It is created at the first start, and clients must be configured to trust it.",
    default: 'acme',
    example: 'internal',
    parse: oneOf('acme', 'internal'),
  },
  acmeDirectory: {
    name: 'NAMEPLATE_ACME_DIRECTORY',
    about:
      "Directory URL of the CA. For the first certificate, Nameplate creates an account there and accepts the CA's terms of service (`nameplate doctor` prints their address).",
    default: LETS_ENCRYPT,
    example: 'https://acme-staging-v02.api.letsencrypt.org/directory',
    parse: directoryUrl,
  },
  acmeEmail: {
    name: 'NAMEPLATE_ACME_EMAIL',
    about: 'Email address at which the CA reports problems with the account. Some CAs require one.',
    example: 'certificates@example.net',
    parse: emailAddress,
  },
  acmeEabKid: {
    name: 'NAMEPLATE_ACME_EAB_KID',
    about: 'Key id of the external account binding (RFC 8555 section 7.3.4), for CAs that require one.',
    example: 'kid-1',
    parse: secret,
  },
  acmeEabHmacKey: {
    name: 'NAMEPLATE_ACME_EAB_HMAC_KEY',
    about: 'HMAC key of the external account binding, in base64url, as the CA provides it.',
    example: 'bm90LWEtcmVhbC1rZXktYnV0LWFzLWxvbmctYXMtb25l',
    parse: eabHmacKey,
    secret: true,
  },
  acmeProfile: {
    name: 'NAMEPLATE_ACME_PROFILE',
    about:
      'Profile of the certificates, if the CA has several (`nameplate doctor` lists them). By default, the CA chooses.',
    example: 'shortlived',
    parse: profileName,
  },
  acmeChain: {
    name: 'NAMEPLATE_ACME_CHAIN',
    about:
      'Which chain to use if the CA offers several. The value is the common name of the root that the chain leads to (the issuer of its topmost certificate). If the CA has no such chain, its default chain is used. The edge serves the whole chain as the CA sends it.',
    example: 'ISRG Root X1',
    parse: commonName,
  },
  acmeCaaNames: {
    name: 'NAMEPLATE_ACME_CAA_NAMES',
    about:
      "Names of your CAs in CAA records, separated by commas. Nameplate knows those of Let's Encrypt, Google, ZeroSSL, SSL.com and Buypass. If you use another CA, set this on every node. Before a certificate is ordered, a diagnosis can then name the CAA record that a customer must add.",
    example: 'ca.example.net',
    parse: listOf(hostName),
  },
  acmeCaFile: {
    name: 'NAMEPLATE_ACME_CA_FILE',
    about:
      'PEM file with additional certificates to trust for connections to the CA, for example a CA in a closed network.',
    example: '/etc/nameplate/ca.pem',
    parse: filePath,
  },
  acmeSecondDirectory: {
    name: 'NAMEPLATE_ACME_SECOND_DIRECTORY',
    about: 'Directory URL of the fallback CA, which is used if the first CA does not issue.',
    example: 'https://acme.zerossl.com/v2/DV90',
    parse: directoryUrl,
  },
  acmeSecondEabKid: {
    name: 'NAMEPLATE_ACME_SECOND_EAB_KID',
    about: 'Key id of the external account binding at the fallback CA.',
    example: 'kid-2',
    parse: secret,
  },
  acmeSecondEabHmacKey: {
    name: 'NAMEPLATE_ACME_SECOND_EAB_HMAC_KEY',
    about: 'HMAC key of the external account binding at the fallback CA.',
    example: 'bm90LWEtcmVhbC1rZXktYnV0LWFzLWxvbmctYXMtb25l',
    parse: eabHmacKey,
    secret: true,
  },
  acmeSecondProfile: {
    name: 'NAMEPLATE_ACME_SECOND_PROFILE',
    about: 'Profile of the certificates of the fallback CA.',
    example: 'tlsserver',
    parse: profileName,
  },
  acmeSecondChain: {
    name: 'NAMEPLATE_ACME_SECOND_CHAIN',
    about: 'Which chain of the fallback CA to use: the common name of the root that the chain leads to.',
    example: 'ISRG Root X2',
    parse: commonName,
  },
  acmeAllowedNetworks: {
    name: 'NAMEPLATE_ACME_ALLOWED_NETWORKS',
    about:
      "Networks of private or other special addresses that customers' domains may point to, separated by commas, for a CA in a closed network. Before an order, the self-check connects to every address of a domain. By default, it connects only to public addresses.",
    example: '10.20.0.0/16,fd00:20::/32',
    parse: listOf(network),
  },
  acmeSelfCheck: {
    name: 'NAMEPLATE_ACME_SELF_CHECK',
    about:
      '`on`: before each order, Nameplate requests a test challenge from the domain, to avoid failures at the CA. `off` is for machines that cannot reach their own public address (a router without hairpin NAT). A domain that points elsewhere then costs a failed attempt at the CA. CAA records are checked in either case.',
    default: 'on',
    example: 'off',
    parse: oneOf('on', 'off'),
  },
  acmeMultiAddress: {
    name: 'NAMEPLATE_ACME_MULTI_ADDRESS',
    about:
      'Which addresses of a domain must lead to the edge before an order. `any`: an address that does not answer on port 80 is tolerated if another address of its family (IPv4 or IPv6) leads to the edge. An address where another server answers is never tolerated. `all`: every address must lead to the edge. If a CA fails to validate a domain, `all` applies to it for a day.',
    default: 'any',
    example: 'all',
    parse: oneOf('any', 'all'),
  },
  acmeLimits: {
    name: 'NAMEPLATE_ACME_LIMITS',
    about:
      "The rate limits that the CA publishes, each over a window of at most 30 days. They are `orders` of the account, `failures` of one name, new `certificates` per registered domain, and `duplicates` of one name. All nodes count together, and wait rather than exceed a limit. Nameplate stops one failed order short of the limit of `failures`. A limit that you leave out does not apply. The default values are those of Let's Encrypt.",
    default: 'orders=300/3h,failures=5/1h,certificates=50/7d,duplicates=5/7d',
    example: 'orders=1500/3h,failures=5/1h,certificates=500/7d,duplicates=5/7d',
    parse: caLimits,
  },
} as const satisfies Record<string, Variable<unknown>>;

function encryptionKeys(text: string): Uint8Array[] {
  try {
    return parseKeys(text, 'it');
  } catch (error) {
    if (!(error instanceof SealingError)) throw error;
    throw new Invalid(
      'where an item is not a key (32 bytes in base64, 44 characters); "nameplate sealing key" prints one',
    );
  }
}

/** The URL of an ACME directory, unchanged: the store identifies accounts and orders by it. */
function directoryUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const onLoopback = url?.protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url?.protocol !== 'https:' && !onLoopback) throw new Invalid('which is not an https URL');
  if (url?.username || url?.password)
    throw new Invalid('which contains a user name; use the variables for external account binding instead');
  return text;
}

function emailAddress(text: string): string {
  if (!/^[^\s@,<>:;]+@[^\s@,<>:;]+$/.test(text)) throw new Invalid('which is not an email address');
  return text;
}

function profileName(text: string): string {
  if (!/^[\w.-]{1,64}$/.test(text)) throw new Invalid('which is not the name of a profile');
  return text;
}

function commonName(text: string): string {
  if (text.trim() !== text || text.length > 64) throw new Invalid('which is not the common name of a certificate');
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
      throw new Invalid(`where "${item}" is not a limit on ${LIMITED.join(', ')}, such as orders=300/3h`);
    return { name, limit: Number(limit), windowMs };
  })(text);
  const twice = limits.find(({ name }, i) => limits.findIndex((other) => other.name === name) < i);
  if (twice !== undefined) throw new Invalid(`where "${twice.name}" appears twice`);
  const long = limits.find(({ windowMs }) => windowMs > LEDGER_RETENTION_MS);
  if (long !== undefined) throw new Invalid(`where "${long.name}" has a window of more than 30 days`);
  const small = limits.find(({ name, limit }) => limit < (name === 'failures' ? 2 : 1));
  if (small !== undefined) throw new Invalid(`where "${small.name}" is ${small.limit}, too low to order anything`);
  return limits;
}
