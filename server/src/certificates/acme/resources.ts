import { isIPv4 } from 'node:net';
import type { ChallengeType } from '../../domain/certificate-state.ts';
import { CaProblem } from '../issuer.ts';
import { isObject, type ProblemDocument, readProblem } from './problem-document.ts';

/** Reads the resources of RFC 8555 section 7.1. Anything missing or invalid is a `CaProblem`. */

const ORDER = ['pending', 'ready', 'processing', 'valid', 'invalid'] as const;
const AUTHORIZATION = ['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked'] as const;
const CHALLENGE = ['pending', 'processing', 'valid', 'invalid'] as const;

export interface Directory {
  newNonce: string;
  newAccount: string;
  newOrder: string;
  /** Null: nothing can be revoked. */
  revokeCert: string | null;
  /** RFC 9773; null: the CA does not support ARI. */
  renewalInfo: string | null;
  /** RFC 8555 section 7.3.5; null: keys of accounts cannot be changed. */
  keyChange: string | null;
  /** Names of certificate profiles (draft-ietf-acme-profiles); none: the CA has no choice of them. */
  profiles: string[];
  termsOfService: string | null;
  caaIdentities: string[];
  externalAccountRequired: boolean;
}

export interface Order {
  status: (typeof ORDER)[number];
  hostnames: string[];
  authorizations: string[];
  finalize: string;
  certificate: string | null;
  error: ProblemDocument | null;
}

export interface Authorization {
  status: (typeof AUTHORIZATION)[number];
  /** The base name of a wildcard (section 7.1.4). */
  hostname: string;
  /** The challenge of the wanted type; null: the CA offers none. */
  challenge: OfferedChallenge | null;
  /** The CA's reason for a failed challenge. */
  error: ProblemDocument | null;
}

interface OfferedChallenge {
  status: (typeof CHALLENGE)[number];
  url: string;
  token: string;
}

const LONGEST_URL = 2048;
/** An order for one name has one authorization, with a challenge of each type. */
const LONGEST_LIST = 10;
/** base64url, of 128 bits or more (section 8.3). */
const TOKEN = /^[\w-]{22,256}$/;
/** Profiles are short words; others are of no use in a message. */
const PROFILE = /^[\w.-]{1,64}$/;
const HOSTNAME = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;

/** Creates a reader for the responses of one CA. */
export function resourceReader(directoryUrl: string) {
  const { host } = new URL(directoryUrl);
  const plain = isPlainLoopback(new URL(directoryUrl));

  function wrong(what: string): never {
    throw new CaProblem('unavailable', `${host} answered with ${what}.`);
  }

  /** HTTPS; also HTTP on loopback, if the directory's URL is. */
  function url(value: unknown, what: string): string {
    const parsed = typeof value === 'string' && value.length <= LONGEST_URL ? URL.parse(value, directoryUrl) : null;
    if (parsed === null || !(parsed.protocol === 'https:' || (plain && isPlainLoopback(parsed)))) {
      return wrong(`${what} without a valid HTTPS URL`);
    }
    return parsed.href;
  }

  function object(value: unknown, what: string): Record<string, unknown> {
    return isObject(value) ? value : wrong(`${what} that is invalid`);
  }

  function list(value: unknown, what: string): unknown[] {
    return Array.isArray(value) && value.length <= LONGEST_LIST ? value : wrong(`${what} that is invalid`);
  }

  function status<Status extends string>(value: unknown, known: readonly Status[], what: string): Status {
    return known.find((one) => one === value) ?? wrong(`${what} with an unknown status`);
  }

  function challenge(value: unknown): OfferedChallenge {
    const { token, ...rest } = object(value, 'a challenge');
    return {
      status: status(rest.status, CHALLENGE, 'a challenge'),
      url: url(rest.url, 'a challenge'),
      token: typeof token === 'string' && TOKEN.test(token) ? token : wrong('a challenge with an invalid token'),
    };
  }

  return {
    url,
    challenge,

    directory(value: unknown): Directory {
      const directory = object(value, 'a directory');
      const meta = isObject(directory.meta) ? directory.meta : {};
      const { termsOfService, caaIdentities } = meta;
      return {
        newNonce: url(directory.newNonce, 'a directory'),
        newAccount: url(directory.newAccount, 'a directory'),
        newOrder: url(directory.newOrder, 'a directory'),
        revokeCert: directory.revokeCert === undefined ? null : url(directory.revokeCert, 'a directory'),
        renewalInfo: directory.renewalInfo === undefined ? null : url(directory.renewalInfo, 'a directory'),
        keyChange: directory.keyChange === undefined ? null : url(directory.keyChange, 'a directory'),
        profiles: Object.keys(isObject(meta.profiles) ? meta.profiles : {})
          .filter((name) => PROFILE.test(name))
          .slice(0, LONGEST_LIST),
        termsOfService: typeof termsOfService === 'string' ? termsOfService : null,
        caaIdentities: Array.isArray(caaIdentities)
          ? caaIdentities.filter((name) => typeof name === 'string' && HOSTNAME.test(name))
          : [],
        externalAccountRequired: meta.externalAccountRequired === true,
      };
    },

    order(value: unknown): Order {
      const order = object(value, 'an order');
      return {
        status: status(order.status, ORDER, 'an order'),
        hostnames: list(order.identifiers, 'an order').map((one) => hostnameOf(one)),
        authorizations: list(order.authorizations, 'an order').map((one) => url(one, 'an authorization')),
        finalize: url(order.finalize, 'an order'),
        certificate: order.certificate === undefined ? null : url(order.certificate, 'a certificate'),
        error: readProblem(order.error),
      };
    },

    authorization(value: unknown, wanted: ChallengeType): Authorization {
      const authorization = object(value, 'an authorization');
      const challenges = list(authorization.challenges, 'an authorization').filter(isObject);
      const offered = challenges.find(({ type }) => type === wanted);
      return {
        status: status(authorization.status, AUTHORIZATION, 'an authorization'),
        hostname: hostnameOf(authorization.identifier),
        challenge: offered === undefined ? null : challenge(offered),
        error: challenges.map(({ error }) => readProblem(error)).find((error) => error !== null) ?? null,
      };
    },
  };
}

export type ResourceReader = ReturnType<typeof resourceReader>;

function hostnameOf(identifier: unknown): string {
  const { type, value } = isObject(identifier) ? identifier : {};
  return type === 'dns' && typeof value === 'string' ? value.toLowerCase() : '';
}

function isPlainLoopback({ protocol, hostname }: URL): boolean {
  const loopback =
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
  return protocol === 'http:' && loopback;
}
