import type { Endpoint } from './parse-values.ts';
import { type ServerValues, serverVariables as variables } from './variables.ts';

type IsSet = (name: string) => boolean;

/**
 * Problems of combinations of variables, one line each, with advice. `values` has only the valid variables; `isSet` is
 * whether the environment sets one.
 */
export function combinationProblems(values: Partial<ServerValues>, isSet: IsSet): string[] {
  return [
    ...sealingProblems(values, isSet),
    ...issuerProblems(values, isSet),
    ...bindingProblems(isSet),
    ...edgeProblems(values),
    ...apiHostnameProblems(values),
    ...dnsProblems(values, isSet),
    ...listenerProblems(values),
  ];
}

function sealingProblems({ databaseUrl, roles }: Partial<ServerValues>, isSet: IsSet): string[] {
  if (databaseUrl?.engine !== 'postgres' || isSet(variables.encryptionKeys.name)) return [];
  // A verifier without it does not deliver to webhooks (roles/deliveries-role.ts).
  if (roles?.every((role) => role === 'verifier')) return [];
  return [
    `${variables.encryptionKeys.name} is not set, but PostgreSQL requires it: it encrypts the private keys and the secrets of webhooks and origins in the database. Create one with "nameplate sealing key", use the same on every node, and keep a copy apart from the database's backups.`,
  ];
}

function issuerProblems({ issuer, acmeDirectory, acmeSecondDirectory }: Partial<ServerValues>, isSet: IsSet): string[] {
  const acme = Object.values(variables).filter(({ name }) => name.startsWith('NAMEPLATE_ACME_') && isSet(name));
  if (issuer === 'internal' && acme.length > 0) {
    const names = acme.map(({ name }) => name).join(', ');
    return [
      `${variables.issuer.name} is internal, so no ACME CA is used: remove ${names}, or remove ${variables.issuer.name}.`,
    ];
  }
  const alone = [variables.acmeSecondProfile.name, variables.acmeSecondChain.name].find(isSet);
  if (alone !== undefined && acmeSecondDirectory === undefined)
    return [`${alone} is set without ${variables.acmeSecondDirectory.name}: name the second CA, or remove it.`];
  if (acmeSecondDirectory !== undefined && acmeSecondDirectory === acmeDirectory)
    return [`${variables.acmeSecondDirectory.name} is the same as the first CA. Name another, or remove it.`];
  return [];
}

/** An external account binding needs a key id, a key, and a configured CA. */
function bindingProblems(isSet: IsSet): string[] {
  const bindings = [
    { kid: variables.acmeEabKid.name, key: variables.acmeEabHmacKey.name, ca: null },
    {
      kid: variables.acmeSecondEabKid.name,
      key: variables.acmeSecondEabHmacKey.name,
      ca: variables.acmeSecondDirectory.name,
    },
  ];
  return bindings.flatMap(({ kid, key, ca }) => {
    const given = [kid, key].filter(isSet);
    const lacking = [kid, key].filter((name) => !isSet(name));
    if (given.length === 0) return [];
    if (lacking.length > 0)
      return [`${given[0]} is set without ${lacking[0]}. The CA provides both: set both, or neither.`];
    if (ca !== null && !isSet(ca)) return [`${kid} is set without ${ca}: name the second CA, or remove it.`];
    return [];
  });
}

function edgeProblems(values: Partial<ServerValues>): string[] {
  const { roles, issuer, edgeHttpListen: http, edgeHttpsListen: https, edgeFrontListen: front } = values;
  if (!roles?.includes('edge')) return [];
  if (http === null && https === null && front === null)
    return [
      `${variables.roles.name} includes edge, but all of its listeners are off: set ${variables.edgeHttpListen.name}, ${variables.edgeHttpsListen.name} or ${variables.edgeFrontListen.name}, or remove edge.`,
    ];
  const answersChallenges = http !== null || (https !== null && values.acmeSelfCheck !== 'off');
  if (roles.includes('certificates') && issuer === 'acme' && !answersChallenges)
    return [
      `${variables.edgeHttpListen.name} is off, so this process cannot answer the CA's challenges: set it to an address that the Internet reaches at port 80, directly or through a proxy. If another process answers them, move the role certificates there in ${variables.roles.name}.`,
    ];
  return [];
}

