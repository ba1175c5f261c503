import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Log } from '../../base/log.ts';
import { releaseMemorySoon, releaseMemoryWhenIdle } from '../../base/memory.ts';
import { withinTime } from '../../base/time-limit.ts';
import { type Config, ConfigError, configWarnings, readServerConfig, showsStacks } from '../../config/config.ts';
import type { RunningServer } from '../../main.ts';
import { type ControlSocket, hasServer, openControlSocket } from '../../net/handover/control-socket.ts';
import { waitForSuccessors } from '../../net/handover/first-process.ts';
import { controlPath, programPath } from '../../net/handover/handover-paths.ts';
import { type Inheritance, takeInheritance, takeSystemdSockets } from '../../net/handover/inheritance.ts';
import { createReloader, type Reloader } from '../../net/handover/reloader.ts';
import { type ServiceManager, serviceManager } from '../../net/handover/service-manager.ts';
import type { Successor } from '../../net/handover/successor.ts';
import { lifelineOn, tellFailed, tellReady } from '../../net/handover/tell-predecessor.ts';
import { inheritedSockets } from '../../net/inherited-sockets.ts';
import { loadCatalogue } from '../catalogue.ts';
import { CliError, EXIT, messageOf } from '../cli-error.ts';
import { define } from '../options.ts';
import { STOP_MS, startUnlessStopped, stopInTime, untilSignal } from '../signals.ts';
import { NAME_ANOTHER_FILE, playgroundStoreOf } from '../store/open-database.ts';

export function addServe(program: Command): void {
  const examples = ['NAMEPLATE_CNAME_ZONE=cname.example.net NAMEPLATE_DNS_RESOLVERS=1.1.1.1,8.8.8.8 nameplate serve'];
  define(
    program,
    'serve',
    'Run the server. Environment variables configure it (docs/reference/configuration.md). It logs lines of JSON. SIGHUP or "nameplate reload" replaces it without an outage.',
    examples,
  ).action(async () => {
    const before = takeInheritance(process.env);
    const running = await startToServe(before).catch(async (error: unknown) => {
      if (before !== null) await tellFailed(messageOf(error));
      await failToStart(error);
      return null;
    });
    await running?.untilEnd();
  });
}

/**
 * `before`: the inheritance from the process before; null: this one replaces none. Resolves with null when a signal
 * came before the server was ready.
 */
async function startToServe(before: Inheritance | null): Promise<{ untilEnd(): Promise<void> } | null> {
  const stopSignal = untilSignal();
  let onHangUp = () => {};
  process.on('SIGHUP', () => onHangUp());
  const given = before?.sockets ?? takeSystemdSockets(process.env);
  const env = { ...process.env };
  // Loads the API's code only to check the names of operations.
  const catalogue = process.env.NAMEPLATE_RATE_LIMITS === undefined ? undefined : await loadCatalogue();
  const config = readServerConfig(undefined, catalogue?.operations);
  const [{ startServer }, { createLog }] = await Promise.all([import('../../main.ts'), import('../../base/log.ts')]);
  await refusePlayground(config);
  const log = createLog(config.logLevel);
  for (const warning of configWarnings(config)) log.warn(warning);
  const replaces = { inherited: inheritedSockets(given), isSuccessor: before !== null, edgeSecret: before?.edgeSecret };
  const server = await startUnlessStopped(stopSignal, (signal) => startServer(config, { log, signal, ...replaces }));
  if (server === null) {
    log.info('stopped before it was ready');
    return null;
  }
  await server.accept().catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });

  const manager = await serviceManager(log, env, { isTold: before !== null });
  const lifeline = before?.lifeline ?? null;
  const path = await freeControlPath(controlPath(config, env), before, log);
  const reloader = createReloader({
    ...{ log, manager, env, handOver: server.handOver, program: programPath(process.argv, env), control: path },
    // Only systemd accepts another main process: elsewhere the first one stays.
    lifeline: lifeline ?? (manager === null ? 'new' : null),
  });
  const control = path === null ? null : await openControl(path, reloader, log);
  const ownLifeline = lifeline === null ? null : lifelineOn(lifeline);
  ownLifeline?.serve();
  const { api, edge, metrics } = server;
  const listeners = edge && { http: edge.http, https: edge.https, health: edge.health };
  log.info({ api, edge: listeners, metrics, roles: config.roles }, 'ready');
  if (before !== null) await tellReady();
  onHangUp = () => void reloader.reload();
  if (isBundleOutdated()) log.warn('dist/ was built from other sources, so the sources run: npm run build');
  releaseMemoryWhenIdle();
  return {
    async untilEnd() {
      const end = await Promise.race([stopSignal, server.failed.then(() => null), reloader.handedOver]);
      reloader.stop();
      control?.close();
      if (end !== null && typeof end !== 'string') {
        ownLifeline?.leave();
        return leave(end, server, { config, log, manager });
      }
      if (end === null) process.exitCode = 1;
      log.info({ signal: end }, 'stopping');
      await Promise.all([manager?.stopping(), stopInTime(server.stop, config.drainMs + STOP_MS)]);
      log.info('stopped');
    },
  };
}

