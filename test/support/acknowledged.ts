import type { Data } from './api-client.ts';
import type { Contents, StoredDomain } from './inspection.ts';
import type { Tenant } from './server-site.ts';

/** One domain, as the client that uses it knows it. */
export interface Entry {
  readonly tenant: Tenant;
  readonly name: string;
  /**
   * `asked`: its creation was asked for. `held`: that was acknowledged. `leaving`: its deletion was asked for. `gone`:
   * that was acknowledged, or its creation has come to nothing.
   */
  state: 'asked' | 'held' | 'leaving' | 'gone';
  /** Once its creation was acknowledged. */
  id: string | null;
  records: Data['dnsRecords'];
  /** A reader has seen it verified. */
  verified: boolean;
  /** Another workspace proves that it owns the name, and may take it over. */
  contested: boolean;
  /** Before a retry of the failed domain was asked for that was acknowledged (Unix ms). */
  retriedAt: number;
  /** Since when it has been known to be as it is (Unix ms). */
  knownAt: number;
}

/** Acknowledged changes, and changes that were only asked for. */
export interface Ledger {
  entries: Entry[];
  /** By their hash: whether the key is there, or `null` while nobody knows. `text` is the key. */
  keys: Map<string, { there: boolean | null; text: string }>;
  acknowledged: Record<'created' | 'deleted' | 'retried' | 'verified' | 'keys made' | 'keys revoked', number>;
}

export function createLedger(): Ledger {
  const acknowledged = { created: 0, deleted: 0, retried: 0, verified: 0, 'keys made': 0, 'keys revoked': 0 };
  return { entries: [], keys: new Map(), acknowledged };
}

export function newEntry(tenant: Tenant, name: string): Entry {
  const unknown = { state: 'asked', id: null, records: [] } as const;
  return { tenant, name, ...unknown, records: [], verified: false, contested: false, retriedAt: 0, knownAt: 0 };
}

export function seeVerified({ acknowledged }: Ledger, entry: Entry): void {
  if (entry.verified) return;
  acknowledged.verified += 1;
  Object.assign(entry, { verified: true, knownAt: Date.now() });
}

/**
 * Holds the ledger against the file, and says what is missing of what was acknowledged. Whatever had no answer is from
 * then on what it turned out to be; records of a domain whose creation had none are left for a reader to fill in.
 */
export function reconcile({ entries, keys }: Ledger, { domains, keyHashes }: Contents): string[] {
  const byId = new Map(domains.map((domain) => [domain.id, domain]));
  const byName = new Map(domains.map((domain) => [nameIn(domain.workspaceId, domain.name), domain]));
  const known = new Set(entries.map(({ id }) => id));
  const missing: string[] = [];
  for (const entry of entries) {
    if (entry.state === 'asked') {
      const found = byName.get(nameIn(entry.tenant.workspaceId, entry.name));
      // A name may have been used before, and its owner be known.
      if (found === undefined || known.has(found.id)) entry.state = 'gone';
      else Object.assign(entry, { state: 'held', id: found.id });
      continue;
    }
    const stored = byId.get(entry.id ?? '');
    if (entry.state === 'leaving') entry.state = stored === undefined ? 'gone' : 'held';
    const fault = lost(entry, stored);
    if (fault !== null) missing.push(`${entry.id} ${entry.name}: ${fault}`);
  }
  for (const [hash, key] of keys) {
    key.there ??= keyHashes.has(hash);
    if (key.there !== keyHashes.has(hash))
      missing.push(`key ${hash}: ${key.there ? 'made, and gone' : 'revoked, and there'}`);
  }
  return missing;
}

/** Describes an acknowledged fact of an entry that does not hold. */
function lost(entry: Entry, stored: StoredDomain | undefined): string | null {
  if (entry.state === 'gone') return stored === undefined ? null : 'deleted, and there';
  if (stored === undefined) return 'created, and gone';
  const values = entry.records.map(({ value }) => value).join();
  if (entry.records.length > 0 && values !== `${stored.target},service-domain-verify=${stored.token}`) {
    return `has other records than ${values}`;
  }
  if (entry.verified && !entry.contested && stored.status !== 'verified') return `verified, and ${stored.status}`;
  if (stored.windowStartedAt < entry.retriedAt) return 'retried, and its window is the old one';
  return null;
}

function nameIn(workspaceId: string, name: string): string {
  return `${workspaceId} ${name}`;
}
