import type { Endpoint } from './parse-values.ts';
import { serverVariables as known, type ServerValues } from './variables.ts';

type IsSet = (name: string) => boolean;

/**
 * What is wrong with variables that are right by themselves, a line each that says what to do. `values` lacks those that are wrong; `isSet`
 * tells what the environment itself gives.
 */
export function combinationProblems(values: Partial<ServerValues>, isSet: IsSet): string[] {
  return [
    ...sealingProblems(values, isSet),
    ...issuerProblems(values, isSet),
    ...bindingProblems(isSet),
    ...edgeProblems(values),
    ...listenerProblems(values),
  ];
}

function sealingProblems({ databaseUrl, roles }: Partial<ServerValues>, isSet: IsSet): string[] {
  if (databaseUrl?.engine !== 'postgres' || isSet(known.encryptionKeys.name)) return [];
  // DNS is checked without any secret.
  if (roles?.every((role) => role === 'verifier')) return [];
  return [
    `${known.encryptionKeys.name} is not set, and with PostgreSQL it has to be: private keys lie in the database sealed under it. Make one with "nameplate sealing key", keep it where the database's backups are not, and give the same to every node.`,
  ];
}

function issuerProblems({ issuer, acmeDirectory, acmeSecondDirectory }: Partial<ServerValues>, isSet: IsSet): string[] {
  const acme = Object.values(known).filter(({ name }) => name.startsWith('NAMEPLATE_ACME_') && isSet(name));
  if (issuer === 'internal' && acme.length > 0) {
    const names = acme.map(({ name }) => name).join(', ');
    return [`${known.issuer.name} is internal, so no CA is asked: take ${names} away, or ${known.issuer.name}.`];
  }
  if (acmeSecondDirectory !== undefined && acmeSecondDirectory === acmeDirectory)
    return [`${known.acmeSecondDirectory.name} names the first CA again. Name another, or take it away.`];
  return [];
}

/** External account binding takes a key id and a key, of a CA that there is. */
function bindingProblems(isSet: IsSet): string[] {
  const bindings = [
    { kid: known.acmeEabKid.name, key: known.acmeEabHmacKey.name, ca: null },
    { kid: known.acmeSecondEabKid.name, key: known.acmeSecondEabHmacKey.name, ca: known.acmeSecondDirectory.name },
  ];
  return bindings.flatMap(({ kid, key, ca }) => {
    const given = [kid, key].filter(isSet);
    const lacking = [kid, key].filter((name) => !isSet(name));
    if (given.length === 0) return [];
    if (lacking.length > 0) return [`${given[0]} is set without ${lacking[0]}. The CA gives both: set both, or none.`];
    if (ca !== null && !isSet(ca)) return [`${kid} is set without ${ca}: name the second CA, or take it away.`];
    return [];
  });
}

function edgeProblems(values: Partial<ServerValues>): string[] {
  const { roles, issuer, edgeHttpListen: http, edgeHttpsListen: https, edgeFrontListen: front } = values;
  if (!roles?.includes('edge')) return [];
  if (http === null && https === null && front === null)
    return [
      `${known.roles.name} has edge, but nothing for it to listen on: name an address in ${known.edgeHttpListen.name}, ${known.edgeHttpsListen.name} or ${known.edgeFrontListen.name}, or take edge away.`,
    ];
  if (roles.includes('certificates') && issuer === 'acme' && http === null)
    return [
      `${known.edgeHttpListen.name} is off, so nothing here answers the CA's challenges: name an address that the world reaches at port 80, also through a program in front. Where another process answers them, take certificates away from ${known.roles.name} and give it to that one.`,
    ];
  return [];
}

const LISTENERS = ['listen', 'metricsListen', 'edgeHttpListen', 'edgeHttpsListen', 'edgeFrontListen'] as const;

function listenerProblems(values: Partial<ServerValues>): string[] {
  const problems: string[] = [];
  const seen = new Map<string, string>();
  for (const key of LISTENERS) {
    const { name } = known[key];
    const endpoint = isUsed(key, values) ? (values[key] ?? null) : null;
    if (endpoint === null || endpoint.port === 0) continue;
    const first = seen.get(written(endpoint));
    if (first === undefined) seen.set(written(endpoint), name);
    else problems.push(`${name} is the same address as ${first}. Give each a port of its own.`);
  }
  return problems;
}

function isUsed(key: (typeof LISTENERS)[number], { roles = [] }: Partial<ServerValues>): boolean {
  if (key === 'metricsListen') return true;
  return roles.includes(key === 'listen' ? 'api' : 'edge');
}

function written({ host, port }: Endpoint): string {
  return `${host} ${port}`;
}
