import { registrableDomain } from '../../../src/domain/name.ts';
import type { CaLimit } from '../../../src/store/contract/store.ts';
import { AcmeProblem } from './problem.ts';

/** Limits as a CA publishes them, counted as it counts them: in any period of that length. What is exempt counts for failures alone. */

export interface Refused {
  limit: CaLimit['name'];
  hostname: string;
  at: number;
}

interface Spent {
  name: CaLimit['name'];
  key: string;
  at: number;
}

export function createLimits(limits: readonly CaLimit[]) {
  let spent: Spent[] = [];
  const refused: Refused[] = [];
  const longestMs = Math.max(0, ...limits.map(({ windowMs }) => windowMs));

  /** What is counted together: orders of an account, failures and certificates of a name, certificates of a registered domain. */
  function keyOf(name: CaLimit['name'], accountUrl: string, hostname: string): string {
    switch (name) {
      case 'orders':
        return accountUrl;
      case 'failures':
        return `${accountUrl} ${hostname}`;
      case 'certificates':
        return registrableDomain(hostname) ?? hostname;
      case 'duplicates':
        return hostname;
      default:
        return name satisfies never;
    }
  }

  return {
    /** What was asked for beyond a limit. */
    refused,
    /** Throws `AcmeProblem` where a limit is spent already. */
    check(accountUrl: string, hostname: string, exempt: boolean, now: number): void {
      for (const { name, limit, windowMs } of limits) {
        if (exempt && name !== 'failures') continue;
        const key = keyOf(name, accountUrl, hostname);
        const counted = spent.filter((one) => one.name === name && one.key === key && one.at > now - windowMs);
        if (counted.length < limit) continue;
        refused.push({ limit: name, hostname, at: now });
        const [first] = counted.slice(-limit);
        const retryAfter = String(Math.ceil(((first?.at ?? now) + windowMs - now) / 1000));
        throw new AcmeProblem(429, 'rateLimited', `too many ${name} (${limit}) for ${hostname}`, { retryAfter });
      }
    },
    count(name: CaLimit['name'], accountUrl: string, hostname: string, now: number): void {
      spent = spent.filter(({ at }) => at > now - longestMs);
      spent.push({ name, key: keyOf(name, accountUrl, hostname), at: now });
    },
  };
}
