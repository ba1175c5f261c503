import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Log } from '../../base/log.ts';

/** systemd, which has started this process and waits to be told (`Type=notify`). */
export interface ServiceManager {
  /** Another process of the service is the main one from now on. */
  mainProcess(pid: number): Promise<void>;
  stopping(): Promise<void>;
}

const TIMEOUT_MS = 5000;

/**
 * Tells the service manager that the service is up, unless it `isTold` already. Null where none waits, or it cannot be told. That is done by systemd's own command
 * `systemd-notify`, since Node has no datagrams over Unix sockets: the unit needs `NotifyAccess=all` (docs/decisions/0045-reload.md).
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