function apiHostnameProblems({ apiHostname, cnameZone = '', roles, listen }: Partial<ServerValues>): string[] {
  if (apiHostname === undefined) return [];
  const { name } = variables.apiHostname;
  if (isWithin(apiHostname, cnameZone))
    return [
      `${name} is in ${variables.cnameZone.name}, whose names are those of customers. Name a host outside of it.`,
    ];
  if (roles?.includes('api') && roles.includes('edge') && listen?.port === 0)
    return [
      `${name} is set, and ${variables.listen.name} has port 0: set a port, so that the edge knows where the API is.`,
    ];
  return [];
}

function dnsProblems(values: Partial<ServerValues>, isSet: IsSet): string[] {
  const { roles, challengeZone, cnameZone, cnameZoneDelegated, dnsServers, caaIssuers, httpsRecords } = values;
  const problems: string[] = [];
  if (challengeZone !== undefined && cnameZone !== undefined && isWithin(cnameZone, challengeZone))
    problems.push(
      `${variables.challengeZone.name} is or contains ${variables.cnameZone.name}: name a zone apart from it, such as acme.example.net. Where the CNAME zone itself is delegated, it needs none.`,
    );
  if (caaIssuers !== undefined && cnameZoneDelegated === 'off')
    problems.push(
      `${variables.caaIssuers.name} is set, but your own DNS has the CNAME zone: publish the CAA records there, or set ${variables.cnameZoneDelegated.name} to on.`,
    );
  if (httpsRecords === 'on' && cnameZoneDelegated === 'off')
    problems.push(
      `${variables.httpsRecords.name} is on, but your own DNS has the CNAME zone: publish the records there, or set ${variables.cnameZoneDelegated.name} to on.`,
    );
  const zones = [challengeZone, cnameZoneDelegated === 'on' ? cnameZone : undefined].filter(
    (zone) => zone !== undefined,
  );
  for (const { name, addresses } of dnsServers ?? [])
    if (addresses.length === 0 && zones.some((zone) => isWithin(name, zone)))
      problems.push(
        `${variables.dnsServers.name} has ${name} without an address, which its own zone has to have: ${name}=192.0.2.53`,
      );
  if (!roles?.includes('dns')) return problems;
  if (zones.length === 0 && cnameZoneDelegated !== undefined)
    problems.push(
      `${variables.roles.name} includes dns, but there is no zone to answer for: set ${variables.challengeZone.name} or ${variables.cnameZoneDelegated.name}, or remove dns.`,
    );
  if (!isSet(variables.dnsServers.name))
    problems.push(
      `${variables.dnsServers.name} is not set, and the role dns needs it. Example: ${variables.dnsServers.name}=${variables.dnsServers.example}`,
    );
  return problems;
}

function isWithin(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}

const LISTENERS = [
  'listen',
  'metricsListen',
  'edgeHttpListen',
  'edgeHttpsListen',
  'edgeFrontListen',
  'edgeHealthListen',
  'dnsListen',
] as const;

function listenerProblems(values: Partial<ServerValues>): string[] {
  const problems: string[] = [];
  const seen = new Map<string, string>();
  for (const key of LISTENERS) {
    const { name } = variables[key];
    const endpoints = isUsed(key, values) ? [values[key] ?? []].flat() : [];
    for (const endpoint of endpoints) {
      if (endpoint.port === 0) continue;
      const first = seen.get(written(endpoint));
      if (first === undefined) seen.set(written(endpoint), name);
      else problems.push(`${name} is the same address as ${first}. Use different ports.`);
    }
  }
  return problems;
}

function isUsed(key: (typeof LISTENERS)[number], { roles = [] }: Partial<ServerValues>): boolean {
  if (key === 'metricsListen') return true;
  return roles.includes(key === 'listen' ? 'api' : key === 'dnsListen' ? 'dns' : 'edge');
}

function written({ host, port }: Endpoint): string {
  return `${host} ${port}`;
}
