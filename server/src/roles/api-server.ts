import { randomBytes } from 'node:crypto';
import { createFailureLimit } from '../access/failure-limit.ts';
import { createKeyUses } from '../access/key-uses.ts';
import { joinCountTable } from '../access/ratelimit/count-table.ts';
import { bothLimiters, processLimiter } from '../access/ratelimit/limiter.ts';
import { nodesLimiter } from '../access/ratelimit/nodes-limiter.ts';
import { createApi } from '../api/api.ts';
import type { ApiSettings } from '../api/operation.ts';
import { idMaker, pooled } from '../base/ids.ts';
import { connectSettingsOf } from '../config/connect-settings.ts';
import { serveDoors } from '../doors/doors.ts';
import { type ListeningServer, listen } from '../net/listen.ts';
import type { ListenOptions } from '../net/listener.ts';
import type { Diagnoser } from '../verification/observation/diagnoser.ts';
import { edgeNetworksOf, publicUrlOf } from './api-hostname.ts';
import { caaNamesOf } from './caa-names.ts';
import type { RoleDeps } from './roles.ts';

/** Settings of all threads of the API: values that can be posted. */
export interface ApiThreadSettings {
  listen: ListenOptions;
  /** Number of threads that listen. */
  threads: number;
  /**
   * Memory of two `CountTable`s: the requests of workspaces, and the failed authentications and refused origins of
   * addresses.
   */
  requestCounts: SharedArrayBuffer;
  failureCounts: SharedArrayBuffer;
}

/** A wildcard needs a certificate: of our own CA, or by DNS-01, to which its own record leads where we serve the CNAME zone. */
function wildcardsOf(config: RoleDeps['config']): ApiSettings['wildcards'] {
  const { issuer, challengeZone, cnameZoneDelegated } = config;
  if (cnameZoneDelegated === 'on') return { challengeZone: null };
  return challengeZone === undefined && issuer !== 'internal' ? undefined : { challengeZone: challengeZone ?? null };
}

function orderingOf({ issuer, acmeDirectory, acmeSecondDirectory, acmeLimits }: RoleDeps['config']) {
  if (issuer === 'internal') return undefined;
  const issuers = acmeSecondDirectory === undefined ? [acmeDirectory] : [acmeDirectory, acmeSecondDirectory];
  return { issuers, limits: acmeLimits };
}

/** The API in one thread. */
export async function serveApi(
  deps: RoleDeps,
  { listen: listenOptions, threads, requestCounts, failureCounts }: ApiThreadSettings,
  diagnoser: Diagnoser,
): Promise<ListeningServer> {
  const { store, uncached, changes, clock, log, metrics, config, windowMs, manyNodes, isPublicHere } = deps;
  const settings: ApiSettings = {
    service: config.service,
    docsUrl: config.docsUrl,
    publicUrl: publicUrlOf(config),
    cnameZone: config.cnameZone,
    challengeZone: config.challengeZone,
    edgeAddresses: config.edgeAddresses,
    caNames: caaNamesOf(deps),
    ordering: orderingOf(config),
    wildcards: wildcardsOf(config),
    domainConnect: connectSettingsOf(config),
    reservedNames: [...(config.reservedNames ?? []), ...(config.apiHostname === undefined ? [] : [config.apiHostname])],
    rateLimits: config.rateLimits ?? {},
    trustedProxies: config.trustedProxies,
    dashboardProxy: config.dashboardProxy,
    servesNames: config.roles.includes('edge') || config.roles.includes('dns'),
    edge: config.apiHostname === undefined ? null : { secret: deps.edgeSecret, networks: edgeNetworksOf(config) },
    webhooks: {
      perWorkspace: config.webhooksPerWorkspace,
      schemes: config.webhookSchemes,
      allowedNetworks: config.webhookAllowedNetworks ?? [],
    },
    windowMs,
    deletedKeepMs: config.deletedKeepMs,
  };
  const context = { store, clock, newId: idMaker(clock), randomBytes: pooled(randomBytes), settings, diagnoser };
  const ofProcess = processLimiter(clock, joinCountTable(requestCounts));
  const ofNodes = manyNodes ? nodesLimiter({ store, clock, log }) : null;
  const limiter = ofNodes === null ? ofProcess : bothLimiters(ofProcess, ofNodes);
  const ofAddresses = processLimiter(clock, joinCountTable(failureCounts));
  const failures = createFailureLimit(clock, ofAddresses);
  const { watchers: total, watchersPerWorkspace: perWorkspace, watchersPerKey: perKey } = config;
  const limits = { watchers: { total, perWorkspace, perKey } };
  const counted = { limiter, failures };
  const draining = new AbortController();
  const whole = { uncached, log, metrics, changes, threads, limits, draining: draining.signal };
  const keyUses = createKeyUses({ store, clock, log });
  const app = createApi({ ...context, ...counted, ...whole, noteKeyUse: keyUses.note });
  serveDoors(app);
  await app.ready();
  const listening = await listen(app.server, { ...listenOptions, drainMs: config.drainMs }, 'NAMEPLATE_LISTEN');
  if (isPublicHere) settings.publicUrl = listening.address;
  return {
    ...listening,
    async stop() {
      draining.abort();
      await listening.stop();
      await app.close();
      await ofNodes?.stop();
      await keyUses.stop();
    },
  };
}
