import type { ConnectSettings } from '../domain/domain-connect.ts';
import type { Config } from './config.ts';

type Connecting = Pick<
  Config,
  'challengeZone' | 'cnameZone' | 'cnameZoneDelegated' | 'domainConnectProvider' | 'domainConnectService' | 'service'
> & { edgeAddresses?: readonly string[] | undefined };

/** The settings of Domain Connect; undefined: it is not set up. */
export function connectSettingsOf(config: Connecting): ConnectSettings | undefined {
  const { domainConnectProvider: providerId, domainConnectService: serviceId } = config;
  const { service, cnameZone, challengeZone, cnameZoneDelegated, edgeAddresses = [] } = config;
  if (providerId === undefined) return undefined;
  const inZone = cnameZoneDelegated === 'on' ? null : challengeZone;
  return { providerId, serviceId, service, cnameZone, challengeZone: inZone, edgeAddresses };
}
