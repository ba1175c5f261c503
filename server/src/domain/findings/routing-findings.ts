import type { FindingCode, FindingFacts, FindingFields } from '../finding.ts';
import { isSameAddress, parseIpAddress } from '../ip-address.ts';
import { isProxy, proxyAt } from '../proxy-zones.ts';
import { ownershipValue } from '../records.ts';
import { sharedAddressesOf } from '../shared-target.ts';
import { isFromWildcard, probesOf, type ReadableAnswer, type RecordView, recordAction } from './record-view.ts';
import type { Rule, Subject } from './subject.ts';

type Common = Pick<FindingFields, 'severity' | 'record' | 'name' | 'expected' | 'retryable'>;

/** Mistakes at the name of a subdomain's CNAME record. */
export const routingFindings: Rule = (subject) => {
  const { routing: view, domain } = subject;
  const { answer } = view;
  if (domain.kind === 'apex' || view.isRight || answer === null) return [];
  const common: Common = {
    severity: 'blocking',
    record: 'routing',
    name: view.name,
    expected: view.expected,
    retryable: false,
  };
  switch (view.reading.kind) {
    case 'conflicting':
      return [conflict(view, answer, common)];
    case 'elsewhere':
      return [elsewhere(subject, view, answer, common)];
    case 'hidden':
      return hidden(subject, view, answer, common);
    default:
      return [];
  }
};

function conflict(view: RecordView, { chain, ...answer }: ReadableAnswer, common: Common): FindingFields {
  const beside = 'beside' in answer ? (answer.beside ?? []) : [];
  return {
    ...common,
    code: 'conflicting_records',
    seen: [...chain.slice(0, 1), ...beside],
    action: recordAction('replace', view, ['CNAME', 'A', 'AAAA']),
  };
}

/** A CNAME that does not lead to the target: the shape of its value first. */
export function elsewhere(subject: Subject, view: RecordView, answer: ReadableAnswer, common: Common): FindingFields {
  const { domain, isTarget } = subject;
  const { chain } = answer;
  const [first = ''] = chain;
  const code = valueMistake(first, {
    target: domain.target,
    ownershipValue: ownershipValue(domain),
    zone: view.zone.apex,
  });
  const record = { ...common, seen: chain, action: recordAction('change', view) };
  if (code === 'value_doubled_zone') {
    // A name that ends with a dot is complete: nothing is appended to it.
    return { ...record, code, action: { ...record.action, valueInZone: `${view.expected}.` } };
  }
  if (code !== null) return { ...record, code };
  if (isFromWildcard(view, answer)) {
    const facts = { reason: 'wildcard_cname' } as const;
    return { ...record, code: 'wildcard_answers', action: recordAction('add', view), facts };
  }
  const host = chain.find(isTarget);
  if (host !== undefined) return { ...record, code: 'cname_other_target', facts: { host } };
  if (answer.kind === 'found') return { ...record, code: 'cname_elsewhere' };
  return {
    ...record,
    code: 'cname_elsewhere',
    facts: { reason: answer.reason === 'nxdomain' ? 'nxdomain' : 'no_address' },
  };
}

/** Addresses in place of the CNAME, or a CNAME into a provider that proxies. */
function hidden(subject: Subject, view: RecordView, answer: ReadableAnswer, common: Common): FindingFields[] {
  const addresses = answer.kind === 'found' ? answer.values : [];
  const seen = answer.chain.length > 0 ? answer.chain : addresses;
  const known = hiddenBy(subject, answer);
  const { ownership } = subject;
  if (known !== null) {
    return [ownership.reading.kind === 'absent' ? withoutTxt(subject, seen, known) : information(subject, seen, known)];
  }
  const found = { ...common, severity: subject.isProven ? 'info' : 'blocking', seen: addresses } as const;
  if (isFromWildcard(view, answer)) {
    const facts = { reason: 'wildcard_address' } as const;
    return [{ ...found, code: 'wildcard_answers', action: recordAction('add', view), facts }];
  }
  return [
    {
      ...found,
      code: 'address_instead_of_cname',
      action: recordAction('replace', view, ['A', 'AAAA']),
      // Behind a proxy the CNAME cannot be seen, and the TXT record is what counts.
      ...(!subject.isProven && {
        second: recordAction(ownership.reading.kind === 'absent' ? 'add' : 'change', ownership),
      }),
    },
  ];
}

