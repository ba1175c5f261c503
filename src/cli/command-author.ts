import { hostname, userInfo } from 'node:os';
import type { Author } from '../store/contract/store.ts';

/** Who runs a command on which machine, for the audit log. */
export function commandAuthor(command: string): Author {
  return {
    kind: 'command',
    actor: userOf(process.getuid?.(), process.env),
    action: command,
    from: hostname(),
    requestId: null,
  };
}

/**
 * The user as whom the process runs, by the system's own account of it: variables such as USER say what anybody likes. SUDO_USER is one too; it is shown for root alone, who could
 * write anything here, and under its own name.
 */
export function userOf(uid: number | undefined, { SUDO_USER: sudoUser }: NodeJS.ProcessEnv): string {
  const user = nameOf(uid);
  return uid === 0 && sudoUser !== undefined && sudoUser !== '' ? `${user} (SUDO_USER=${sudoUser})` : user;
}

function nameOf(uid: number | undefined): string {
  try {
    return userInfo().username;
  } catch {
    // In a container a user need not have a name.
    return `uid ${uid}`;
  }
}
