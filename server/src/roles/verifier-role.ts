import { readFileSync } from 'node:fs';
import type { DueLoop } from '../base/due-loop.ts';
import { secureRandom } from '../base/ids.ts';
import { caTransport } from '../certificates/acme/ca-transport.ts';
import type { Resolver } from '../dns/resolver.ts';
import { addressRule } from '../net/addresses.ts';
import { GRACE_MS, type Stoppable } from '../net/listen.ts';
import { createKeyedChallenge } from '../store/sealing/keyed-challenges.ts';
import { startDomainGauges } from '../verification/domain-gauges.ts';
import { startGuardedClock } from '../verification/guarded-clock.ts';
import { createLiveMonitor } from '../verification/live-monitor.ts';
import { createMonitor, type MonitorOptions } from '../verification/monitor.ts';
import { createOutsideLooker } from '../verification/observation/look-outside.ts';
import { observe } from '../verification/observation/observe.ts';
import { createSelfChecker } from '../verification/observation/self-check.ts';
import { startReopening } from '../verification/reopening.ts';
import { createVerifier } from '../verification/verifier.ts';
import { caaNamesOf } from './caa-names.ts';
import { startBackupGauge } from './gauges.ts';
import { openResolver } from './open-resolver.ts';
import { logUnvalidatingResolvers } from './resolver-validation.ts';
import { deliversEvents, type RoleDeps } from './roles.ts';

/** The background checks of one process: of waiting domains, and of verified ones. */
export function startVerifier(deps: RoleDeps): Stoppable {
  const { resolver, close } = openResolver(deps);
  const facts = { edgeAddresses: deps.config.edgeAddresses ?? [], caNames: caaNamesOf(deps) };
  const { store, log } = deps;
  const clock = startGuardedClock({ clock: deps.clock, store, log });
  const { challengeZone = null } = deps.config;
  const verifier = createVerifier({ ...deps, clock, resolver, random: secureRandom, facts, challengeZone });
  const validation = logUnvalidatingResolvers(deps);
  // PostgreSQL's backups are not recorded. A copy of a SQLite file may have the time of one of that file's backups.
  const backupGauges = deps.config.databaseUrl.engine === 'sqlite' ? [startBackupGauge(deps)] : [];
  const others = [validation, startDomainGauges(deps), ...backupGauges, startReopening({ ...deps, clock }), clock];
  const monitors = createMonitors({ ...deps, clock, facts }, resolver);
  const loops = [verifier, ...monitors, ...createLiveMonitors({ ...deps, clock }, resolver)];
  // Their claims would move the check that the clock is compared with.
  clock.ready.then(() => {
    for (const loop of loops) loop.start();
  });
  return {
    async stop() {
      const stopping = others.map((part) => part.stop());
      await Promise.all([Promise.all(loops.map((loop) => loop.stop(GRACE_MS))).finally(close), ...stopping]);
    },
  };
}

/** A slow edge gets this much time; a name that leads nowhere must not occupy a re-check for long. */
const SELF_CHECK_MS = 5000;

/** Returns no loops where re-checks are off. */
function createMonitors(deps: RoleDeps & Pick<MonitorOptions, 'facts' | 'clock'>, resolver: Resolver): DueLoop[] {
  const { config, challengePort } = deps;
  if (config.monitoring === 'off') return [];
  const ports = { http: challengePort, https: config.edgeHttpsPort };
  const mayDial = addressRule(config.acmeAllowedNetworks);
  const checkSelf = createSelfChecker({ ...deps, resolver, mayDial, ports, timeoutMs: SELF_CHECK_MS });
  const monitor = createMonitor({
    ...deps,
    observe: (domain, depth, signal) => observe(resolver, domain, null, { depth, signal, random: secureRandom }),
    checkSelf: config.acmeSelfCheck === 'on' ? checkSelf : null,
    mode: config.monitoring,
    cnameZone: config.cnameZone,
    intervalMs: config.monitoringIntervalMs,
    random: secureRandom,
  });
  return [monitor];
}

/** Returns no loops where looks from outside are off, or this machine cannot reach its own public address. */
function createLiveMonitors(deps: RoleDeps, resolver: Resolver): DueLoop[] {
  const { liveChecks, acmeSelfCheck, acmeAllowedNetworks, acmeCaFile, edgeHttpsPort, nodeName, cnameZone } =
    deps.config;
  const { edgeAddresses = [] } = deps.config;
  // Events and challenges of looks both need a sealing key.
  if (liveChecks === 'off' || acmeSelfCheck === 'off' || !deliversEvents(deps.config)) return [];
  const trustRoots = acmeCaFile === undefined ? null : readFileSync(acmeCaFile, 'utf8');
  const look = createOutsideLooker({
    ...deps,
    resolver,
    newChallenge: (hostname) => createKeyedChallenge(deps.keyring, hostname),
    mayDial: addressRule(acmeAllowedNetworks),
    trustRoots,
    port: edgeHttpsPort,
  });
  const isOnline = onlineCheck(deps, trustRoots);
  return [
    createLiveMonitor({ ...deps, look, isOnline, cnameZone, edgeAddresses, from: nodeName, random: Math.random }),
  ];
}

const ONLINE_MS = 10_000;

/** Whether the CA answers, which stands for all that is outside. Asks it once in ten seconds at most. */
function onlineCheck({ config, clock }: RoleDeps, trustRoots: string | null): () => Promise<boolean> {
  if (config.issuer === 'internal') return async () => true;
  const transport = caTransport({ trustRoots, timeoutMs: ONLINE_MS });
  let last: { at: number; isOnline: Promise<boolean> } | undefined;
  return () => {
    const at = clock.now();
    if (last === undefined || Math.abs(at - last.at) >= ONLINE_MS) {
      const answer = transport({ method: 'GET', url: config.acmeDirectory });
      last = {
        at,
        isOnline: answer.then(
          () => true,
          () => false,
        ),
      };
    }
    return last.isOnline;
  };
}