/**
 * The successor serves, and this process drains. The first process then stays until the successor ends, where others
 * wait for its end.
 */
async function leave(
  { pid, lifeline, ended }: Successor,
  server: RunningServer,
  { config, log, manager }: { config: Config; log: Log; manager: ServiceManager | null },
): Promise<void> {
  const limitMs = config.drainMs + STOP_MS;
  // The handler is installed first, so that no signal is lost.
  const waiting = lifeline && waitForSuccessors(lifeline, pid);
  await server.leave();
  // systemd learns how a process ended only where it is the parent: of the successor, once this process has ended.
  if (manager !== null) void ended.then((code) => (code === 0 ? undefined : endInstead(pid, manager, log)));
  if (waiting === null) {
    await stopInTime(server.stop, limitMs);
    log.info('drained');
    return;
  }
  const lastEnded = waiting.then((code) => {
    // No process serves: whatever waits for this one may start another.
    if (code !== 0) process.exit(code);
  });
  const stopped = server.stop().catch((error: unknown) => log.error({ err: error }, 'the server did not stop cleanly'));
  await withinTime(limitMs, stopped, () => {});
  log.info('drained; this process waits for the one that serves');
  releaseMemorySoon();
  await lastEnded;
}

/**
 * The successor has ended while this process still drains: systemd sees this one fail, and starts the service again.
 */
async function endInstead(pid: number, manager: ServiceManager, log: Log): Promise<void> {
  log.fatal({ pid }, 'the process that serves has ended; this one ends as well');
  await manager.mainProcess(process.pid);
  process.exit(1);
}

/** The control socket by which `nameplate reload` reaches this server; null where another server answers there. */
async function freeControlPath(path: string | null, before: Inheritance | null, log: Log): Promise<string | null> {
  if (path === null || before?.control === path || !(await hasServer(path))) return path;
  log.warn({ path }, `another server answers there, so "nameplate reload" does not reach this one: ${SET_CONTROL}`);
  return null;
}

const SET_CONTROL = 'set NAMEPLATE_CONTROL to another path. SIGHUP reloads all the same.';

async function openControl(path: string, reloader: Reloader, log: Log): Promise<ControlSocket | null> {
  try {
    return await openControlSocket(path, reloader.reload);
  } catch (error) {
    log.warn({ err: error, path }, `"nameplate reload" does not reach this server: ${SET_CONTROL}`);
    return null;
  }
}

/** Whether the sources run although there is a bundle: `bin/start.mjs` runs a bundle that is current. */
function isBundleOutdated(): boolean {
  return import.meta.filename.endsWith('.ts') && existsSync(new URL('../../../../dist/', import.meta.url));
}

/** A playground's store accepts the root key in dev.json beside it. */
async function refusePlayground({ databaseUrl }: Config): Promise<void> {
  const file = await playgroundStoreOf(databaseUrl);
  if (file === null) return;
  throw new CliError(`${file} is a playground's store, whose root key is in dev.json beside it. ${NAME_ANOTHER_FILE}`);
}

/**
 * Logs why the server does not start, as one JSON line of level 60, which collectors of logs read. Its `msg` has the
 * cause and the fix. On a terminal it throws the error, whose text the caller prints. Sets the exit code of the error.
 */
async function failToStart(error: unknown): Promise<void> {
  if (!process.stdout.isTTY) {
    const { createLog } = await import('../../base/log.ts');
    const about = showsStacks() ? { err: error } : {};
    const problems = error instanceof ConfigError ? { problems: error.problems } : {};
    // Logged whatever the level is: the server ends with it.
    createLog('fatal').fatal({ ...about, ...problems }, `the server does not start: ${summaryOf(error)}`);
  }
  if (process.stdout.isTTY || process.stderr.isTTY) throw error;
  process.exitCode = error instanceof CliError ? error.exitCode : EXIT.failed;
}

/** In one line. */
function summaryOf(error: unknown): string {
  if (!(error instanceof ConfigError)) return messageOf(error).replaceAll(/\s*\n\s*/g, ' ');
  const { problems } = error;
  // Their examples end without a full stop: numbers keep them apart.
  return problems.length === 1 ? problems.join() : problems.map((one, at) => `(${at + 1}) ${one}`).join(' ');
}