/** `flattened`: `host` is the target. `proxied`: who does it, or the host of the proxy. */
interface HiddenBy extends Pick<FindingFacts, 'host' | 'proxy'> {
  code: Extract<FindingCode, 'flattened' | 'proxied'>;
}

/** Why the CNAME cannot be read back, where that is known. */
export function hiddenBy({ routing, domain, context }: Subject, answer: ReadableAnswer): HiddenBy | null {
  const [host] = answer.chain.filter(isProxy);
  if (host !== undefined) return { code: 'proxied', host };
  const addresses = answer.kind === 'found' ? answer.values : [];
  const proxy = proxyAt(addresses);
  if (answer.chain.length === 0 && proxy !== undefined) return { code: 'proxied', proxy };
  const targets = [...context.edgeAddresses, ...sharedAddressesOf(domain), ...addressesOfTarget(routing)];
  const isOurs = (address: string) => targets.some((target) => isSameAddress(address, target));
  if (answer.chain.length > 0 || addresses.length === 0 || !addresses.every(isOurs)) return null;
  return { code: 'flattened', host: domain.target };
}

export function addressesOfTarget(routing: RecordView): string[] {
  return probesOf(routing, 'target').flatMap(({ answer }) => (answer.kind === 'found' ? answer.values : []));
}

export function information({ ownership, routing }: Subject, seen: string[], { code, ...by }: HiddenBy): FindingFields {
  return {
    code,
    severity: 'info',
    record: 'routing',
    name: routing.name,
    seen,
    retryable: false,
    facts: { ...by, reason: ownership.isRight ? 'txt_verifies' : 'txt_needed' },
  };
}

function withoutTxt({ ownership, routing }: Subject, seen: string[], { code, ...by }: HiddenBy): FindingFields {
  return {
    code: 'proxied_without_txt',
    severity: 'blocking',
    record: 'ownership',
    name: ownership.name,
    seen,
    expected: ownership.expected,
    retryable: false,
    action: recordAction('add', ownership),
    facts: {
      ...by,
      reason: code === 'proxied' ? 'hidden_by_proxy' : 'hidden_by_flattening',
      otherName: routing.name,
    },
  };
}

interface ExpectedHost {
  target: string;
  /** The TXT record's value. */
  ownershipValue: string;
  /** The zone of the record. */
  zone: string;
}

/**
 * Why a CNAME's value is no host at all, or was changed by a provider; null: it has the shape of a host. `value`: as names are written in `dns/`,
 * where an octet that is no plain character is `\DDD`.
 */
function valueMistake(
  value: string,
  { target, ownershipValue, zone }: ExpectedHost,
): Extract<FindingCode, `value_${string}`> | null {
  const withoutZone = value.endsWith(`.${zone}`) ? value.slice(0, -zone.length - 1) : value;
  const verify = ownershipValue.slice(0, ownershipValue.indexOf('=') + 1).toLowerCase();
  if (value.includes(verify)) return 'value_is_txt';
  if (/["'`]|\\226\\128\\15[2-9]/.test(value)) return 'value_quoted';
  if (/:\/\/|\/|^https?:/.test(value)) return 'value_is_url';
  if (/\\(?:0(?:09|10|13|32)|160|194\\160)/.test(value)) return 'value_whitespace';
  if (parseIpAddress(withoutZone) !== null) return 'value_is_address';
  return target !== '' && isAppended(value, target, zone) ? 'value_doubled_zone' : null;
}

/** The target with the zone, or a part of it, after it. */
function isAppended(value: string, target: string, zone: string): boolean {
  if (!value.startsWith(`${target}.`)) return false;
  const appended = value.slice(target.length + 1);
  return (
    appended === zone ||
    zone.startsWith(`${appended}.`) ||
    zone.endsWith(`.${appended}`) ||
    appended.endsWith(`.${zone}`)
  );
}
