import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Log } from '../../base/log.ts';

/** Notifies systemd, which has started this process and expects a message (`Type=notify`). */
export interface ServiceManager {
  /** Names another process of the service as the main one from now on. */
  mainProcess(pid: number): Promise<void>;
  stopping(): Promise<void>;
}

const TIMEOUT_MS = 5000;

/**
 * Notifies the service manager that the service is up, unless that is done already (`isTold`). Returns null where
 * systemd did not start this process, or cannot be notified. Node has no datagrams over Unix sockets, so this runs
 * systemd's own command `systemd-notify`: the unit needs `NotifyAccess=all` (docs/internals/decisions/0045-reload.md).
 */
export async function serviceManager(
  log: Pick<Log, 'warn'>,
  env: Record<string, string | undefined>,
  { isTold }: { isTold: boolean },
): Promise<ServiceManager | null> {
  if (!env.NOTIFY_SOCKET) return null;
  const tell = async (state: string): Promise<boolean> => {
    try {
      await promisify(execFile)('systemd-notify', [state], { timeout: TIMEOUT_MS, env });
      return true;
    } catch (error) {
      log.warn({ err: error, state }, 'systemd could not be told');
      return false;
    }
  };
  if (!isTold && !(await tell('READY=1'))) return null;
  return {
    mainProcess: async (pid) => void (await tell(`MAINPID=${pid}`)),
    stopping: async () => void (await tell('STOPPING=1')),
  };
}
