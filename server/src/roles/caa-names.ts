import { knownCaaNames } from '../certificates/policy/known-cas.ts';
import type { Config } from '../config/config.ts';
import type { RoleSettings } from './roles.ts';

type IssuerConfig = Pick<Config, 'issuer' | 'acmeCaaNames' | 'acmeDirectory' | 'acmeSecondDirectory'>;

/**
 * How the configured CAs identify themselves in CAA records; empty unless all of them are known, or configured, without
 * asking them.
 */
export function caaNamesOf({
  config: { issuer, acmeCaaNames, acmeDirectory, acmeSecondDirectory },
  internalCaaNames = [],
}: { config: IssuerConfig } & Pick<RoleSettings, 'internalCaaNames'>): readonly string[] {
  if (issuer === 'internal') return internalCaaNames;
  if (acmeCaaNames !== undefined) return acmeCaaNames;
  const directories = acmeSecondDirectory === undefined ? [acmeDirectory] : [acmeDirectory, acmeSecondDirectory];
  const names = directories.map(knownCaaNames);
  return names.every(({ length }) => length > 0) ? names.flat() : [];
}
