import { readFileSync } from 'node:fs';
import { acmeIssuer } from '../certificates/acme/acme.ts';
import { internalIssuer } from '../certificates/internal-ca.ts';
import type { Issuer } from '../certificates/issuer.ts';
import { createCertificateWorker } from '../certificates/worker/certificate-worker.ts';
import { addressRule } from '../net/addresses.ts';
import { GRACE_MS, type Stoppable } from '../net/listen.ts';
import { openResolver } from './open-resolver.ts';
import { ownDnsOf } from './own-dns.ts';
import type { RoleDeps } from './roles.ts';

/** The certificates of one process. */
export function startCertificates(deps: RoleDeps): Stoppable {
  const { config, challengePort, certificateLeaseMs, nameserverPort } = deps;
  const { resolver, client, close } = openResolver(deps);
  const worker = createCertificateWorker({
    ...deps,
    resolver,
    ownDns: ownDnsOf(config, nameserverPort, client),
    issuers: issuersOf(deps),
    mayDial: addressRule(config.acmeAllowedNetworks),
    checksSelf: config.acmeSelfCheck === 'on',
    multiAddress: config.acmeMultiAddress,
    limits: config.acmeLimits,
    leaseMs: certificateLeaseMs,
    ports: { http: challengePort, https: config.edgeHttpsPort },
    random: Math.random,
  });
  worker.start();
  return { stop: () => worker.stop(GRACE_MS).finally(close) };
}

/**
 * Those that are configured, in the order in which they are asked. Throws where the file of trust roots cannot be read.
 */
function issuersOf(deps: RoleDeps): Issuer[] {
  const { config, store, clock, log, internalCaaNames: caaNames } = deps;
  if (config.issuer === 'internal') return [internalIssuer({ store, clock, caaNames })];
  const { acmeDirectory, acmeSecondDirectory, acmeEmail: email = null, acmeCaFile } = config;
  const { acmeProfile: profile = null, acmeChain: chain = null, acmeSecondProfile, acmeSecondChain } = config;
  const trustRoots = acmeCaFile === undefined ? null : readFileSync(acmeCaFile, 'utf8');
  const shared = { email, trustRoots, store, clock, log };
  const first = boundBy(config.acmeEabKid, config.acmeEabHmacKey);
  const second = boundBy(config.acmeSecondEabKid, config.acmeSecondEabHmacKey);
  return [
    acmeIssuer({ ...shared, directoryUrl: acmeDirectory, externalAccount: first, profile, chain }),
    ...(acmeSecondDirectory === undefined
      ? []
      : [
          acmeIssuer({
            ...{ ...shared, directoryUrl: acmeSecondDirectory, externalAccount: second },
            ...{ profile: acmeSecondProfile ?? null, chain: acmeSecondChain ?? null },
          }),
        ]),
  ];
}

function boundBy(kid: string | undefined, hmacKey: Uint8Array | undefined) {
  return kid === undefined || hmacKey === undefined
    ? null
    : { kid, hmacKey: Buffer.from(hmacKey).toString('base64url') };
}
