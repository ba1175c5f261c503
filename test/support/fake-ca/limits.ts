import { registrableDomain } from '../../../server/src/domain/name.ts';
import type { CaLimit } from '../../../server/src/store/store.ts';
import { AcmeProblem } from './problem.ts';

/** Published limits over sliding windows. Exempt orders count for failures only. */

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

  /** The key that a limit counts by: account, name or registered domain. */
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
    /** Requests beyond a limit. */
    refused,
    /** Throws `AcmeProblem` if a limit is reached. */
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
