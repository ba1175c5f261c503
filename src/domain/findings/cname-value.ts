import type { FindingCode } from '../finding.ts';
import { parseIpAddress } from '../ip-address.ts';

/** A CNAME's value that is no host at all, or that a provider has changed. */
export interface ValueMistake {
  code: Extract<FindingCode, `value_${string}`>;
  /** What is wrong, as the end of a sentence that begins with the value. */
  what: string;
}

interface ExpectedHost {
  target: string;
  /** The TXT record's value. */
  ownershipValue: string;
  /** The zone of the record. */
  zone: string;
}

/** `value`: as names are written in `dns/`, where an octet that is no plain character is `\DDD`. Null: it has the shape of a host. */
export function valueMistake(value: string, { target, ownershipValue, zone }: ExpectedHost): ValueMistake | null {
  const withoutZone = value.endsWith(`.${zone}`) ? value.slice(0, -zone.length - 1) : value;
  const verify = ownershipValue.slice(0, ownershipValue.indexOf('=') + 1).toLowerCase();
  if (value.includes(verify)) return { code: 'value_is_txt', what: 'which is the value of the TXT record' };
  if (/["'`]|\\226\\128\\15[2-9]/.test(value)) {
    return { code: 'value_quoted', what: 'with quotation marks that do not belong to it' };
  }
  if (/:\/\/|\/|^https?:/.test(value))
    return { code: 'value_is_url', what: 'which is a web address (URL), not a host name' };
  if (/\\(?:0(?:09|10|13|32)|160|194\\160)/.test(value)) {
    return { code: 'value_whitespace', what: 'with white space that does not belong to it' };
  }
  if (parseIpAddress(withoutZone) !== null)
    return { code: 'value_is_address', what: 'which is an IP address, not a host name' };
  if (target !== '' && isAppended(value, target, zone)) {
    return { code: 'value_doubled_zone', what: `because the DNS provider has added the zone ${zone} to its end` };
  }
  return null;
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
